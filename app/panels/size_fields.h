// The part of the form that says how large and how long the clip is. Layout and connections only. GUI thread;
// the draft outlives it.
#pragma once

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace reelmesh {

class FormRows;
class NumberField;
class RequestDraft;

class SizeFields : public QWidget {
    Q_OBJECT

public:
    explicit SizeFields(RequestDraft& draft, QWidget* parent = nullptr);
    FormRows& rows() { return *rows_; }
    /// nullptr: not one of these.
    QWidget* fieldOf(const QString& key) const;

private:
    void makeSizeRows();
    void makeClipRows();
    void followRules();
    void showDraft();
    void editSide(const char* key, const QString& plain);
    void swapSides();

    RequestDraft& draft_;
    FormRows* rows_;
    QComboBox* size_;
    NumberField* width_;
    NumberField* height_;
    NumberField* frames_;
    NumberField* seconds_;
    NumberField* fps_;
    QToolButton* swap_;
    QToolButton* lock_;
    double ratio_ = 1; ///< width by height, while locked
};

} // namespace reelmesh
