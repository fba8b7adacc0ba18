// A dockable panel as the shell sees it. Plain values.
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

class QAction;
class QWidget;

namespace reelmesh {

struct Panel {
    const char* name = nullptr; ///< object name of the dock: "dockPrompt"
    QString title;
    QKeySequence key;           ///< shows, raises and focuses it; from inside, it leads back to the viewer
    QWidget* content = nullptr; ///< owned by the dock
    QList<QAction*> actions;    ///< shown in the title
};

} // namespace reelmesh
