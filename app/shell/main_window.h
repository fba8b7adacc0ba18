// The window: menus, tool bar, panels, status bar, and the few decisions that need all of them.
// GUI thread; the generation outlives it.
#pragma once

#include <QMainWindow>

#include "shell/actions.h"

namespace reelmesh {

class Generation;
class PreviewPanel;
class PromptPanel;
struct Error;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(Generation& generation, QWidget* parent = nullptr);

Q_SIGNALS:
    /// After this the event loop should end; a running job is cut short.
    void quitConfirmed();

protected:
    void closeEvent(QCloseEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void makeMenus();
    void makeToolBar();
    void makePanels();
    void connectActions();
    void updateActions();
    void showError(const Error& error);
    void showSaved(const QString& path, const QStringList& notices);
    void chooseOutputFolder();
    void askAboutQuitting();

    Generation& generation_;
    Actions actions_;
    PromptPanel* promptPanel_ = nullptr;
    PreviewPanel* previewPanel_ = nullptr;
};

} // namespace reelmesh
