// What a panel shows while it has nothing: an icon, one sentence, and a button if there is something
// to do about it. Knows no model. GUI thread.
#pragma once

#include <QWidget>

class QAction;
class QLabel;

namespace reelmesh {

class EmptyState : public QWidget {
    Q_OBJECT

public:
    struct Content {
        QString icon; ///< "": none
        QString sentence;
        QAction* action = nullptr; ///< nullptr: no button
        bool mainAction = true;    ///< the one filled button of its view
    };

    explicit EmptyState(const Content& content, QWidget* parent = nullptr);
    void setSentence(const QString& sentence);

private:
    QLabel* sentence_;
};

} // namespace reelmesh
