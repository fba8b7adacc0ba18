#include "queue_panel.h"

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "bridge/error_text.h"
#include "models/job_text.h"
#include "panels/job_row_delegate.h"
#include "panels/queue_actions.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"
#include "widgets/empty_state.h"
#include "widgets/notice_bar.h"

namespace reelmesh {
namespace {

constexpr int kToolRow = 32;
constexpr QSize kHitArea(24, 24);

/// A strip with a hairline, as bar or as footer.
class Strip : public QWidget {
public:
    enum class Kind { Tools, Footer };
    explicit Strip(Kind kind) : kind_(kind) {}

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Tokens& t = tokens(palette());
        painter.fillRect(rect(), kind_ == Kind::Tools ? t.window : t.alt);
        painter.fillRect(0, kind_ == Kind::Tools ? height() - 1 : 0, width(), 1, t.border);
    }

private:
    Kind kind_;
};

class Divider : public QWidget {
public:
    Divider() { setFixedSize(9, kHitArea.height()); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(4, 4, 1, height() - 8, tokens(palette()).border);
    }
};

QToolButton* makeButton(QAction* action) {
    auto* button = new QToolButton;
    button->setObjectName(action->objectName());
    button->setProperty("role", "flat");
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonIconOnly);
    button->setIconSize({metrics::kIcon, metrics::kIcon});
    button->setFixedSize(kHitArea);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(action->text());
    return button;
}

QString actionText(NextAction action) {
    switch (action) {
    case NextAction::None: return {};
    case NextAction::EditPrompt: return QueuePanel::tr("Edit settings");
    case NextAction::AutomaticMesh: return QueuePanel::tr("Use automatic mesh");
    case NextAction::ChooseFolder: return QueuePanel::tr("Folder…");
    case NextAction::Retry: return QueuePanel::tr("Retry");
    }
    return {};
}

} // namespace

QueuePanel::QueuePanel(JobListModel& model, QAction* add, QWidget* parent)
    : QWidget(parent), model_(model), view_(new QTreeView), notice_(new NoticeBar),
      pages_(new QStackedWidget), summary_(new QLabel), held_(new QLabel) {
    setObjectName("queuePanel");
    notice_->setObjectName("queueNotice");
    view_->setObjectName("queueView");
    view_->setAccessibleName(tr("Queue of jobs"));
    view_->setModel(&model_);
    view_->setItemDelegate(new JobRowDelegate(view_));
    view_->setHeaderHidden(true);
    view_->header()->setStretchLastSection(true);
    view_->setRootIsDecorated(false);
    view_->setItemsExpandable(false);
    view_->setSelectionMode(QAbstractItemView::SingleSelection);
    view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    view_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view_->setDragDropMode(QAbstractItemView::InternalMove);
    view_->setDefaultDropAction(Qt::MoveAction);
    view_->setDropIndicatorShown(true);
    view_->setMouseTracking(true);
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    view_->setFrameShape(QFrame::NoFrame);
    view_->viewport()->setAutoFillBackground(false);
    actions_ = new QueueActions(model_, *view_);

    EmptyState::Content content;
    content.icon = "queue";
    content.sentence = tr("Jobs wait here until they run");
    content.action = add;
    content.mainAction = false;
    pages_->addWidget(new EmptyState(content));
    pages_->addWidget(view_);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeToolRow(add));
    column->addWidget(notice_);
    column->addWidget(pages_, 1);
    column->addWidget(makeFooter());

    connect(view_, &QTreeView::customContextMenuRequested, this, &QueuePanel::showRowMenu);
    connect(view_, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (model_.job(index.row()).state == JobState::Done) model_.play(index.row());
    });
    connect(actions_, &QueueActions::showInFolderRequested, this, &QueuePanel::showInFolderRequested);
    connect(&model_, &JobListModel::summaryChanged, this, &QueuePanel::updateSummary);
    connect(&model_, &QAbstractItemModel::rowsInserted, this, &QueuePanel::updateSummary);
    connect(&model_, &QAbstractItemModel::rowsRemoved, this, &QueuePanel::updateSummary);
    connect(
        &model_, &JobListModel::jobEnded, this,
        [this](JobId, JobState state, const JobReport&, const Error& error) { showFailure(state, error); });
    updateSummary();
}

