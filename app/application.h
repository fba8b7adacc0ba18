// The composition root: engine client, models, window, and how they start and end. The engine is
// opened only after the window has been painted once. GUI thread.
#pragma once

#include <QApplication>

#include <memory>

#include "options.h"

namespace reelmesh {

class EngineClient;
class Heartbeat;
class Session;
class Settings;
class SystemTheme;
class UiMap;
class UnixSignals;
class Workstation;

class Application : public QApplication {
    Q_OBJECT

public:
    Application(int& argc, char** argv, const Options& options);
    ~Application() override;

    /// Shows the window and runs until it is closed: the process's exit code.
    int run();

    bool notify(QObject* receiver, QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void setOutputFolder();
    void placeWindow();
    void saveLayout();
    void showTheme();
    void openEngine();
    void onSignal();
    void end();

    Options options_;
    std::unique_ptr<Heartbeat> heartbeat_;
    std::unique_ptr<UnixSignals> signals_;
    std::unique_ptr<EngineClient> client_;
    std::unique_ptr<Settings> settings_;
    std::unique_ptr<SystemTheme> systemTheme_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<Workstation> workstation_;
    std::unique_ptr<UiMap> uiMap_;
    std::optional<Theme> shownTheme_;
    int exitCode_ = 0;
    int handlerDepth_ = 0;
};

} // namespace reelmesh
