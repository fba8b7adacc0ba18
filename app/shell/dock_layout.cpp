#include "dock_layout.h"

#include <QAction>
#include <QDockWidget>
#include <QGuiApplication>
#include <QJsonArray>
#include <QScopedValueRollback>
#include <QScreen>
#include <QTabBar>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "shell/dock_title.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

/// Of saveState: an arrangement of another number is not restored.
constexpr int kStateVersion = 1;
constexpr int kChange_ms = 1000;
/// A window that differs by more than one part of so many is another one.
constexpr int kMostDifference = 8;

constexpr auto kAllFeatures =
    QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable;

} // namespace

DockLayout::DockLayout(QMainWindow& window, const QList<Panel>& panels) : QObject(&window), window_(window) {
    window_.setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
    window_.setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    window_.setDocumentMode(true);
    changeTimer_.setSingleShot(true);
    changeTimer_.setInterval(kChange_ms);
    connect(&changeTimer_, &QTimer::timeout, this, &DockLayout::changed);
    titleTimer_.setSingleShot(true);
    titleTimer_.setInterval(0);
    connect(&titleTimer_, &QTimer::timeout, this, &DockLayout::refreshTitles);
    for (const Panel& panel : panels) {
        auto* dock = new QDockWidget(panel.title, &window_);
        dock->setObjectName(panel.name);
        dock->setAccessibleName(panel.title);
        dock->setFeatures(kAllFeatures);
        panel.content->setAutoFillBackground(true);
        dock->setWidget(panel.content);
        auto* title = new DockTitle(*dock, panel.actions);
        dock->setTitleBarWidget(title);
        window_.addDockWidget(Qt::LeftDockWidgetArea, dock);
        docks_ << dock;
        titles_ << title;
        connect(dock, &QDockWidget::dockLocationChanged, this, &DockLayout::noteChange);
        connect(dock, &QDockWidget::visibilityChanged, this, &DockLayout::noteChange);
        connect(dock, &QDockWidget::topLevelChanged, this, &DockLayout::noteChange);
    }
}

QDockWidget* DockLayout::dock(const QString& name) const {
    const auto found = std::find_if(docks_.begin(), docks_.end(),
                                    [&](const QDockWidget* dock) { return dock->objectName() == name; });
    return found == docks_.end() ? nullptr : *found;
}

void DockLayout::begin() {
    begun_ = true;
    arrange(workspace_);
}

void DockLayout::setWorkspace(Workspace workspace) {
    if (workspace == workspace_) return;
    if (begun_) {
        states_[workspace_] = state();
        workspace_ = workspace;
        arrange(workspace);
        changeTimer_.start();
    }
    workspace_ = workspace;
    Q_EMIT workspaceChanged(workspace);
}

void DockLayout::reset() {
    states_.remove(workspace_);
    arrange(workspace_);
    changeTimer_.start();
}

void DockLayout::setLocked(bool locked) {
    locked_ = locked;
    for (QDockWidget* dock : docks_)
        dock->setFeatures(locked ? QDockWidget::DockWidgetClosable : kAllFeatures);
    changeTimer_.start();
}

void DockLayout::show(const QString& name) {
    QDockWidget* shown = dock(name);
    if (!shown) return;
    shown->show();
    shown->raise();
}

void DockLayout::raise(QDockWidget& dock) {
    dock.show();
    dock.raise();
    QWidget* target = dock.widget();
    if (target && target->focusPolicy() == Qt::NoFocus && !target->focusProxy()) {
        for (QWidget* child : target->findChildren<QWidget*>())
            if (child->isVisibleTo(target) && child->isEnabled() && (child->focusPolicy() & Qt::TabFocus)) {
                target = child;
                break;
            }
    }
    if (target) target->setFocus(Qt::TabFocusReason);
}

bool DockLayout::isInView(const QDockWidget& dock) const {
    // Docks behind a tab are visible in Qt's sense, but lie beside the window.
    return dock.isVisible() && (dock.isFloating() || window_.rect().intersects(dock.geometry()));
}

