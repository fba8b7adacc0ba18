#include "log_filter.h"

#include <algorithm>

#include "log_model.h"

namespace reelmesh {

void LogFilter::setLevel(LogLevel level) {
    if (level_ == level) return;
    level_ = level;
    invalidateFilter();
}

void LogFilter::setWords(const QString& words) {
    const QStringList list = words.split(' ', Qt::SkipEmptyParts);
    if (words_ == list) return;
    words_ = list;
    invalidateFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const QAbstractItemModel& lines = *sourceModel();
    const QModelIndex text = lines.index(row, LogModel::Text, parent);
    if (text.data(LogModel::LevelRole).toInt() < static_cast<int>(level_)) return false;
    const QString line =
        lines.index(row, LogModel::Job, parent).data().toString() + ' ' + text.data().toString();
    return std::ranges::all_of(words_,
                               [&](const QString& word) { return line.contains(word, Qt::CaseInsensitive); });
}

} // namespace reelmesh
