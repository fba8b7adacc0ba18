#include "workstation.h"

#include <QActionGroup>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QTimer>
#include <QUrl>

#include <cmath>

#include "bridge/frame_image.h"
#include "models/outcome.h"
#include "models/session.h"
#include "panels/device_panel.h"
#include "panels/export_sheet.h"
#include "panels/log_panel.h"
#include "panels/mesh_panel.h"
#include "panels/parameters_panel.h"
#include "panels/preview_panel.h"
#include "panels/prompt_panel.h"
#include "panels/queue_panel.h"
#include "panels/settings_panel.h"
#include "panels/timeline_panel.h"
#include "shell/about.h"
#include "shell/key_sheet.h"
#include "shell/show_in_folder.h"
#include "widgets/notice_bar.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

QKeySequence panelKey(Qt::Key key) {
    return {static_cast<int>(Qt::CTRL) | key};
}

} // namespace

Workstation::Workstation(Session& session) : session_(session) {
    viewer_ = new PreviewPanel({session_.preview, session_.run}, &actions_[Act::Generate]);
    export_ = new ExportSheet(session_.client, session_.exporting);
    viewer_->setSheet(export_);
    export_->hide();
    const QList<Panel> panels = makePanels();
    window_ =
        std::make_unique<MainWindow>(actions_, MainWindow::Content{viewer_, panels}, session_.jobs.status());
    connectSession();
    connectJobActions();
    connectViewActions();
    connectFileActions();
    updateJobActions();
    updateMesh();
    prompt_->focusPrompt();
}

Workstation::~Workstation() {
    delete settings_;
}

QList<Panel> Workstation::makePanels() {
    prompt_ = new PromptPanel({session_.draft, session_.tokens, session_.prompts});
    parameters_ = new ParametersPanel({session_.draft, session_.plan, session_.presets, session_.models});
    mesh_ = new MeshPanel({session_.draft, session_.meshChoice, session_.mesh, session_.planTable,
                           session_.parity, session_.focus});
    timeline_ = new TimelinePanel(session_.telemetry, session_.focus);
    devices_ = new DevicePanel(session_.load, session_.focus);
    queue_ = new QueuePanel(session_.jobs, &actions_[Act::AddToQueue]);
    log_ = new LogPanel(session_.log);
    log_->setLogFile(session_.files.log);
    return {
        {"dockPrompt", tr("Prompt"), panelKey(Qt::Key_1), prompt_, prompt_->titleActions()},
        {"dockParameters", tr("Parameters"), panelKey(Qt::Key_2), parameters_, parameters_->titleActions()},
        {"dockMesh", tr("Mesh"), panelKey(Qt::Key_3), mesh_, {}},
        {"dockTimeline", tr("Timeline"), panelKey(Qt::Key_4), timeline_, {}},
        {"dockDevices", tr("Device load"), panelKey(Qt::Key_5), devices_, {}},
        {"dockQueue", tr("Queue"), panelKey(Qt::Key_6), queue_, {}},
        {"dockLog", tr("Log"), panelKey(Qt::Key_QuoteLeft), log_, {}},
    };
}

