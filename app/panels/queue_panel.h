// The queue: a tool row, the jobs, and the figures of all of them below. What goes wrong with a job is told
// here, with what can be done about it. GUI thread; model and action outlive the panel.
#pragma once

#include <QWidget>

#include "models/job_list_model.h"

class QAction;
class QLabel;
class QStackedWidget;
class QTreeView;

namespace reelmesh {

class NoticeBar;
class QueueActions;
enum class NextAction;

class QueuePanel : public QWidget {
    Q_OBJECT

public:
    /// add: puts the draft into the queue.
    QueuePanel(JobListModel& model, QAction* add, QWidget* parent = nullptr);

    QTreeView& view() { return *view_; }
    NoticeBar& notice() { return *notice_; }
    QueueActions& actions() { return *actions_; }

Q_SIGNALS:
    void showInFolderRequested(const QString& path);

private:
    QWidget* makeToolRow(QAction* add);
    QWidget* makeFooter();
    void updateSummary();
    void showFailure(JobState state, const Error& error);
    void runNextAction(NextAction action, std::uint64_t key);
    void chooseFolder(std::uint64_t key);
    void showRowMenu(const QPoint& at);

    JobListModel& model_;
    QTreeView* view_;
    QueueActions* actions_;
    NoticeBar* notice_;
    QStackedWidget* pages_;
    QLabel *summary_, *held_;
};

} // namespace reelmesh
