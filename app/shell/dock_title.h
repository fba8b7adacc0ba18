// The head of a dock: name, the panel's own actions, float and close. While the dock is tabbed its tab is the
// title, and this one has no height. Follows its dock. GUI thread.
#pragma once

#include <QWidget>

class QAction;
class QDockWidget;
class QLabel;
class QToolButton;

namespace reelmesh {

class DockTitle : public QWidget {
    Q_OBJECT

public:
    DockTitle(QDockWidget& dock, const QList<QAction*>& actions);

    /// Follows what the layout of docks did.
    void refresh();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool isTabbed() const;

    QDockWidget& dock_;
    QLabel* name_;
    QToolButton* float_;
    QToolButton* close_;
    bool tabbed_ = false;
};

} // namespace reelmesh
