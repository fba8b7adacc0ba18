// Sums over the selected span as a table: a row a rank, and on request a row for each kind of its work below
// it. GUI thread.
#pragma once

#include <QAbstractTableModel>

#include <vector>

#include "trace_view.h"

namespace reelmesh {

class TotalsModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Rank, Busy, Comm, Exposed, Wait, Megabytes, Rate, kColumns };

    using QAbstractTableModel::QAbstractTableModel;

    /// names: of the ranks, "GPU 0 c0 u0", by rank.
    void setRows(std::vector<TotalsRow> rows, QStringList names);
    void setShowsKinds(bool shows);
    const std::vector<TotalsRow>& rows() const { return rows_; }
    const TotalsRow& row(int index) const { return rows_[shown_[static_cast<std::size_t>(index)]]; }
    /// All rows, kinds too; nanoseconds and bytes.
    QString csv() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void filter();

    std::vector<TotalsRow> rows_;
    std::vector<std::size_t> shown_;
    QStringList names_;
    bool showsKinds_ = false;
};

} // namespace reelmesh
