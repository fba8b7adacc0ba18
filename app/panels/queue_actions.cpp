#include "queue_actions.h"

#include <QAction>
#include <QActionGroup>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QTreeView>

#include "theme/icons.h"

namespace reelmesh {

QueueActions::QueueActions(JobListModel& model, QTreeView& view)
    : QObject(&view), model_(model), view_(view), afterFailure_(new QActionGroup(this)) {
    pauseAfter = make("queuePauseAfter", tr("Pause after this job"), "pause-after",
                      tr("Let the running job end and start none after it"));
    pauseAfter->setCheckable(true);
    top = make("queueTop", tr("To the top"), "top", tr("Run this job next"));
    up = make("queueUp", tr("Up"), "up", tr("Run this job one place earlier"), {Qt::CTRL | Qt::Key_Up});
    down =
        make("queueDown", tr("Down"), "down", tr("Run this job one place later"), {Qt::CTRL | Qt::Key_Down});
    bottom = make("queueBottom", tr("To the bottom"), "bottom", tr("Run this job last"));
    play = make("queuePlay", tr("Play"), "play", tr("Show the finished clip in the viewer"));
    pause =
        make("queuePause", tr("Pause now"), "pause", tr("Stop after the step that runs, keep its latents"));
    cancel = make("queueCancel", tr("Cancel"), "cancel", tr("End the job; nothing is saved"));
    stopAndDecode = make("queueStopDecode", tr("Stop and decode now"), "stop-decode",
                         tr("End with the last complete step and save it as partial"));
    retry = make("queueRetry", tr("Retry"), "retry", tr("Run the whole job again"));
    duplicate = make("queueDuplicate", tr("Duplicate"), "duplicate", tr("Queue a copy with the same seed"),
                     {Qt::CTRL | Qt::Key_D});
    edit =
        make("queueEdit", tr("Edit as new job"), "edit", tr("Load the settings of this job into the draft"));
    remove = make("queueRemove", tr("Remove"), "trash", tr("Take this job off the list; files stay"),
                  {Qt::Key_Delete});
    showInFolder = make("queueShowInFolder", tr("Show in folder"), "folder",
                        tr("Open the folder that the finished file is in"));
    copyJson =
        make("queueCopyJson", tr("Copy job JSON"), "copy", tr("Copy all settings of this job as text"));
    clearFinished = make("queueClearFinished", tr("Clear finished"), "remove",
                         tr("Take all jobs that have ended off the list; files stay"));
    clearWaiting = make("queueClearWaiting", tr("Remove all waiting"), "trash",
                        tr("Take all waiting jobs off the list"));
    for (const auto what : {JobListModel::AfterFailure::Continue, JobListModel::AfterFailure::Pause}) {
        const bool goesOn = what == JobListModel::AfterFailure::Continue;
        QAction* action =
            make(goesOn ? "queueFailureContinue" : "queueFailurePause",
                 goesOn ? tr("After a failure: continue") : tr("After a failure: pause"), nullptr,
                 goesOn ? tr("Start the next job when one has failed")
                        : tr("Start no further job when one has failed"));
        action->setCheckable(true);
        action->setChecked(what == model_.afterFailure());
        afterFailure_->addAction(action);
        connect(action, &QAction::triggered, this, [this, what] { model_.setAfterFailure(what); });
    }

    view_.installEventFilter(this);
    connect(pauseAfter, &QAction::toggled, this, [this](bool on) { model_.setHeld(on); });
    onRow(top, [this](int row) { model_.move(row, 0); });
    onRow(up, [this](int row) { model_.moveUp(row); });
    onRow(down, [this](int row) { model_.moveDown(row); });
    onRow(bottom, [this](int row) { model_.move(row, model_.waitingCount() - 1); });
    onRow(play, [this](int row) { model_.play(row); });
    onRow(pause, [this](int row) {
        const JobItem& job = model_.job(row);
        job.pausing || job.state == JobState::Paused ? model_.resume(row) : model_.pause(row);
    });
    onRow(cancel, [this](int row) { model_.cancel(row); });
    onRow(stopAndDecode, [this](int row) { model_.stopAndDecode(row); });
    onRow(retry, [this](int row) { model_.retry(row); });
    onRow(duplicate, [this](int row) { model_.duplicate(row); });
    onRow(edit, [this](int row) { model_.edit(row); });
    onRow(remove, [this](int row) { model_.remove(row); });
    onRow(showInFolder, [this](int row) {
        Q_EMIT showInFolderRequested(QString::fromStdString(model_.job(row).report.output));
    });
    onRow(copyJson, [this](int row) {
        QGuiApplication::clipboard()->setText(
            QString::fromStdString(job_to_json(model_.job(row).request, JobScope::Whole)));
    });
    connect(clearFinished, &QAction::triggered, &model_, &JobListModel::clearFinished);
    connect(clearWaiting, &QAction::triggered, &model_, &JobListModel::clearWaiting);

    connect(view_.selectionModel(), &QItemSelectionModel::selectionChanged, this, &QueueActions::update);
    connect(&model_, &JobListModel::summaryChanged, this, &QueueActions::update);
    connect(&model_, &QAbstractItemModel::rowsMoved, this, &QueueActions::update);
    connect(&model_, &QAbstractItemModel::rowsRemoved, this, &QueueActions::update);
    connect(&model_, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) {
                if (row() >= first.row() && row() <= last.row()) update();
            });
    update();
}

