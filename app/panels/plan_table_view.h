// The alternatives as a dense table: columns go in the order of their worth where the panel is narrow, a
// refused row gives its whole width to the reason. GUI thread.
#pragma once

#include <QTableView>

#include "models/plan_table_model.h"

namespace reelmesh {

class PlanTableView : public QTableView {
    Q_OBJECT

public:
    explicit PlanTableView(PlanTableModel& model, QWidget* parent = nullptr);

    /// With so many rows shown.
    int heightOf(int rows) const;

Q_SIGNALS:
    /// A double click or Enter on a plan that is not refused.
    void planChosen(const QString& mesh);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void takePlans();
    void fitColumns();
    void choose(const QModelIndex& index);
    int contentWidth(int column) const;

    PlanTableModel& plans_;
    QList<int> widths_; ///< by column, of what they hold
};

} // namespace reelmesh
