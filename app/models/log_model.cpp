#include "log_model.h"

#include <QDateTime>

namespace reelmesh {
namespace {

QString levelWord(LogLevel level) {
    switch (level) {
    case LogLevel::Debug: return LogModel::tr("debug");
    case LogLevel::Info: return LogModel::tr("info");
    case LogLevel::Warning: return LogModel::tr("warn");
    case LogLevel::Error: return LogModel::tr("error");
    }
    return {};
}

} // namespace

void LogModel::add(const LogLine& line) {
    if (rowCount() == kLimit) {
        beginRemoveRows({}, 0, kDropped - 1);
        lines_.erase(lines_.begin(), lines_.begin() + kDropped);
        endRemoveRows();
    }
    const int row = rowCount();
    beginInsertRows({}, row, row);
    lines_.push_back(line);
    endInsertRows();
}

void LogModel::clear() {
    beginResetModel();
    lines_.clear();
    endResetModel();
}

QString LogModel::lineText(int row) const {
    QStringList parts;
    for (int column = 0; column < ColumnCount; ++column) {
        const QString part = data(index(row, column)).toString();
        if (!part.isEmpty()) parts << part;
    }
    return parts.join(' ');
}

int LogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

int LogModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const LogLine& line = lines_[static_cast<std::size_t>(index.row())];
    if (role == LevelRole) return static_cast<int>(line.level);
    if (role == Qt::ToolTipRole && index.column() == Text) return QString::fromStdString(line.text);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case Time: return QDateTime::fromMSecsSinceEpoch(line.time_ms).toString("HH:mm:ss.zzz");
    case Level: return levelWord(line.level);
    case Job: return line.job == 0 ? QString() : tr("job %1").arg(line.job);
    case Text: return QString::fromStdString(line.text);
    default: return {};
    }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case Time: return tr("Time");
    case Level: return tr("Level");
    case Job: return tr("Job");
    case Text: return tr("Text");
    default: return {};
    }
}

} // namespace reelmesh
