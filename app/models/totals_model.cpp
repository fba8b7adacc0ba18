#include "totals_model.h"

#include <QLocale>

#include <cmath>

namespace reelmesh {
namespace {

QString milliseconds(std::int64_t ns) {
    return QLocale().toString(static_cast<double>(ns) * 1e-6, 'f', 2);
}

QString number(double value) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    return QLocale().toString(value, 'f', value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

} // namespace

void TotalsModel::setRows(std::vector<TotalsRow> rows, QStringList names) {
    beginResetModel();
    rows_ = std::move(rows);
    names_ = std::move(names);
    filter();
    endResetModel();
}

void TotalsModel::setShowsKinds(bool shows) {
    if (showsKinds_ == shows) return;
    beginResetModel();
    showsKinds_ = shows;
    filter();
    endResetModel();
}

void TotalsModel::filter() {
    shown_.clear();
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (showsKinds_ || rows_[i].kind.empty()) shown_.push_back(i);
}

QString TotalsModel::csv() const {
    QString text = "rank,kind,busy_ns,comm_ns,exposed_ns,wait_ns,bytes,gb_s\n";
    for (const TotalsRow& row : rows_) {
        const double rate = row.bytes_per_s() * 1e-9;
        text += QStringLiteral("%1,%2,%3,%4,%5,%6,%7,%8\n")
                    .arg(row.rank)
                    .arg(row.kind.empty() ? QStringLiteral("all") : QString::fromStdString(row.kind))
                    .arg(row.busy_ns)
                    .arg(row.comm_ns)
                    .arg(row.exposed_ns)
                    .arg(row.wait_ns)
                    .arg(row.bytes)
                    .arg(std::isfinite(rate) ? QString::number(rate) : QString());
    }
    return text;
}

int TotalsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int TotalsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumns;
}

QVariant TotalsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const TotalsRow& row = this->row(index.row());
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Rank ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const bool computes = row.kind.empty() || row.busy_ns > 0,
               talks = row.kind.empty() || row.comm_ns + row.wait_ns > 0;
    const QString none = QString();
    switch (index.column()) {
    case Rank:
        return row.kind.empty() ? names_.value(row.rank)
                                : QStringLiteral("    ") + QString::fromStdString(row.kind);
    case Busy: return computes ? milliseconds(row.busy_ns) : none;
    case Comm: return talks ? milliseconds(row.comm_ns) : none;
    case Exposed: return talks ? milliseconds(row.exposed_ns) : none;
    case Wait: return talks ? milliseconds(row.wait_ns) : none;
    case Megabytes: return talks ? number(static_cast<double>(row.bytes) * 1e-6) : none;
    case Rate: return talks ? number(row.bytes_per_s() * 1e-9) : none;
    }
    return {};
}

QVariant TotalsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Rank ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) {
        switch (section) {
        case Rank: return tr("Rank");
        case Busy: return tr("busy ms");
        case Comm: return tr("comm");
        case Exposed: return tr("exposed");
        case Wait: return tr("wait");
        case Megabytes: return tr("MB");
        case Rate: return tr("GB/s");
        }
    }
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Rank: return tr("The rank, and its work by kind.");
        case Busy: return tr("Time in which the rank computed.");
        case Comm: return tr("Time in which its collectives moved data, without waiting.");
        case Exposed: return tr("Of that the time in which the rank computed nothing.");
        case Wait: return tr("Time in which it waited for other ranks.");
        case Megabytes: return tr("Data sent to other ranks.");
        case Rate: return tr("Data sent over the time of moving it.");
        }
    }
    return {};
}

} // namespace reelmesh