QAction* QueueActions::make(const char* name, const QString& text, const char* iconName, const QString& help,
                            const QList<QKeySequence>& keys) {
    auto* action = new QAction(text, &view_);
    action->setObjectName(name);
    if (iconName) action->setIcon(icon(iconName));
    action->setShortcuts(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    const QString key = keys.isEmpty() ? QString() : keys.first().toString(QKeySequence::NativeText);
    action->setProperty("help", key.isEmpty() ? help : tr("%1 (%2)").arg(help, key));
    action->setToolTip(action->property("help").toString());
    view_.addAction(action);
    return action;
}

bool QueueActions::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const auto& key = static_cast<const QKeyEvent&>(*event);
        const bool moves = key.key() == Qt::Key_Up || key.key() == Qt::Key_Down;
        if (moves && key.modifiers().testFlag(Qt::ControlModifier)) return true;
    }
    return QObject::eventFilter(watched, event);
}

int QueueActions::row() const {
    const QModelIndexList rows = view_.selectionModel()->selectedRows();
    return rows.isEmpty() ? -1 : rows.first().row();
}

void QueueActions::onRow(QAction* action, const std::function<void(int)>& run) {
    connect(action, &QAction::triggered, this, [this, run] {
        if (row() >= 0) run(row());
    });
}

void QueueActions::enable(QAction* action, const QString& reason) {
    action->setEnabled(reason.isEmpty());
    action->setToolTip(reason.isEmpty() ? action->property("help").toString() : reason);
}

void QueueActions::update() {
    const int at = row();
    const JobItem none;
    const JobItem& job = at < 0 ? none : model_.job(at);
    const QString unchosen = at < 0 ? tr("Choose a job first") : QString();
    const auto unless = [&](bool fits, const QString& reason) {
        return !unchosen.isEmpty() ? unchosen : fits ? QString() : reason;
    };
    const bool waits = at >= 0 && job.isPending();
    const bool first = at == model_.activeCount();
    const bool last = at == model_.activeCount() + model_.waitingCount() - 1;
    const QString order = tr("Only waiting jobs have an order");
    for (QAction* action : {top, up})
        enable(action, unless(waits && !first, waits ? tr("This job is the next already") : order));
    for (QAction* action : {down, bottom})
        enable(action, unless(waits && !last, waits ? tr("This job is the last already") : order));
    enable(play, unless(job.state == JobState::Done, tr("Only finished jobs can be played")));
    const bool paused = job.pausing || job.state == JobState::Paused;
    pause->setText(paused ? tr("Resume") : tr("Pause now"));
    pause->setIcon(icon(paused ? "resume" : "pause"));
    const bool beforeDecode = job.isActive() && job.stage < Stage::Decode;
    enable(pause, unless(beforeDecode && !job.stopping,
                         job.isActive() ? tr("Only steps can be paused, and they are over")
                                        : tr("This job does not run")));
    enable(cancel, unless(!job.hasEnded() && !job.stopping,
                          job.stopping ? tr("The job is stopping") : tr("This job has ended")));
    enable(stopAndDecode, unless(beforeDecode && job.step > 0 && !job.decoding && !job.stopping,
                                 !job.isActive() ? tr("This job does not run")
                                 : job.step == 0 ? tr("No step is complete, so there is nothing to decode")
                                                 : tr("It is being decoded already")));
    enable(retry, unless(job.hasEnded(), tr("Only jobs that have ended can run again")));
    enable(duplicate, unchosen);
    enable(edit, unchosen);
    enable(remove, unless(!job.isActive(), tr("This job runs; cancel it first")));
    enable(showInFolder, unless(!job.report.output.empty(), tr("This job has written no file")));
    enable(copyJson, unchosen);
    enable(clearFinished, model_.endedCount() > 0 ? QString() : tr("No job has ended"));
    enable(clearWaiting, model_.waitingCount() > 0 ? QString() : tr("No job waits"));
    pauseAfter->setChecked(model_.isHeld());
    pauseAfter->setToolTip(model_.isHeld() ? tr("The queue is held: click to let waiting jobs start")
                                           : pauseAfter->property("help").toString());
}

void QueueActions::fillRowMenu(QMenu& menu) {
    menu.addActions({play, showInFolder});
    menu.addSeparator();
    menu.addActions({pause, stopAndDecode, cancel});
    menu.addSeparator();
    menu.addActions({retry, duplicate, edit, copyJson});
    menu.addSeparator();
    menu.addActions({top, up, down, bottom});
    menu.addSeparator();
    menu.addAction(remove);
}

void QueueActions::fillQueueMenu(QMenu& menu) {
    menu.addActions({pause, stopAndDecode, cancel, retry, edit});
    menu.addSeparator();
    menu.addActions({clearFinished, clearWaiting});
    menu.addSeparator();
    menu.addActions(afterFailure_->actions());
}

} // namespace reelmesh