QList<QDockWidget*> DockLayout::visibleDocks() const {
    QList<QDockWidget*> visible;
    for (QDockWidget* dock : docks_)
        if (isInView(*dock)) visible << dock;
    std::stable_sort(visible.begin(), visible.end(), [](const QDockWidget* a, const QDockWidget* b) {
        const QPoint first = a->mapToGlobal(QPoint()), second = b->mapToGlobal(QPoint());
        return first.x() != second.x() ? first.x() < second.x() : first.y() < second.y();
    });
    return visible;
}

QJsonObject DockLayout::save() {
    states_[workspace_] = state();
    QJsonObject states, sizes;
    for (auto state = states_.begin(); state != states_.end(); ++state) {
        states[workspaceName(state.key())] = QString::fromLatin1(state->docks.toBase64());
        sizes[workspaceName(state.key())] = QJsonArray{state->window.width(), state->window.height()};
    }
    return {{"workspace", workspaceName(workspace_)},
            {"locked", locked_},
            {"docks", states},
            {"window_sizes", sizes}};
}

DockLayout::State DockLayout::state() const {
    return {window_.saveState(kStateVersion), window_.size()};
}

bool DockLayout::fits(const State& state) const {
    const auto near = [](int saved, int now) { return std::abs(now - saved) <= saved / kMostDifference; };
    return !state.window.isValid() ||
           (near(state.window.width(), window_.width()) && near(state.window.height(), window_.height()));
}

void DockLayout::restore(const QJsonObject& layouts) {
    const QJsonObject states = layouts["docks"].toObject(), sizes = layouts["window_sizes"].toObject();
    for (const Workspace workspace : kWorkspaces) {
        const QByteArray state =
            QByteArray::fromBase64(states[workspaceName(workspace)].toString().toLatin1());
        const QJsonArray size = sizes[workspaceName(workspace)].toArray();
        if (!state.isEmpty()) states_[workspace] = {state, QSize(size[0].toInt(-1), size[1].toInt(-1))};
    }
    workspace_ = workspaceOf(layouts["workspace"].toString()).value_or(workspace_);
    if (layouts["locked"].toBool()) setLocked(true);
}

void DockLayout::arrange(Workspace workspace) {
    const QScopedValueRollback<bool> guard(arranging_, true);
    setBottomCorners(workspace != Workspace::Compose);
    const State kept = states_.value(workspace);
    if (!kept.docks.isEmpty() && window_.restoreState(kept.docks, kStateVersion)) {
        // Widths are the docks' own: those of another window would leave the viewer none of this one.
        if (!fits(kept)) setSizes(workspace);
    } else {
        for (QDockWidget* dock : docks_) {
            dock->setFloating(false);
            window_.removeDockWidget(dock);
        }
        switch (workspace) {
        case Workspace::Compose: arrangeCompose(); break;
        case Workspace::Observe: arrangeObserve(); break;
        case Workspace::Review: arrangeReview(); break;
        }
        setSizes(workspace);
        // All of them belong to the window, shown or not: a saved state says nothing of docks that do not,
        // and restoring it would leave those where they are.
        for (QDockWidget* dock : docks_) {
            if (!dock->isHidden()) continue;
            window_.addDockWidget(Qt::RightDockWidgetArea, dock);
            dock->hide();
        }
    }
    setLocked(locked_);
    keepOnScreen();
    titleTimer_.start();
}

void DockLayout::arrangeCompose() {
    place("dockPrompt", Qt::LeftDockWidgetArea, Qt::Vertical);
    place("dockParameters", Qt::LeftDockWidgetArea, Qt::Vertical);
    place("dockQueue", Qt::RightDockWidgetArea, Qt::Vertical);
    place("dockMesh", Qt::RightDockWidgetArea, Qt::Vertical);
    tab("dockMesh", "dockDevices");
    place("dockTimeline", Qt::BottomDockWidgetArea, Qt::Horizontal);
    tab("dockTimeline", "dockLog");
}