void Workstation::connectSession() {
    JobListModel& jobs = session_.jobs;
    connect(&session_, &Session::problem, this, &Workstation::showProblem);
    connect(&session_.client, &EngineClient::openFailed, this,
            [this](const Error& error) { showProblem(QString::fromStdString(error_message(error))); });
    connect(&jobs, &JobListModel::jobStarted, &viewer_->notice(), &NoticeBar::dismiss);
    connect(&jobs, &JobListModel::jobEnded, this,
            [this](JobId, JobState state, const JobReport& report, const Error&) {
                if (state == JobState::Done) showEnd(report);
                leaveLater();
            });
    connect(&jobs, &JobListModel::jobStarted, this, &Workstation::leaveLater);
    connect(&session_.exporting, &ExportJob::changed, this, [this] {
        if (!session_.exporting.isRunning()) leaveLater();
    });
    connect(&viewer_->notice(), &NoticeBar::closed, this, [this] { leaving_ = false; });
    connect(&jobs, &JobListModel::summaryChanged, this, &Workstation::updateJobActions);
    connect(&jobs, &JobListModel::currentChanged, this, &Workstation::updateJobActions);
    connect(&jobs.status(), &JobStatus::changed, this, &Workstation::updateJobActions);
    connect(&session_.draft, &RequestDraft::changed, this, &Workstation::updateJobActions);
    connect(&session_.plan, &PlanModel::changed, this, &Workstation::updateMesh);
    connect(&session_.meshChoice, &MeshChoice::changed, this, &Workstation::updateMesh);
    connect(&session_.preview, &PreviewModel::changed, this, &Workstation::updateJobActions);
    connect(&session_.telemetry, &TelemetryStore::grown, this,
            [this] { window_->status().setDropped(session_.telemetry.dropped()); });
    connect(&session_.telemetry, &TelemetryStore::reset, this,
            [this] { window_->status().setDropped(session_.telemetry.dropped()); });
    connect(devices_, &DevicePanel::watchChanged, &session_.client, &EngineClient::watchLoad);
    connect(queue_, &QueuePanel::showInFolderRequested, this,
            [](const QString& path) { showInFolder(path); });
    connect(log_, &LogPanel::folderRequested, this, [](const QString& path) { showInFolder(path); });
    connect(parameters_, &ParametersPanel::addModelAsked, this, &Workstation::chooseModelFolder);
    connect(timeline_, &TimelinePanel::detailChanged, &session_.settings, &Settings::setTraceDetail);
    timeline_->setDetail(session_.settings.traceDetail());
}

void Workstation::connectJobActions() {
    const Actions& act = actions_;
    JobListModel& jobs = session_.jobs;
    connect(&act[Act::Generate], &QAction::triggered, this, &Workstation::generate);
    connect(&act[Act::AddToFront], &QAction::triggered, this, [this] {
        if (!session_.canGenerate()) return leadToFault();
        session_.generate(JobListModel::Place::Front);
    });
    connect(&act[Act::AddToQueue], &QAction::triggered, this, [this] {
        if (!session_.canGenerate()) return leadToFault();
        session_.queueOnly();
    });
    connect(&act[Act::Pause], &QAction::triggered, this, &Workstation::togglePause);
    connect(&act[Act::PauseAfter], &QAction::toggled, &jobs, &JobListModel::setHeld);
    connect(&act[Act::Cancel], &QAction::triggered, this, [this] {
        if (const int row = runningRow(); row >= 0) session_.jobs.cancel(row);
    });
    connect(&act[Act::StopAndDecode], &QAction::triggered, this, [this] {
        if (const int row = runningRow(); row >= 0) session_.jobs.stopAndDecode(row);
    });
    connect(&act[Act::MeshAuto], &QAction::triggered, this, [this](bool on) {
        session_.meshChoice.setMode(on ? MeshChoice::Mode::Auto : MeshChoice::Mode::Manual);
    });
    connect(&act[Act::MeshCopy], &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(session_.meshChoice.text()); });
    connect(&act[Act::MeshParity], &QAction::triggered, this, [this] {
        window_->showPanel("dockMesh");
        session_.parity.start(session_.draft.request(), session_.meshChoice.text());
    });
}

void Workstation::connectViewActions() {
    const Actions& act = actions_;
    using enum Settings::ThemeChoice;
    const auto themeOf = [this](Act which, Settings::ThemeChoice theme) {
        connect(&actions_[which], &QAction::triggered, this,
                [this, theme] { session_.settings.setTheme(theme); });
    };
    themeOf(Act::ThemeDark, Dark);
    themeOf(Act::ThemeLight, Light);
    themeOf(Act::ThemeSystem, System);
    const auto showTheme = [this] {
        constexpr std::array acts{Act::ThemeDark, Act::ThemeLight, Act::ThemeSystem};
        actions_[acts[static_cast<std::size_t>(session_.settings.theme())]].setChecked(true);
    };
    connect(&session_.settings, &Settings::changed, this, showTheme);
    showTheme();
    connect(&act[Act::Settings], &QAction::triggered, this, &Workstation::showSettings);
    connect(&act[Act::Keys], &QAction::triggered, this, [this] {
        auto* sheet = new KeySheet(keyGroups(actions_), window_.get());
        sheet->setAttribute(Qt::WA_DeleteOnClose);
        sheet->show();
    });
    connect(&act[Act::About], &QAction::triggered, this, &Workstation::showAbout);
    connect(&act[Act::CopyReport], &QAction::triggered, this, &Workstation::copyReport);
    connect(window_.get(), &MainWindow::closeAsked, this, &Workstation::leave);
}

