// The frame of the program: viewer in the middle, panels docked around it in three workspaces, menus, tool
// bar, status bar, full screen and the ways of the focus. Knows panels only as widgets; what actions do is
// connected by the workstation. GUI thread.
#pragma once

#include <QList>
#include <QMainWindow>

#include "shell/actions.h"
#include "shell/dock_layout.h"
#include "shell/panel.h"
#include "shell/status_bar.h"
#include "shell/tool_bar.h"

namespace reelmesh {

class JobStatus;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    struct Content {
        QWidget* viewer = nullptr; ///< owned by the window
        QList<Panel> panels;
    };

    MainWindow(Actions& actions, const Content& content, JobStatus& status);

    Actions& actions() { return actions_; }
    DockLayout& layoutOfDocks() { return *docks_; }
    ToolBar& tools() { return *tools_; }
    StatusBar& status() { return *status_; }
    /// Of a dock by its object name.
    void showPanel(const QString& name);
    void focusViewer();

Q_SIGNALS:
    /// The user wants to leave; nothing has ended yet.
    void closeAsked();

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeMenus();
    QAction* addPanelAction(QMenu& menu, const Panel& panel);
    void togglePanel(QDockWidget& dock);
    void walkPanels(int direction);
    void setFullScreen(bool full);
    void showWorkspace(Workspace workspace);

    Actions& actions_;
    QWidget* viewer_;
    DockLayout* docks_;
    ToolBar* tools_;
    StatusBar* status_;
    QList<Panel> panels_;
};

} // namespace reelmesh
