// The newest lines of the log as a table; beyond kLimit the oldest go, kDropped at once: a view needs a fifth
// of a millisecond each time that rows go. GUI thread.
#pragma once

#include <QAbstractTableModel>

#include <deque>

#include "engine/events.h"

namespace reelmesh {

class LogModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Time, Level, Job, Text, ColumnCount };
    enum Role { LevelRole = Qt::UserRole }; ///< LogLevel as int
    static constexpr int kLimit = 10000, kDropped = 500;

    using QAbstractTableModel::QAbstractTableModel;

    void add(const LogLine& line);
    void clear();
    /// As it is copied and reported: "23:14:02.118 info job 41 mesh ready".
    QString lineText(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::deque<LogLine> lines_;
};

} // namespace reelmesh