void Workstation::connectFileActions() {
    const Actions& act = actions_;
    connect(&act[Act::Export], &QAction::triggered, this, &Workstation::showExport);
    connect(viewer_, &PreviewPanel::exportRequested, this, &Workstation::showExport);
    connect(export_, &ExportSheet::closeRequested, export_, &QWidget::hide);
    connect(export_, &ExportSheet::showInFolderRequested, this,
            [](const QString& path) { showInFolder(path); });
    connect(&act[Act::SaveFrame], &QAction::triggered, viewer_, &PreviewPanel::saveFrame);
    connect(&act[Act::CopyFrame], &QAction::triggered, viewer_, &PreviewPanel::copyFrame);
    connect(viewer_, &PreviewPanel::saveFrameRequested, this, &Workstation::saveFrame);
    connect(&act[Act::OpenTrace], &QAction::triggered, this, [this] {
        window_->showPanel("dockTimeline");
        timeline_->chooseTrace();
    });
    connect(&act[Act::SaveTrace], &QAction::triggered, this, [this] {
        window_->showPanel("dockTimeline");
        timeline_->chooseTarget(".reeltrace");
    });
    connect(&act[Act::OutputFolder], &QAction::triggered, this, &Workstation::chooseOutputFolder);
    connect(&act[Act::ShowOutput], &QAction::triggered, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(session_.draft.outputFolder())); });
    connect(&act[Act::AddModelFolder], &QAction::triggered, this, &Workstation::chooseModelFolder);
    connect(&act[Act::CopyJob], &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(
            QString::fromStdString(job_to_json(session_.draft.request(), JobScope::Whole)));
    });
}

int Workstation::runningRow() const {
    const int row = session_.jobs.currentRow();
    return row >= 0 && session_.jobs.activeCount() > 0 && !session_.jobs.job(row).hasEnded() ? row : -1;
}

void Workstation::updateJobActions() {
    JobListModel& jobs = session_.jobs;
    const int count = session_.draft.jobCount();
    window_->tools().setGenerateText(count > 1 ? tr("Generate %1").arg(count) : tr("Generate"));
    // Not disabled where the draft is wrong: it then leads to the cause.
    const QString whyNot = session_.whyNot();
    actions_[Act::Generate].setToolTip(whyNot.isEmpty() ? tr("Make the video of this prompt (Ctrl+Enter)")
                                                        : whyNot);

    const int row = runningRow();
    const QString none = tr("No job is running");
    const JobItem* running = row >= 0 ? &jobs.job(row) : nullptr;
    // A job that waits for the engine or its turn can be taken back as well.
    const bool waits = !running && jobs.waitingCount() > 0;
    const bool paused = running && (running->state == JobState::Paused || running->pausing);
    const bool stands = !running && jobs.isHeld() && jobs.waitingCount() > 0;
    actions_[Act::Pause].setText(paused ? tr("Resume") : stands ? tr("Start") : tr("Pause"));
    actions_.enable(Act::Pause, (running && !running->stopping) || stands,
                    running ? tr("The job is stopping") : none);
    actions_.enable(Act::Cancel, (running && !running->stopping) || waits,
                    running ? tr("The job is stopping") : none);
    const bool decodable =
        running && running->step > 0 && running->stage == Stage::Denoise && !running->stopping;
    actions_.enable(Act::StopAndDecode, decodable,
                    running ? tr("A step must be complete, and decoding not have begun") : none);
    actions_.enable(Act::PauseAfter, jobs.activeCount() + jobs.waitingCount() > 0, none);
    {
        const QSignalBlocker quiet(&actions_[Act::PauseAfter]);
        actions_[Act::PauseAfter].setChecked(jobs.isHeld());
    }
    const bool complete = session_.preview.isComplete();
    const QString nothing = tr("There is no finished clip in the viewer");
    actions_.enable(Act::Export, complete, nothing);
    actions_.enable(Act::SaveFrame, complete, nothing);
    actions_.enable(Act::CopyFrame, !session_.preview.frames().isEmpty(), nothing);
    actions_.enable(Act::SaveTrace, !session_.telemetry.isEmpty(), tr("There is nothing in the timeline"));
    const QString summary = jobs.summary();
    window_->status().setQueue(summary.isEmpty() ? tr("Queue empty") : summary);
    window_->layoutOfDocks()
        .dock("dockQueue")
        ->setWindowTitle(jobs.rowCount() > 0 ? tr("Queue %1").arg(jobs.rowCount()) : tr("Queue"));
    if (export_->isVisible()) feedExport();
    updateTitle();
}

