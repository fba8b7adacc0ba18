// The bar below the menus: what starts and stops jobs, the three workspaces, the mesh in force, settings.
// GUI thread; the actions outlive it.
#pragma once

#include <QToolBar>

class QToolButton;

namespace reelmesh {

class Actions;

class ToolBar : public QToolBar {
    Q_OBJECT

public:
    explicit ToolBar(const Actions& actions, QWidget* parent = nullptr);

    /// "Generate", "Generate 5".
    void setGenerateText(const QString& text);
    /// "CFG 2 × U 4 · 8 GPUs"; icon: "gpu" or "cpu".
    void setMesh(const QString& text, const QString& icon);

Q_SIGNALS:
    void meshClicked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QToolButton* addButton(QAction& action, QWidget* to);
    QToolButton* addMenuButton(QAction& action, const QList<QAction*>& menu, QWidget* to);
    QWidget* makeWorkspaces(const Actions& actions);
    void placeWorkspaces();

    QToolButton* generate_;
    QToolButton* mesh_;
    QWidget* workspaces_;
    QWidget* left_;
    QWidget* right_;
};

} // namespace reelmesh