QWidget* QueuePanel::makeToolRow(QAction* add) {
    auto* strip = new Strip(Strip::Kind::Tools);
    strip->setFixedHeight(kToolRow);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 1);
    row->setSpacing(metrics::kGap);
    QToolButton* addButton = makeButton(add);
    addButton->setObjectName("queueAdd");
    addButton->setIcon(icon("add"));
    row->addWidget(addButton);
    row->addWidget(makeButton(actions_->pauseAfter));
    row->addWidget(new Divider);
    for (QAction* action : {actions_->top, actions_->up, actions_->down, actions_->bottom})
        row->addWidget(makeButton(action));
    row->addStretch();
    row->addWidget(makeButton(actions_->duplicate));
    row->addWidget(makeButton(actions_->remove));
    auto* more = new QToolButton;
    more->setObjectName("queueMore");
    more->setProperty("role", "flat");
    more->setIcon(icon("more"));
    more->setIconSize({metrics::kIcon, metrics::kIcon});
    more->setFixedSize(kHitArea);
    more->setFocusPolicy(Qt::TabFocus);
    more->setToolTip(tr("More that can be done with the queue"));
    more->setAccessibleName(tr("More"));
    auto* menu = new QMenu(more);
    actions_->fillQueueMenu(*menu);
    // Shown by hand: a button with a menu of its own would draw an arrow.
    connect(more, &QToolButton::clicked, menu,
            [more, menu] { menu->popup(more->mapToGlobal(QPoint(0, more->height()))); });
    row->addWidget(more);
    return strip;
}

QWidget* QueuePanel::makeFooter() {
    auto* strip = new Strip(Strip::Kind::Footer);
    strip->setObjectName("queueFooter");
    strip->setFixedHeight(metrics::kPanelTitle);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(metrics::kPadding, 1, metrics::kPadding, 0);
    row->setSpacing(metrics::kGroupGap);
    summary_->setObjectName("queueSummary");
    summary_->setFont(metrics::textFont(metrics::kSmallText));
    summary_->setProperty("tone", "second");
    held_->setObjectName("queueHeld");
    held_->setFont(metrics::textFont(metrics::kSmallText));
    held_->setProperty("tone", "second");
    row->addWidget(summary_, 1);
    row->addWidget(held_);
    return strip;
}

void QueuePanel::updateSummary() {
    const int ended = model_.endedCount();
    const QString open = model_.summary();
    summary_->setText(!open.isEmpty() ? open
                      : ended > 0     ? tr("%n ended", nullptr, ended)
                                      : tr("Queue empty"));
    held_->setText(model_.isHeld() ? tr("pauses after this job") : QString());
    held_->setVisible(model_.isHeld() && model_.activeCount() > 0);
    pages_->setCurrentIndex(model_.rowCount() > 0 ? 1 : 0);
}

void QueuePanel::showFailure(JobState state, const Error& error) {
    if (state != JobState::Failed) return;
    // The newest of those that have ended.
    const int row = model_.activeCount() + model_.waitingCount();
    if (row >= model_.rowCount()) return;
    const std::uint64_t key = model_.job(row).key;
    QList<NoticeBar::Action> buttons;
    for (const NextAction action : nextActions(error.code))
        if (action != NextAction::None)
            buttons << NoticeBar::Action{actionText(action),
                                         [this, action, key] { runNextAction(action, key); }};
    if (model_.isHeld() && model_.waitingCount() > 0)
        buttons << NoticeBar::Action{tr("Go on"), [this] {
                                         model_.setHeld(false);
                                         notice_->dismiss();
                                     }};
    constexpr int kLongestPrompt = 40;
    QString prompt = promptLine(model_.job(row).request);
    if (prompt.size() > kLongestPrompt) prompt = prompt.left(kLongestPrompt) + QChar(0x2026);
    notice_->showNotice(NoticeBar::Kind::Error,
                        tr("“%1” failed: %2").arg(prompt, QString::fromStdString(error_message(error))),
                        buttons);
}

void QueuePanel::runNextAction(NextAction action, std::uint64_t key) {
    const int row = model_.rowOf(key);
    notice_->dismiss();
    if (row < 0) return;
    switch (action) {
    case NextAction::None: return;
    case NextAction::EditPrompt: return model_.edit(row);
    case NextAction::Retry: return model_.retry(row);
    case NextAction::ChooseFolder: return chooseFolder(key);
    case NextAction::AutomaticMesh: {
        JobRequest request = model_.job(row).request;
        request.mesh = "auto";
        return model_.retry(row, request);
    }
    }
}

void QueuePanel::chooseFolder(std::uint64_t key) {
    auto* dialog = new QFileDialog(this, tr("Where this job saves its clip"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this, key](const QString& folder) {
        const int row = model_.rowOf(key);
        if (row < 0) return;
        JobRequest request = model_.job(row).request;
        request.output.path = folder.toStdString();
        model_.retry(row, request);
    });
    dialog->open();
}

void QueuePanel::showRowMenu(const QPoint& at) {
    if (!view_->indexAt(at).isValid()) return;
    auto* menu = new QMenu(view_);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    actions_->fillRowMenu(*menu);
    menu->popup(view_->viewport()->mapToGlobal(at));
}

} // namespace reelmesh
