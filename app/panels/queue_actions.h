// What can be done with the queue: one action each for tool row, context menu and keys, enabled by the row
// that is chosen; a disabled one says why. GUI thread; the actions belong to the view.
#pragma once

#include <QObject>

#include "models/job_list_model.h"

class QAction;
class QActionGroup;
class QMenu;
class QTreeView;

namespace reelmesh {

class QueueActions : public QObject {
    Q_OBJECT

public:
    QueueActions(JobListModel& model, QTreeView& view);

    QAction* pauseAfter;
    QAction *top, *up, *down, *bottom;
    QAction *play, *pause, *cancel, *stopAndDecode;
    QAction *retry, *duplicate, *edit, *remove;
    QAction *showInFolder, *copyJson, *clearFinished, *clearWaiting;

    /// Of the chosen row.
    void fillRowMenu(QMenu& menu);
    /// Of the whole queue.
    void fillQueueMenu(QMenu& menu);

Q_SIGNALS:
    void showInFolderRequested(const QString& path);

protected:
    /// Keys of an action that is disabled must not move the choice instead.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QAction* make(const char* name, const QString& text, const char* icon, const QString& help,
                  const QList<QKeySequence>& keys = {});
    void enable(QAction* action, const QString& reason);
    int row() const; ///< -1: none is chosen
    void onRow(QAction* action, const std::function<void(int)>& run);
    void update();

    JobListModel& model_;
    QTreeView& view_;
    QActionGroup* afterFailure_;
};

} // namespace reelmesh
