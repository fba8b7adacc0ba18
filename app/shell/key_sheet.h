// All keys on one page, made from the actions and the panels' own keys, and what the program is made of.
// Windows of their own that do not block. GUI thread.
#pragma once

#include <QList>
#include <QString>
#include <QWidget>

namespace reelmesh {

class Actions;

/// A heading and its rows of key and meaning.
struct KeyGroup {
    QString title;
    QList<std::pair<QString, QString>> rows;
};

/// Those of the actions that have keys, then those that act only inside a panel.
QList<KeyGroup> keyGroups(const Actions& actions);

class KeySheet : public QWidget {
    Q_OBJECT

public:
    KeySheet(const QList<KeyGroup>& groups, QWidget* parent);
};

} // namespace reelmesh
