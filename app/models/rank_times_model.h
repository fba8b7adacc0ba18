// Step times of each rank: one row a rank; the last step, its share of the slowest rank's, and the
// last steps for a sparkline. GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QList>

#include "engine/events.h"

namespace reelmesh {

class RankTimesModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Rank, LastStep, Share, History, ColumnCount };
    enum Role {
        ShareRole = Qt::UserRole, ///< 0 ... 1 of the slowest rank of the last step
        HistoryRole,              ///< QList<double>: seconds, oldest first, at most kHistory
        SlowestRole,              ///< bool; never for a single rank
    };
    static constexpr int kHistory = 60;

    using QAbstractTableModel::QAbstractTableModel;

    void clear();
    void add(const StepDone& event);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    double slowest() const;

    QList<QList<double>> seconds_; ///< by rank
};

} // namespace reelmesh
