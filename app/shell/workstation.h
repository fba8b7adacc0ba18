// Puts the program together: the models of a session, the panels that show them, the window around them, and
// what each action does. GUI thread; the client and the settings outlive it.
#pragma once

#include <QObject>

#include <memory>

#include "models/generation.h"
#include "shell/main_window.h"

namespace reelmesh {

class EngineClient;
class PreviewPanel;
class PromptPanel;
class Settings;

class Workstation : public QObject {
    Q_OBJECT

public:
    Workstation(EngineClient& client, Settings& settings);
    ~Workstation() override;

    MainWindow& window() { return *window_; }
    Generation& generation() { return generation_; }
    /// A sentence about something that went wrong outside of jobs.
    void showProblem(const QString& sentence);

Q_SIGNALS:
    /// After this the event loop should end; a running job is cut short.
    void quitConfirmed();

private:
    void connectActions();
    void updateActions();
    void showError(const Error& error);
    void showSaved(const QString& path, const QStringList& notices);
    void chooseOutputFolder();
    void askAboutQuitting();

    Settings& settings_;
    Generation generation_;
    Actions actions_;
    PromptPanel* promptPanel_ = nullptr;
    PreviewPanel* previewPanel_ = nullptr;
    std::unique_ptr<MainWindow> window_;
};

} // namespace reelmesh
