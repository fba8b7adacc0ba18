#include "application.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QStandardPaths>
#include <QThread>
#include <QTimer>

#include <clocale>

#include "bridge/engine_client.h"
#include "bridge/engine_library.h"
#include "models/session.h"
#include "shell/heartbeat.h"
#include "shell/ui_map.h"
#include "shell/unix_signals.h"
#include "shell/window_place.h"
#include "shell/workstation.h"
#include "theme/style.h"
#include "theme/system_theme.h"

namespace reelmesh {
namespace {

constexpr int kCutShort = 130;
constexpr unsigned kLongestExit_s = 5;
constexpr int kLongestCancel_ms = 3000;

} // namespace

Application::Application(int& argc, char** argv, const Options& options)
    : QApplication(argc, argv), options_(options) {
    // QApplication sets the user's locale; a decimal comma would reach every strtod and printf.
    std::setlocale(LC_NUMERIC, "C");
    setDesktopFileName("org.reelmesh.Reelmesh");
    setQuitOnLastWindowClosed(false);
    settings_ = std::make_unique<Settings>(configFile(options_, "settings.json"));
    const QString problem = settings_->load();
    systemTheme_ = std::make_unique<SystemTheme>();
    connect(systemTheme_.get(), &SystemTheme::changed, this, &Application::showTheme);
    connect(settings_.get(), &Settings::changed, this, &Application::showTheme);
    showTheme();
    if (!options_.heartbeat.isEmpty()) heartbeat_ = std::make_unique<Heartbeat>(options_.heartbeat);
    signals_ = std::make_unique<UnixSignals>();
    client_ = std::make_unique<EngineClient>();
    session_ = std::make_unique<Session>(
        *client_, *settings_,
        SessionFiles{stateFile(options_, "draft.json"), stateFile(options_, "prompts.json"),
                     configFile(options_, "presets"), stateFile(options_, "reelmesh.log")});
    workstation_ = std::make_unique<Workstation>(*session_);
    setOutputFolder();
    session_->begin();
    workstation_->welcome();
    if (!problem.isEmpty()) workstation_->showProblem(problem);
    if (!options_.uiMap.isEmpty()) uiMap_ = std::make_unique<UiMap>(options_.uiMap);
    connect(workstation_.get(), &Workstation::quitConfirmed, this, &Application::end);
    connect(&workstation_->window().layoutOfDocks(), &DockLayout::changed, this, &Application::saveLayout);
    connect(signals_.get(), &UnixSignals::received, this, &Application::onSignal);
}

Application::~Application() {
    UnixSignals::exitWithin(kLongestExit_s, exitCode_);
    uiMap_.reset();
    workstation_.reset();
    session_.reset();
    client_.reset();
    settings_.reset();
    heartbeat_.reset();
}

int Application::run() {
    placeWindow();
    workstation_->window().installEventFilter(this);
    workstation_->window().show();
    exec();
    return exitCode_;
}

bool Application::notify(QObject* receiver, QEvent* event) {
    // Events of worker threads come by here as well; they hold nobody up.
    const bool isGui = QThread::currentThread() == thread();
    if (!isGui || !heartbeat_ || handlerDepth_ > 0) return QApplication::notify(receiver, event);
    // The receiver may be gone afterwards, its class and the type are not.
    const char* name = receiver->metaObject()->className();
    const int type = event->type();
    QElapsedTimer time;
    time.start();
    ++handlerDepth_;
    const bool handled = QApplication::notify(receiver, event);
    --handlerDepth_;
    heartbeat_->handlerDone(time.nsecsElapsed(), name, type);
    return handled;
}

bool Application::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Paint) {
        workstation_->window().removeEventFilter(this);
        QTimer::singleShot(0, this, &Application::openEngine);
    }
    return QApplication::eventFilter(watched, event);
}

void Application::setOutputFolder() {
    if (!options_.outputFolder.isEmpty())
        settings_->setOutputFolder(QDir(options_.outputFolder).absolutePath());
    else if (settings_->outputFolder().isEmpty())
        settings_->setOutputFolder(QStandardPaths::writableLocation(QStandardPaths::MoviesLocation) +
                                   "/Reelmesh");
}

void Application::showTheme() {
    using enum Settings::ThemeChoice;
    Theme theme = systemTheme_->theme();
    if (settings_->theme() != System) theme = settings_->theme() == Light ? Theme::Light : Theme::Dark;
    if (options_.theme) theme = *options_.theme;
    if (shownTheme_ == theme) return;
    shownTheme_ = theme;
    applyTheme(*this, theme);
}

void Application::placeWindow() {
    MainWindow& window = workstation_->window();
    QString problem;
    const SavedPlace place = readPlace(configFile(options_, "layouts.json"), problem);
    window.layoutOfDocks().restore(place.layouts);
    if (options_.workspace) window.layoutOfDocks().setWorkspace(*options_.workspace);
    if (!options_.geometry) return restoreGeometry(window, place.geometry);
    window.resize(options_.geometry->size);
    if (options_.geometry->position) window.move(*options_.geometry->position);
}

void Application::saveLayout() {
    MainWindow& window = workstation_->window();
    savePlace({window.saveGeometry(), window.layoutOfDocks().save()}, configFile(options_, "layouts.json"));
}

void Application::openEngine() {
    const auto places = options_.engine.isEmpty() ? engineLibraryPlaces(applicationDirPath().toStdString())
                                                  : std::vector<std::string>{options_.engine.toStdString()};
    EngineOptions engine;
    engine.log_file = stateFile(options_, "reelmesh.log").toStdString();
    QDir().mkpath(QFileInfo(stateFile(options_, "reelmesh.log")).absolutePath());
    client_->open([places, engine] { return openEngineLibrary(places, engine); });
}

void Application::onSignal() {
    JobListModel& jobs = session_->jobs;
    if (jobs.activeCount() == 0) return end();
    exitCode_ = kCutShort;
    // Through the cancel gate, so that the engine can keep what it has.
    connect(&jobs, &JobListModel::jobEnded, this, &Application::end);
    QTimer::singleShot(kLongestCancel_ms, this, &Application::end);
    jobs.clearWaiting();
    for (int row = 0; row < jobs.activeCount(); ++row)
        jobs.cancel(row);
}

void Application::end() {
    saveLayout();
    workstation_->window().hide();
    exit(exitCode_);
}

} // namespace reelmesh
