// The part of the form that says how the clip is sampled: steps, guidance, shift, solver, seed and count; and
// what is seldom touched, folded. Layout and connections only. GUI thread; the draft outlives it.
#pragma once

#include <QList>
#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace reelmesh {

class FoldHeader;
class FormRows;
class NumberField;
class RequestDraft;

class SamplingFields : public QWidget {
    Q_OBJECT

public:
    explicit SamplingFields(RequestDraft& draft, QWidget* parent = nullptr);
    FormRows& rows() { return *rows_; }
    FormRows& advancedRows() { return *advancedRows_; }
    QWidget* fieldOf(const QString& key) const;
    void openAdvanced();

private:
    void makeSteps();
    void makeGuidance();
    void makeSeed();
    void makeAdvanced();
    QComboBox* makeChoice(const char* objectName, const char* key, const QString& label,
                          const QList<std::pair<QString, QString>>& items);
    void showDraft();
    void showExperts();
    void showBoundary();

    RequestDraft& draft_;
    FormRows* rows_;
    FormRows* advancedRows_ = nullptr;
    NumberField* steps_;
    QList<QToolButton*> chips_;
    NumberField *cfg_, *cfgHigh_, *cfgLow_, *shift_, *count_, *boundary_;
    QToolButton* shiftAuto_;
    QList<QWidget*> oneExpert_, twoExperts_;
    QComboBox *sampler_, *seedMode_, *precision_, *preview_;
    QLineEdit* seed_;
    QToolButton *dice_, *reuse_;
    FoldHeader* fold_ = nullptr;
    QLabel* boundaryRemark_;
};

} // namespace reelmesh