void DockLayout::arrangeObserve() {
    place("dockMesh", Qt::LeftDockWidgetArea, Qt::Vertical);
    place("dockDevices", Qt::RightDockWidgetArea, Qt::Vertical);
    place("dockTimeline", Qt::BottomDockWidgetArea, Qt::Horizontal);
    tab("dockTimeline", "dockLog");
}

void DockLayout::arrangeReview() {
    place("dockQueue", Qt::BottomDockWidgetArea, Qt::Horizontal);
}

void DockLayout::setSizes(Workspace workspace) {
    const int width = window_.width(), height = window_.height();
    const metrics::Columns columns = metrics::columns(width);
    switch (workspace) {
    case Workspace::Compose:
        resize({"dockPrompt", "dockQueue"}, {columns.left, columns.right}, Qt::Horizontal);
        resize({"dockTimeline"}, {columns.bottom}, Qt::Vertical);
        resize({"dockPrompt", "dockParameters"}, {190, height - 190}, Qt::Vertical);
        resize({"dockQueue", "dockMesh"}, {height * 2 / 5, height * 3 / 5}, Qt::Vertical);
        break;
    case Workspace::Observe:
        resize({"dockMesh", "dockDevices"}, {width * 32 / 100, width * 36 / 100}, Qt::Horizontal);
        resize({"dockTimeline"}, {height / 2}, Qt::Vertical);
        break;
    case Workspace::Review: resize({"dockQueue"}, {height / 4}, Qt::Vertical); break;
    }
}

void DockLayout::place(const QString& name, Qt::DockWidgetArea area, Qt::Orientation orientation) {
    QDockWidget* placed = dock(name);
    if (!placed) return;
    window_.addDockWidget(area, placed, orientation);
    placed->show();
}

void DockLayout::tab(const QString& first, const QString& second) {
    QDockWidget *front = dock(first), *behind = dock(second);
    if (!front || !behind) return;
    window_.tabifyDockWidget(front, behind);
    behind->show();
    front->raise();
}

void DockLayout::resize(const QStringList& names, const QList<int>& sizes, Qt::Orientation orientation) {
    QList<QDockWidget*> docks;
    QList<int> known;
    for (qsizetype i = 0; i < names.size(); ++i) {
        if (!dock(names[i])) continue;
        docks << dock(names[i]);
        known << sizes[i];
    }
    window_.resizeDocks(docks, known, orientation);
}

void DockLayout::setBottomCorners(bool bottomOwns) {
    window_.setCorner(Qt::BottomLeftCorner, bottomOwns ? Qt::BottomDockWidgetArea : Qt::LeftDockWidgetArea);
    window_.setCorner(Qt::BottomRightCorner, bottomOwns ? Qt::BottomDockWidgetArea : Qt::RightDockWidgetArea);
}

void DockLayout::noteChange() {
    titleTimer_.start();
    if (begun_ && !arranging_) changeTimer_.start();
}

void DockLayout::refreshTitles() {
    for (DockTitle* title : titles_)
        title->refresh();
    for (QTabBar* bar : window_.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setDrawBase(false);
        bar->setExpanding(false);
        bar->setElideMode(Qt::ElideRight);
        bar->setFocusPolicy(Qt::TabFocus);
        if (bar->accessibleName().isEmpty()) bar->setAccessibleName(tr("Panels that share a place"));
    }
}

void DockLayout::keepOnScreen() {
    for (QDockWidget* dock : docks_) {
        if (!dock->isFloating()) continue;
        const QScreen* screen = QGuiApplication::screenAt(dock->frameGeometry().center());
        if (!screen) screen = window_.screen();
        const QRect room = screen->availableGeometry();
        QRect place = dock->frameGeometry();
        place.setSize(place.size().boundedTo(room.size()));
        place.moveLeft(std::clamp(place.left(), room.left(), room.right() - place.width() + 1));
        place.moveTop(std::clamp(place.top(), room.top(), room.bottom() - place.height() + 1));
        dock->setGeometry(place);
    }
}

} // namespace reelmesh
