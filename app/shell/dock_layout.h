// The docks around the viewer and their three workspaces: what is shown where by default, what the user made
// of it, and how both come back. Each workspace keeps its own arrangement. GUI thread; the window outlives
// it.
#pragma once

#include <QJsonObject>
#include <QList>
#include <QMainWindow>
#include <QMap>
#include <QTimer>

#include "shell/panel.h"
#include "shell/workspace.h"

class QDockWidget;

namespace reelmesh {

class DockTitle;

class DockLayout : public QObject {
    Q_OBJECT

public:
    DockLayout(QMainWindow& window, const QList<Panel>& panels);

    Workspace workspace() const { return workspace_; }
    void setWorkspace(Workspace workspace);
    /// The workspace in force as it was first.
    void reset();
    bool isLocked() const { return locked_; }
    void setLocked(bool locked);

    const QList<QDockWidget*>& docks() const { return docks_; }
    QDockWidget* dock(const QString& name) const;
    /// Shows, raises and focuses; the first child that takes focus gets it.
    void raise(QDockWidget& dock);
    /// The same, and leaves the focus where it is.
    void show(const QString& name);
    /// Shown, and not behind another one's tab.
    bool isInView(const QDockWidget& dock) const;
    /// Docks on screen, in reading order.
    QList<QDockWidget*> visibleDocks() const;

    /// Arrangements of all workspaces; read from a file that may be of another version or damaged.
    QJsonObject save();
    void restore(const QJsonObject& layouts);
    /// To be called once when the window has its size.
    void begin();

Q_SIGNALS:
    void workspaceChanged(reelmesh::Workspace workspace);
    /// The user moved something, a second ago.
    void changed();

private:
    /// What Qt says of an arrangement, and the window's size then.
    struct State {
        QByteArray docks;
        QSize window;
    };

    State state() const;
    bool fits(const State& state) const;
    /// Columns and rows as wide as by default, for the window as it is.
    void setSizes(Workspace workspace);
    void arrange(Workspace workspace);
    void arrangeCompose();
    void arrangeObserve();
    void arrangeReview();
    void place(const QString& name, Qt::DockWidgetArea area, Qt::Orientation orientation);
    void tab(const QString& first, const QString& second);
    void resize(const QStringList& names, const QList<int>& sizes, Qt::Orientation orientation);
    void setBottomCorners(bool bottomOwns);
    void noteChange();
    void refreshTitles();
    void keepOnScreen();

    QMainWindow& window_;
    QList<QDockWidget*> docks_;
    QList<DockTitle*> titles_;
    QMap<Workspace, State> states_;
    Workspace workspace_ = Workspace::Compose;
    bool locked_ = false;
    bool arranging_ = false;
    bool begun_ = false;
    QTimer changeTimer_, titleTimer_;
};

} // namespace reelmesh