void Workstation::updateTitle() {
    const int row = runningRow();
    if (row < 0) return window_->setWindowTitle(tr("Reelmesh"));
    const JobItem& job = session_.jobs.job(row);
    const QString prompt = QString::fromStdString(job.request.prompt).simplified().left(60);
    window_->setWindowTitle(tr("%1 % — %2").arg(std::lround(job.fraction() * 100)).arg(prompt));
    viewer_->setWaiting(session_.jobs.status().isActive() ? session_.jobs.status().stageText() : QString());
}

void Workstation::updateMesh() {
    const Plan* plan = session_.plan.chosen();
    const bool onCpu = session_.meshChoice.isOnCpu();
    window_->tools().setMesh(
        plan ? tr("%1 · %2").arg(meshWords(QString::fromStdString(plan->mesh)), ranksWords(*plan)) : tr("–"),
        onCpu ? "cpu" : "gpu");
    const QSignalBlocker quiet(&actions_[Act::MeshAuto]);
    actions_[Act::MeshAuto].setChecked(session_.meshChoice.mode() == MeshChoice::Mode::Auto);
    actions_.enable(Act::MeshParity, session_.parity.isPossible() && !session_.parity.isRunning(),
                    tr("The engine is not open, or a check is running"));
    updateJobActions();
}

void Workstation::generate() {
    if (!session_.canGenerate()) return leadToFault();
    session_.generate(JobListModel::Place::Back);
}

void Workstation::leadToFault() {
    if (session_.draft.firstFault() == "mesh" ||
        session_.meshChoice.legality() == MeshChoice::Legality::Illegal) {
        window_->showPanel("dockMesh");
        return mesh_->focusFault();
    }
    if (parameters_->focusFault()) return window_->layoutOfDocks().show("dockParameters");
    if (prompt_->focusFault()) window_->layoutOfDocks().show("dockPrompt");
}

void Workstation::togglePause() {
    JobListModel& jobs = session_.jobs;
    const int row = runningRow();
    if (row < 0) return jobs.setHeld(false);
    const JobItem& job = jobs.job(row);
    if (job.state == JobState::Paused || job.pausing)
        jobs.resume(row);
    else
        jobs.pause(row);
}

void Workstation::showEnd(const JobReport& report) {
    if (report.output.empty()) return;
    const QString path = QString::fromStdString(report.output);
    QList<NoticeBar::Action> choices;
    if (canShowInFolder()) choices << NoticeBar::Action{tr("Show in folder"), [path] { showInFolder(path); }};
    choices << NoticeBar::Action{tr("Copy path"), [path] { QGuiApplication::clipboard()->setText(path); }};
    QString text = tr("Saved %1").arg(QDir::toNativeSeparators(path));
    for (const std::string& notice : report.notices)
        text += "\n" + QString::fromStdString(notice);
    viewer_->notice().showNotice(NoticeBar::Kind::Done, text, choices);
}

void Workstation::showProblem(const QString& sentence) {
    viewer_->notice().showNotice(NoticeBar::Kind::Warning, sentence);
}

void Workstation::welcome() {
    if (session_.settings.welcomed()) return;
    viewer_->notice().showNotice(NoticeBar::Kind::Info,
                                 tr("The sample model is ready. Add your own any time."),
                                 {{tr("Add model folder"), [this] { chooseModelFolder(); }},
                                  {tr("Output folder"), [this] { chooseOutputFolder(); }}});
    connect(&viewer_->notice(), &NoticeBar::closed, this, [this] { session_.settings.setWelcomed(true); });
}

void Workstation::showExport() {
    if (!session_.preview.isComplete()) return;
    export_->setVisible(true);
    exported_.reset();
    feedExport();
    export_->setFocus(Qt::OtherFocusReason);
}

