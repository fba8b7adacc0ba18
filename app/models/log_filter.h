// The lines of a log that are at least of a level and hold some words. GUI thread.
#pragma once

#include <QSortFilterProxyModel>

#include "engine/events.h"

namespace reelmesh {

class LogFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

    void setLevel(LogLevel level);
    LogLevel level() const { return level_; }
    /// Each word must stand in the line, upper and lower case alike.
    void setWords(const QString& words);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    LogLevel level_ = LogLevel::Info;
    QStringList words_;
};

} // namespace reelmesh
