#include "main_window.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>

#include <array>
#include <optional>

#include "theme/icons.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

constexpr QSize kLeastSize{1024, 640};
constexpr QSize kFirstSize{1280, 800};

} // namespace

MainWindow::MainWindow(Actions& actions, const Content& content, JobStatus& status)
    : actions_(actions), viewer_(content.viewer), docks_(new DockLayout(*this, content.panels)),
      tools_(new ToolBar(actions_, this)), status_(new StatusBar(status, this)), panels_(content.panels) {
    setWindowTitle(tr("Reelmesh"));
    setWindowIcon(applicationIcon());
    setMinimumSize(kLeastSize);
    resize(kFirstSize);
    viewer_->setAutoFillBackground(true);
    setCentralWidget(viewer_);
    addToolBar(tools_);
    setStatusBar(status_);
    makeMenus();
    for (int i = 0; i < kActs; ++i)
        addAction(&actions_[static_cast<Act>(i)]);

    const auto workspaceOf = [this](Act act, Workspace workspace) {
        connect(&actions_[act], &QAction::triggered, this,
                [this, workspace] { docks_->setWorkspace(workspace); });
    };
    workspaceOf(Act::Compose, Workspace::Compose);
    workspaceOf(Act::Observe, Workspace::Observe);
    workspaceOf(Act::Review, Workspace::Review);
    const Actions& act = actions_;
    connect(docks_, &DockLayout::workspaceChanged, this, &MainWindow::showWorkspace);
    connect(&act[Act::LockLayout], &QAction::toggled, docks_, &DockLayout::setLocked);
    connect(&act[Act::ResetLayout], &QAction::triggered, docks_, &DockLayout::reset);
    connect(&act[Act::FullScreen], &QAction::toggled, this, &MainWindow::setFullScreen);
    connect(&act[Act::NextPanel], &QAction::triggered, this, [this] { walkPanels(1); });
    connect(&act[Act::PreviousPanel], &QAction::triggered, this, [this] { walkPanels(-1); });
    connect(&act[Act::Quit], &QAction::triggered, this, &QWidget::close);
    connect(tools_, &ToolBar::meshClicked, this, [this] { showPanel("dockMesh"); });
    showWorkspace(docks_->workspace());
}

void MainWindow::makeMenus() {
    const Actions& act = actions_;
    const auto fill = [&](QMenu& menu, std::initializer_list<std::optional<Act>> entries) {
        for (const std::optional<Act>& entry : entries) {
            if (entry)
                menu.addAction(&act[*entry]);
            else
                menu.addSeparator();
        }
    };
    using enum Act;
    constexpr std::nullopt_t line = std::nullopt;
    fill(*menuBar()->addMenu(tr("&File")), {OpenTrace, SaveTrace, line, Act::Export, SaveFrame, line,
                                            OutputFolder, ShowOutput, AddModelFolder, line, Quit});
    fill(*menuBar()->addMenu(tr("&Edit")), {CopyFrame, CopyJob, line, Act::Settings});
    QMenu* view = menuBar()->addMenu(tr("&View"));
    auto* toViewer = new QAction(tr("Viewer"), this);
    toViewer->setObjectName("actViewer");
    toViewer->setShortcut(Qt::CTRL | Qt::Key_0);
    connect(toViewer, &QAction::triggered, this, &MainWindow::focusViewer);
    addAction(toViewer);
    view->addAction(toViewer);
    for (const Panel& panel : panels_)
        view->addAction(addPanelAction(*view, panel));
    view->addSeparator();
    fill(*view, {Compose, Observe, Act::Review, line});
    QMenu* themes = view->addMenu(tr("Colours"));
    auto* group = new QActionGroup(this);
    for (const Act theme : {ThemeDark, ThemeLight, ThemeSystem}) {
        group->addAction(&act[theme]);
        themes->addAction(&act[theme]);
    }
    fill(*view, {line, LockLayout, ResetLayout, line, NextPanel, PreviousPanel, FullScreen});
    fill(*menuBar()->addMenu(tr("&Job")),
         {Generate, AddToQueue, AddToFront, line, Pause, PauseAfter, line, Cancel, StopAndDecode});
    fill(*menuBar()->addMenu(tr("&Mesh")), {MeshAuto, MeshCopy, line, MeshParity});
    fill(*menuBar()->addMenu(tr("&Help")), {Keys, line, CopyReport, About});
}

QAction* MainWindow::addPanelAction(QMenu& menu, const Panel& panel) {
    QDockWidget* dock = docks_->dock(panel.name);
    auto* action = new QAction(panel.title, &menu);
    action->setObjectName("act" + QString(panel.name));
    action->setShortcut(panel.key);
    action->setCheckable(true);
    addAction(action);
    connect(action, &QAction::triggered, this, [this, dock] { togglePanel(*dock); });
    connect(dock, &QDockWidget::visibilityChanged, action,
            [dock, action] { action->setChecked(!dock->isHidden()); });
    return action;
}

void MainWindow::togglePanel(QDockWidget& dock) {
    const QWidget* focused = QApplication::focusWidget();
    if (dock.isVisible() && focused && dock.isAncestorOf(focused)) return focusViewer();
    docks_->raise(dock);
}

void MainWindow::showPanel(const QString& name) {
    if (QDockWidget* dock = docks_->dock(name)) docks_->raise(*dock);
}

void MainWindow::focusViewer() {
    activateWindow();
    viewer_->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::walkPanels(int direction) {
    const QList<QDockWidget*> docks = docks_->visibleDocks();
    const QWidget* focused = QApplication::focusWidget();
    qsizetype at = -1; // the viewer
    for (qsizetype i = 0; i < docks.size(); ++i)
        if (focused && docks[i]->isAncestorOf(focused)) at = i;
    const qsizetype places = docks.size() + 1;
    const qsizetype next = (at + 1 + direction + places) % places - 1;
    if (next < 0) return focusViewer();
    docks_->raise(*docks[next]);
}

void MainWindow::setFullScreen(bool full) {
    setWindowState(full ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen);
}

void MainWindow::showWorkspace(Workspace workspace) {
    using enum Act;
    constexpr std::array acts{Compose, Observe, Review};
    actions_[acts[static_cast<std::size_t>(workspace)]].setChecked(true);
    actions_[LockLayout].setChecked(docks_->isLocked());
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (!event->spontaneous()) docks_->begin();
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && isFullScreen()) return actions_[Act::FullScreen].setChecked(false);
    QMainWindow::keyPressEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    event->ignore();
    Q_EMIT closeAsked();
}

} // namespace reelmesh
