#include "main_window.h"

#include <QAction>
#include <QClipboard>
#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenuBar>
#include <QSplitter>
#include <QToolBar>
#include <QToolButton>

#include "bridge/error_text.h"
#include "models/generation.h"
#include "panels/preview_panel.h"
#include "panels/prompt_panel.h"
#include "panels/ranks_panel.h"
#include "shell/show_in_folder.h"
#include "shell/status_bar.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/notice_bar.h"
#include "widgets/video_view.h"

namespace reelmesh {

MainWindow::MainWindow(Generation& generation, QWidget* parent)
    : QMainWindow(parent), generation_(generation), actions_(makeActions(this)) {
    setWindowTitle(tr("Reelmesh"));
    setWindowIcon(applicationIcon());
    setMinimumSize(800, 520);
    resize(1280, 800);
    makeMenus();
    makeToolBar();
    makePanels();
    setStatusBar(new StatusBar(generation_.status(), this));
    connectActions();
    updateActions();
}

void MainWindow::makeMenus() {
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(actions_.outputFolder);
    file->addSeparator();
    file->addAction(actions_.quit);
    menuBar()->addMenu(tr("&View"))->addAction(actions_.play);
    QMenu* job = menuBar()->addMenu(tr("&Job"));
    job->addAction(actions_.generate);
    job->addAction(actions_.stop);
}

void MainWindow::makeToolBar() {
    auto* bar = new QToolBar(tr("Job"));
    bar->setMovable(false);
    bar->setFixedHeight(metrics::kToolBar);
    bar->setIconSize({metrics::kIcon, metrics::kIcon});
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    for (QAction* action : {actions_.generate, actions_.stop}) {
        auto* button = new QToolButton;
        button->setObjectName(action->objectName());
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setDefaultAction(action);
        button->setFixedHeight(metrics::kToolButton);
        button->setFocusPolicy(Qt::StrongFocus);
        if (action == actions_.generate) button->setProperty("role", "main");
        bar->addWidget(button);
    }
    addToolBar(bar);
}

void MainWindow::makePanels() {
    promptPanel_ = new PromptPanel(generation_.draft());
    previewPanel_ = new PreviewPanel({generation_.preview(), generation_.status()}, actions_.generate);
    auto* side = new QSplitter(Qt::Vertical);
    auto* whole = new QSplitter(Qt::Horizontal);
    for (QSplitter* splitter : {side, whole}) {
        splitter->setHandleWidth(metrics::kSeam);
        splitter->setChildrenCollapsible(false);
    }
    side->addWidget(promptPanel_);
    side->addWidget(new RanksPanel(generation_.rankTimes()));
    side->setMinimumWidth(metrics::sideColumn(0));
    side->setSizes({metrics::kPromptPanel, metrics::kPromptPanel});
    side->setStretchFactor(0, 0);
    side->setStretchFactor(1, 1);
    whole->addWidget(side);
    whole->addWidget(previewPanel_);
    whole->setStretchFactor(0, 0);
    whole->setStretchFactor(1, 1);
    whole->setObjectName("columns");
    setCentralWidget(whole);
    promptPanel_->focusPrompt();
}

void MainWindow::connectActions() {
    connect(actions_.generate, &QAction::triggered, &generation_, &Generation::generate);
    connect(actions_.stop, &QAction::triggered, &generation_, &Generation::cancel);
    connect(actions_.play, &QAction::triggered, &previewPanel_->video(), &VideoView::togglePlaying);
    connect(actions_.outputFolder, &QAction::triggered, this, &MainWindow::chooseOutputFolder);
    connect(actions_.quit, &QAction::triggered, this, &QWidget::close);
    connect(&generation_.status(), &JobStatus::changed, this, &MainWindow::updateActions);
    connect(&generation_.preview(), &PreviewModel::changed, this, &MainWindow::updateActions);
    connect(&generation_, &Generation::started, &previewPanel_->notice(), &NoticeBar::dismiss);
    connect(&generation_, &Generation::failed, this, &MainWindow::showError);
    connect(&generation_, &Generation::saved, this, &MainWindow::showSaved);
}

void MainWindow::updateActions() {
    const JobStatus& status = generation_.status();
    const bool stopping = status.phase() == JobStatus::Phase::Stopping;
    actions_.generate->setEnabled(!status.isActive());
    actions_.generate->setToolTip(status.isActive() ? tr("A job is running; cancel it or wait for its end")
                                                    : tr("Make the clip (Ctrl+Enter)"));
    actions_.stop->setEnabled(status.isActive() && !stopping);
    actions_.stop->setToolTip(stopping            ? tr("The job is stopping")
                              : status.isActive() ? tr("Stop the job; nothing is saved (Ctrl+Alt+Enter)")
                                                  : tr("No job is running"));
    actions_.play->setEnabled(!generation_.preview().frames().isEmpty());
}

void MainWindow::showError(const Error& error) {
    QList<NoticeBar::Action> actions;
    switch (nextAction(error.code)) {
    case NextAction::None: break;
    case NextAction::EditPrompt:
        actions << NoticeBar::Action{tr("Edit prompt"), [this] { promptPanel_->focusPrompt(); }};
        break;
    case NextAction::AutomaticMesh:
        actions << NoticeBar::Action{tr("Use automatic mesh"), [this] {
                                         generation_.draft().setMesh("auto");
                                         generation_.generate();
                                     }};
        break;
    case NextAction::ChooseFolder:
        actions << NoticeBar::Action{tr("Choose folder…"), [this] { chooseOutputFolder(); }};
        break;
    case NextAction::Retry:
        actions << NoticeBar::Action{tr("Retry"), [this] { generation_.generate(); }};
        break;
    }
    previewPanel_->notice().showNotice(NoticeBar::Kind::Error, QString::fromStdString(error_message(error)),
                                       actions);
}

void MainWindow::showSaved(const QString& path, const QStringList& notices) {
    QList<NoticeBar::Action> actions;
    if (canShowInFolder()) actions << NoticeBar::Action{tr("Show in folder"), [path] { showInFolder(path); }};
    actions << NoticeBar::Action{tr("Copy path"), [path] { QGuiApplication::clipboard()->setText(path); }};
    QString text = tr("Saved %1").arg(QDir::toNativeSeparators(path));
    for (const QString& notice : notices)
        text += "\n" + notice;
    previewPanel_->notice().showNotice(NoticeBar::Kind::Done, text, actions);
}

void MainWindow::chooseOutputFolder() {
    const QString folder = QFileDialog::getExistingDirectory(this, tr("Where finished clips are saved"),
                                                             generation_.draft().outputFolder());
    if (!folder.isEmpty()) generation_.draft().setOutputFolder(folder);
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (event->spontaneous()) return;
    const int side = metrics::sideColumn(width());
    findChild<QSplitter*>("columns")->setSizes({side, width() - side - metrics::kSeam});
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!generation_.status().isActive()) {
        Q_EMIT quitConfirmed();
        return;
    }
    event->ignore();
    askAboutQuitting();
}

void MainWindow::askAboutQuitting() {
    NoticeBar& notice = previewPanel_->notice();
    notice.showNotice(NoticeBar::Kind::Warning,
                      tr("A job is running; quitting ends it and nothing is saved."),
                      {{tr("Cancel and quit"), [this] { Q_EMIT quitConfirmed(); }},
                       {tr("Stay"), [&notice] { notice.dismiss(); }}});
}

} // namespace reelmesh
