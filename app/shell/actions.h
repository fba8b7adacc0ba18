// What the user can do, once: text, icon, shortcut and object name of each action, shared by menu,
// tool bar and panels. GUI thread; the actions belong to the parent.
#pragma once

class QAction;
class QWidget;

namespace reelmesh {

struct Actions {
    QAction* generate;
    QAction* stop;
    QAction* play;
    QAction* outputFolder;
    QAction* quit;
};

Actions makeActions(QWidget* parent);

} // namespace reelmesh
