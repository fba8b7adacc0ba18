#include "tool_bar.h"

#include <QActionGroup>
#include <QFrame>
#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include "shell/actions.h"
#include "theme/icons.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

QWidget* makeGroup(QWidget* parent) {
    auto* group = new QWidget(parent);
    auto* row = new QHBoxLayout(group);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 0);
    row->setSpacing(metrics::kGroupGap);
    // The bar is as high as what is in it: the style's own margins differ from desktop to desktop.
    group->setFixedHeight(metrics::kToolBar);
    return group;
}

QToolButton* makeButton(const QString& name) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFixedHeight(metrics::kToolButton);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

} // namespace

ToolBar::ToolBar(const Actions& actions, QWidget* parent) : QToolBar(parent) {
    setObjectName("toolBar");
    setWindowTitle(tr("Tools"));
    setMovable(false);
    setIconSize({metrics::kIcon, metrics::kIcon});
    setContextMenuPolicy(Qt::PreventContextMenu);

    left_ = makeGroup(this);
    generate_ =
        addMenuButton(actions[Act::Generate],
                      {&actions[Act::Generate], &actions[Act::AddToQueue], &actions[Act::AddToFront]}, left_);
    generate_->setProperty("role", "main");
    addMenuButton(actions[Act::Pause], {&actions[Act::Pause], &actions[Act::PauseAfter]}, left_);
    QToolButton* stop =
        addMenuButton(actions[Act::Cancel], {&actions[Act::Cancel], &actions[Act::StopAndDecode]}, left_);
    stop->setObjectName("actStop");
    addWidget(left_);

    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(space);

    right_ = makeGroup(this);
    mesh_ = makeButton("barMesh");
    mesh_->setToolTip(tr("The mesh of the draft; opens the mesh panel"));
    mesh_->setAccessibleName(tr("Mesh"));
    connect(mesh_, &QToolButton::clicked, this, &ToolBar::meshClicked);
    right_->layout()->addWidget(mesh_);
    QToolButton* settings = makeButton("barSettings");
    settings->setToolButtonStyle(Qt::ToolButtonIconOnly);
    settings->setDefaultAction(&actions[Act::Settings]);
    settings->setProperty("role", "flat");
    settings->setFixedWidth(metrics::kToolButton);
    right_->layout()->addWidget(settings);
    addWidget(right_);

    workspaces_ = makeWorkspaces(actions);
    setMesh(tr("–"), "cpu");
}

QToolButton* ToolBar::addButton(QAction& action, QWidget* to) {
    QToolButton* button = makeButton(action.objectName());
    button->setDefaultAction(&action);
    to->layout()->addWidget(button);
    return button;
}

QToolButton* ToolBar::addMenuButton(QAction& action, const QList<QAction*>& menu, QWidget* to) {
    QToolButton* button = addButton(action, to);
    auto* choices = new QMenu(button);
    choices->addActions(menu);
    for (QAction* choice : menu)
        choice->setIconVisibleInMenu(false);
    button->setMenu(choices);
    button->setPopupMode(QToolButton::MenuButtonPopup);
    return button;
}

QWidget* ToolBar::makeWorkspaces(const Actions& actions) {
    // Not in the bar's row: it stands in the middle of the window whatever is at its sides.
    auto* frame = new QFrame(this);
    frame->setProperty("role", "segments");
    auto* row = new QHBoxLayout(frame);
    row->setContentsMargins(1, 1, 1, 1);
    row->setSpacing(0);
    auto* group = new QActionGroup(this);
    for (const Act act : {Act::Compose, Act::Observe, Act::Review}) {
        QToolButton* button = addButton(actions[act], frame);
        button->setProperty("role", "segment");
        button->setFixedHeight(24);
        group->addAction(&actions[act]);
    }
    return frame;
}

void ToolBar::setGenerateText(const QString& text) {
    generate_->defaultAction()->setText(text);
    placeWorkspaces();
}

void ToolBar::setMesh(const QString& text, const QString& iconName) {
    mesh_->setIcon(icon(iconName));
    mesh_->setText(text);
    mesh_->setAccessibleDescription(text);
}

void ToolBar::resizeEvent(QResizeEvent* event) {
    QToolBar::resizeEvent(event);
    placeWorkspaces();
}

void ToolBar::placeWorkspaces() {
    const QSize size = workspaces_->sizeHint();
    // In the middle, or as near to it as the neighbours allow.
    const int least = metrics::kPadding * 2 + left_->sizeHint().width();
    const int most = width() - metrics::kPadding * 2 - right_->sizeHint().width() - size.width();
    const int left = std::max(least, std::min((width() - size.width()) / 2, most));
    workspaces_->setGeometry(left, left_->y() + (left_->height() - size.height()) / 2, size.width(),
                             size.height());
    workspaces_->raise();
}

} // namespace reelmesh
