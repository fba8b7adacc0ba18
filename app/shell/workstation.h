// Puts the program together: a session's models, the panels that show them, the window around them, and what
// each action does. GUI thread; the session outlives it.
#pragma once

#include <QImage>
#include <QObject>

#include <cstdint>
#include <memory>
#include <optional>

#include "shell/main_window.h"

namespace reelmesh {

class DevicePanel;
class ExportSheet;
class LogPanel;
class MeshPanel;
class ParametersPanel;
class PreviewPanel;
class PromptPanel;
class QueuePanel;
class Session;
class SettingsPanel;
class TimelinePanel;
struct Error;
struct JobReport;
struct JobRequest;

class Workstation : public QObject {
    Q_OBJECT

public:
    explicit Workstation(Session& session);
    ~Workstation() override;

    MainWindow& window() { return *window_; }
    Actions& actions() { return actions_; }
    /// A sentence about something that went wrong outside of jobs.
    void showProblem(const QString& sentence);
    /// The strip of the first run, until it is closed.
    void welcome();

Q_SIGNALS:
    /// After this the event loop should end; a running job is cut short.
    void quitConfirmed();

private:
    QList<Panel> makePanels();
    void connectSession();
    void connectJobActions();
    void connectViewActions();
    void connectFileActions();
    void updateJobActions();
    void updateMesh();
    void updateTitle();
    void generate();
    void leadToFault();
    void togglePause();
    int runningRow() const;
    void showEnd(const JobReport& report);
    void showExport();
    void feedExport();
    void saveFrame(const QImage& frame, int number, const JobRequest& request);
    void showSettings();
    void showAbout();
    void copyReport();
    void chooseOutputFolder();
    void chooseModelFolder();
    /// Quits, or asks while something runs; the wish stands until the user stays, and is met when all is
    /// over.
    void leave();
    void leaveLater();

    Session& session_;
    Actions actions_;
    PromptPanel* prompt_ = nullptr;
    ParametersPanel* parameters_ = nullptr;
    MeshPanel* mesh_ = nullptr;
    TimelinePanel* timeline_ = nullptr;
    DevicePanel* devices_ = nullptr;
    QueuePanel* queue_ = nullptr;
    LogPanel* log_ = nullptr;
    PreviewPanel* viewer_ = nullptr;
    ExportSheet* export_ = nullptr;
    std::unique_ptr<MainWindow> window_;
    bool leaving_ = false;
    SettingsPanel* settings_ = nullptr; ///< made when it is first asked for
    std::optional<std::uint64_t>
        exported_; ///< key of the job in the export sheet; 0: told that there is none
};

} // namespace reelmesh
