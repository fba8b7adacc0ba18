#include "dock_title.h"

#include <QAction>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

QToolButton* makeButton(const QString& name, const char* iconName, const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setProperty("role", "flat");
    button->setIcon(icon(iconName, IconTint::Muted));
    button->setIconSize({14, 14});
    button->setFixedSize(22, 20);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

} // namespace

DockTitle::DockTitle(QDockWidget& dock, const QList<QAction*>& actions)
    : QWidget(&dock), dock_(dock), name_(new QLabel(dock.windowTitle())),
      float_(makeButton(dock.objectName() + "Float", "float",
                        tr("Detach or attach %1").arg(dock.windowTitle()))),
      close_(makeButton(dock.objectName() + "Close", "close", tr("Close %1").arg(dock.windowTitle()))) {
    name_->setFont(metrics::textFont(metrics::kBaseText, QFont::DemiBold));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kGap, 0);
    row->setSpacing(0);
    row->addWidget(name_);
    row->addStretch();
    for (QAction* action : actions) {
        QToolButton* button = makeButton(action->objectName(), "more", action->toolTip());
        button->setDefaultAction(action);
        if (action->menu()) button->setPopupMode(QToolButton::InstantPopup);
        row->addWidget(button);
    }
    row->addWidget(float_);
    row->addWidget(close_);
    connect(float_, &QToolButton::clicked, this, [this] { dock_.setFloating(!dock_.isFloating()); });
    connect(close_, &QToolButton::clicked, &dock_, &QDockWidget::close);
    connect(&dock_, &QDockWidget::windowTitleChanged, name_, &QLabel::setText);
    connect(&dock_, &QDockWidget::featuresChanged, this, &DockTitle::refresh);
    refresh();
}

bool DockTitle::isTabbed() const {
    const auto* window = qobject_cast<const QMainWindow*>(dock_.parentWidget());
    if (!window || dock_.isFloating()) return false;
    // Closed docks keep their place among the tabs.
    const QList<QDockWidget*> others = window->tabifiedDockWidgets(&dock_);
    return std::any_of(others.begin(), others.end(),
                       [](const QDockWidget* other) { return !other->isHidden(); });
}

void DockTitle::refresh() {
    const QDockWidget::DockWidgetFeatures features = dock_.features();
    float_->setVisible(features & QDockWidget::DockWidgetFloatable);
    close_->setVisible(features & QDockWidget::DockWidgetClosable);
    const bool tabbed = isTabbed();
    if (tabbed == tabbed_) return;
    tabbed_ = tabbed;
    updateGeometry();
}

QSize DockTitle::sizeHint() const {
    return {60, tabbed_ ? 0 : metrics::kPanelTitle};
}

void DockTitle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = tokens(palette());
    painter.fillRect(rect(), t.bar);
    painter.fillRect(0, height() - 1, width(), 1, t.border);
}

} // namespace reelmesh