void Workstation::feedExport() {
    const std::uint64_t key = session_.preview.isComplete() ? session_.jobInView() : 0;
    // Asked at every change of a job: a clip is read once, and what was typed into the sheet stays.
    if (key == exported_) return;
    exported_ = key;
    if (session_.jobs.rowOf(key) < 0)
        return export_->setWaiting(tr("There is no finished clip in the viewer."));
    export_->setFolder(session_.draft.outputFolder());
    export_->openJob(session_.jobs, key, viewer_->video().currentFrame());
}

void Workstation::saveFrame(const QImage& image, int number, const JobRequest& request) {
    ExportRequest wanted;
    wanted.frames = {frameOf(image)};
    wanted.fps = request.fps.value_or(FrameRate{});
    wanted.settings = request;
    wanted.settings.output = {};
    wanted.settings.output.path = session_.draft.outputFolder().toStdString();
    wanted.settings.output.format = "png";
    wanted.taken_name = TakenName::Count;
    session_.client.ask(
        this, [wanted](Engine& engine) { return engine.export_media(wanted, nullptr).get(); },
        [this, number](const Result<ExportReport>& done) {
            if (!done) return showProblem(QString::fromStdString(error_message(done.error())));
            const QString path = QString::fromStdString(done->output);
            viewer_->notice().showNotice(
                NoticeBar::Kind::Done, tr("Frame %1 saved as %2").arg(number).arg(path),
                {{tr("Copy path"), [path] { QGuiApplication::clipboard()->setText(path); }}});
        });
}

void Workstation::showSettings() {
    if (!settings_) {
        settings_ = new SettingsPanel(session_.settings);
        settings_->setWindowIcon(window_->windowIcon());
        connect(settings_, &SettingsPanel::outputFolderAsked, this, &Workstation::chooseOutputFolder);
        connect(settings_, &SettingsPanel::modelFolderAsked, this, &Workstation::chooseModelFolder);
    }
    settings_->show();
    settings_->raise();
    settings_->activateWindow();
}

void Workstation::showAbout() {
    session_.client.ask(
        this, [](Engine& engine) { return engine.info().get(); },
        [this](const EngineInfo& info) {
            auto* about = new About(info, window_.get());
            about->setAttribute(Qt::WA_DeleteOnClose);
            about->show();
        });
}

void Workstation::copyReport() {
    constexpr int kLines = 200;
    QStringList lines;
    const LogModel& log = session_.log;
    for (int row = std::max(0, log.rowCount() - kLines); row < log.rowCount(); ++row)
        lines << log.lineText(row);
    const QString mesh = session_.meshChoice.text();
    session_.client.ask(
        this, [](Engine& engine) { return engine.info().get(); },
        [lines, mesh](const EngineInfo& info) {
            QGuiApplication::clipboard()->setText(reportText(info, mesh, lines));
        });
}

void Workstation::chooseOutputFolder() {
    const QString folder = QFileDialog::getExistingDirectory(
        window_.get(), tr("Where finished videos are saved"), session_.draft.outputFolder());
    if (!folder.isEmpty()) session_.settings.setOutputFolder(folder);
}

void Workstation::chooseModelFolder() {
    const QString folder = QFileDialog::getExistingDirectory(window_.get(), tr("The folder of a model"));
    if (folder.isEmpty()) return;
    session_.models.add(folder);
    session_.draft.setModel(folder);
}

void Workstation::leave() {
    if (session_.jobs.activeCount() == 0 && !session_.exporting.isRunning()) return Q_EMIT quitConfirmed();
    leaving_ = true;
    NoticeBar& notice = viewer_->notice();
    notice.showNotice(
        NoticeBar::Kind::Warning,
        session_.jobs.activeCount() > 0
            ? tr("A job is running; quitting now ends it and nothing is saved. When it is over, Reelmesh "
                 "quits.")
            : tr("An export is running; quitting now ends it. When it is over, Reelmesh quits."),
        {{tr("Cancel and quit"), [this] { Q_EMIT quitConfirmed(); }}, {tr("Stay"), [this, &notice] {
                                                                           leaving_ = false;
                                                                           notice.dismiss();
                                                                       }}});
}

void Workstation::leaveLater() {
    // Whatever this event still shows in the notice is shown first, and the queue may start the next job.
    if (leaving_)
        QTimer::singleShot(0, this, [this] {
            if (leaving_) leave();
        });
}

} // namespace reelmesh
