#include "rank_times_model.h"

#include <QLocale>

#include <algorithm>

namespace reelmesh {

void RankTimesModel::clear() {
    beginResetModel();
    seconds_.clear();
    endResetModel();
}

void RankTimesModel::add(const StepDone& event) {
    const auto ranks = static_cast<qsizetype>(event.rank_seconds.size());
    if (ranks != seconds_.size()) {
        beginResetModel();
        seconds_ = QList<QList<double>>(ranks);
        endResetModel();
    }
    if (ranks == 0) return;
    for (qsizetype rank = 0; rank < ranks; ++rank) {
        QList<double>& history = seconds_[rank];
        if (history.size() == kHistory) history.removeFirst();
        history.append(event.rank_seconds[static_cast<std::size_t>(rank)]);
    }
    Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(ranks) - 1, ColumnCount - 1));
}

int RankTimesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(seconds_.size());
}

int RankTimesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RankTimesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= seconds_.size() || seconds_[index.row()].isEmpty()) return {};
    const QList<double>& history = seconds_[index.row()];
    const double share = slowest() > 0 ? history.last() / slowest() : 0;
    switch (role) {
    case ShareRole: return share;
    case HistoryRole: return QVariant::fromValue(history);
    case SlowestRole: return seconds_.size() > 1 && share >= 1;
    case Qt::TextAlignmentRole:
        return int((index.column() == Rank ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::DisplayRole: break;
    default: return {};
    }
    switch (index.column()) {
    case Rank: return index.row();
    case LastStep: return QLocale().toString(history.last(), 'f', 3);
    case Share: return QLocale().toString(share * 100, 'f', 0) + tr(" %");
    default: return {};
    }
}

QVariant RankTimesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == LastStep || section == Share ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Rank: return tr("Rank");
    case LastStep: return tr("Last step s");
    case Share: return tr("Of slowest");
    case History: return tr("Steps");
    default: return {};
    }
}

double RankTimesModel::slowest() const {
    double slowest = 0;
    for (const QList<double>& history : seconds_)
        if (!history.isEmpty()) slowest = std::max(slowest, history.last());
    return slowest;
}

} // namespace reelmesh
