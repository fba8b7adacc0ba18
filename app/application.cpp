#include "application.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QTimer>

#include <clocale>

#include "bridge/engine_client.h"
#include "bridge/engine_library.h"
#include "models/generation.h"
#include "shell/heartbeat.h"
#include "shell/main_window.h"
#include "shell/ui_map.h"
#include "shell/unix_signals.h"
#include "shell/window_place.h"
#include "theme/style.h"

namespace reelmesh {
namespace {

constexpr int kCutShort = 130;
constexpr unsigned kLongestExit_s = 5;
constexpr int kLongestCancel_ms = 3000;

QString defaultOutputFolder() {
    return QStandardPaths::writableLocation(QStandardPaths::MoviesLocation) + "/Reelmesh";
}

} // namespace

Application::Application(int& argc, char** argv, const Options& options)
    : QApplication(argc, argv), options_(options) {
    // QApplication sets the user's locale; a decimal comma would reach every strtod and printf.
    std::setlocale(LC_NUMERIC, "C");
    setDesktopFileName("org.reelmesh.Reelmesh");
    setQuitOnLastWindowClosed(false);
    applyTheme(*this, options_.theme);
    if (!options_.heartbeat.isEmpty()) heartbeat_ = std::make_unique<Heartbeat>(options_.heartbeat);
    signals_ = std::make_unique<UnixSignals>();
    client_ = std::make_unique<EngineClient>();
    generation_ = std::make_unique<Generation>(*client_);
    loadFirstRun();
    window_ = std::make_unique<MainWindow>(*generation_);
    if (!options_.uiMap.isEmpty()) uiMap_ = std::make_unique<UiMap>(*window_, options_.uiMap);
    connect(window_.get(), &MainWindow::quitConfirmed, this, &Application::end);
    connect(signals_.get(), &UnixSignals::received, this, &Application::onSignal);
}

Application::~Application() {
    UnixSignals::exitWithin(kLongestExit_s, exitCode_);
    uiMap_.reset();
    window_.reset();
    generation_.reset();
    client_.reset();
    heartbeat_.reset();
}

int Application::run() {
    placeWindow();
    window_->installEventFilter(this);
    window_->show();
    exec();
    return exitCode_;
}

bool Application::notify(QObject* receiver, QEvent* event) {
    if (!heartbeat_ || handlerDepth_ > 0) return QApplication::notify(receiver, event);
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
        window_->removeEventFilter(this);
        QTimer::singleShot(0, this, &Application::openEngine);
    }
    return QApplication::eventFilter(watched, event);
}

void Application::loadFirstRun() {
    QFile preset(":/presets/first_run.json");
    if (!preset.open(QIODevice::ReadOnly)) qFatal("the first preset is not in the program");
    RequestDraft& draft = generation_->draft();
    if (const auto loaded = draft.load(preset.readAll(), "first_run.json"); !loaded)
        qFatal("%s", error_message(loaded.error()).c_str());
    draft.setOutputFolder(options_.outputFolder.isEmpty() ? defaultOutputFolder()
                                                          : QDir(options_.outputFolder).absolutePath());
}

QString Application::layoutFile() const {
    const QString folder =
        options_.configFolder.isEmpty()
            ? QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + "/reelmesh"
            : options_.configFolder;
    return folder + "/layouts.json";
}

void Application::placeWindow() {
    if (!options_.geometry) return restoreWindowPlace(*window_, layoutFile());
    window_->resize(options_.geometry->size);
    if (options_.geometry->position) window_->move(*options_.geometry->position);
}

void Application::openEngine() {
    const auto places = options_.engine.isEmpty() ? engineLibraryPlaces(applicationDirPath().toStdString())
                                                  : std::vector<std::string>{options_.engine.toStdString()};
    client_->open([places] { return openEngineLibrary(places); });
}

void Application::onSignal() {
    if (!generation_->status().isActive()) return end();
    exitCode_ = kCutShort;
    // Through the cancel gate, so that the engine can keep what it has.
    connect(generation_.get(), &Generation::ended, this, &Application::end);
    QTimer::singleShot(kLongestCancel_ms, this, &Application::end);
    generation_->cancel();
}

void Application::end() {
    saveWindowPlace(*window_, layoutFile());
    window_->hide();
    exit(exitCode_);
}

} // namespace reelmesh
