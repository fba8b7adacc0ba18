// A form of labelled rows, 24 px and a gap of 4, its labels in one column whose width several forms can
// share. Knows no model. GUI thread.
#pragma once

#include <QGridLayout>
#include <QList>
#include <QString>

class QLabel;

namespace reelmesh {

class FormRows : public QGridLayout {
    Q_OBJECT

public:
    explicit FormRows(QWidget* parent = nullptr);

    /// The label becomes the first widget's buddy. Returns it, so that a row can be hidden.
    QLabel* addRow(const QString& label, QWidget* buddy, const QList<QWidget*>& others = {});
    /// Beside no label.
    void addField(QWidget* field);
    void addField(QLayout* field);
    /// Under label and field.
    void addWide(QWidget* widget);
    int labelWidth() const;
    void setLabelWidth(int width) { setColumnMinimumWidth(0, width); }

private:
    QList<QLabel*> labels_;
};

} // namespace reelmesh
