#include "session.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>

#include "bridge/frame_image.h"

namespace reelmesh {

Session::Session(EngineClient& engineClient, Settings& programSettings, const SessionFiles& where)
    : client(engineClient), settings(programSettings), files(where), draftStore(draft, where.draft),
      presets(draft, where.presets), models(client), tokens(client, draft), prompts(where.prompts),
      plan(client, draft), jobs(client), meshChoice(draft),
      meshFeed(plan, draft, {meshChoice, mesh, planTable}), parity(client), exporting(client) {
    connectEngine();
    connectSettings();
    connect(&draftStore, &DraftStore::damaged, this, &Session::problem);
    connect(&draftStore, &DraftStore::writeFailed, this, &Session::problem);
    connect(&prompts, &PromptHistory::damaged, this, &Session::problem);
    connect(&settings, &Settings::writeFailed, this, &Session::problem);
    connect(&presets, &PresetList::currentChanged, &draftStore, &DraftStore::setPreset);
    connect(&jobs, &JobListModel::jobStarted, this, &Session::onJobStarted);
    connect(&jobs, &JobListModel::playRequested, this, &Session::play);
    connect(&jobs, &JobListModel::editRequested, &draft, &RequestDraft::set);
    preview.setFetch([this](JobId job, int step) { return client.preview(job, step); });
    draft.connectTo(client);
}

void Session::connectEngine() {
    connect(&client, &EngineClient::logged, &log, &LogModel::add);
    connect(&client, &EngineClient::loadSampled, this, [this](const LoadSample& sample) {
        load.add(sample);
        run.apply(sample);
        mesh.apply(sample);
        telemetry.append(sample);
    });
    connect(&client, &EngineClient::telemetry, this, &Session::onTelemetry);
    connect(&client, &EngineClient::jobStateChanged, this, [this](const JobStateChanged& event) {
        preview.apply(event);
        run.apply(event);
        mesh.apply(event);
        load.apply(event);
        const bool over = event.state == JobState::Done || event.state == JobState::Failed ||
                          event.state == JobState::Canceled;
        if (over && event.job == watched_) telemetry.end();
    });
    connect(&jobs, &JobListModel::stepDone, this, [this](const StepDone& event) {
        preview.apply(event);
        run.apply(event);
        mesh.apply(event);
    });
    connect(&jobs, &JobListModel::previewReady, &preview,
            [this](const PreviewReady& event) { preview.apply(event); });
    connect(&jobs, &JobListModel::framesDecoded, this, [this](const FramesDecoded& event) {
        preview.apply(event);
        run.apply(event);
    });
    // Memory is free or taken again: what the draft costs is judged anew.
    connect(&jobs, &JobListModel::jobEnded, &plan, &PlanModel::refresh);
}

void Session::connectSettings() {
    models.setFolders(settings.modelFolders());
    const auto follow = [this] {
        if (settings.modelFolders() != models.folders()) models.setFolders(settings.modelFolders());
        if (!settings.outputFolder().isEmpty()) draft.setOutputFolder(settings.outputFolder());
        using enum JobListModel::AfterFailure;
        jobs.setAfterFailure(settings.afterFailure() == Settings::AfterFailure::Pause ? Pause : Continue);
        client.setRunOptions({.detail = settings.traceDetail()});
    };
    connect(&settings, &Settings::changed, this, follow);
    connect(&models, &ModelList::foldersChanged, &settings, &Settings::setModelFolders);
    follow();
}

void Session::begin() {
    if (!draftStore.restore()) {
        const QString first = ":/presets/first_run.json";
        QFile file(first);
        if (!file.open(QIODevice::ReadOnly)) qFatal("the first preset is not in the program");
        if (const auto loaded = draft.load(file.readAll(), "first_run.json"); !loaded)
            qFatal("%s", error_message(loaded.error()).c_str());
        presets.setCurrent(tr("First video"));
    } else {
        presets.setCurrent(draftStore.preset());
    }
    if (!settings.outputFolder().isEmpty()) draft.setOutputFolder(settings.outputFolder());
}

void Session::generate(JobListModel::Place place) {
    if (!canGenerate()) return;
    if (jobs.isHeld() && jobs.activeCount() == 0) jobs.setHeld(false);
    const std::vector<JobRequest> requests = draft.take();
    for (const JobRequest& request : requests)
        prompts.add(QString::fromStdString(request.prompt));
    jobs.add({requests.begin(), requests.end()}, place);
}

void Session::queueOnly() {
    if (!canGenerate()) return;
    if (!jobs.isBusy()) jobs.setHeld(true);
    const std::vector<JobRequest> requests = draft.take();
    jobs.add({requests.begin(), requests.end()}, JobListModel::Place::Back);
}

QString Session::whyNot() const {
    if (!plan.canGenerate()) return plan.whyNot();
    return canGenerate() ? QString() : meshChoice.fault();
}

void Session::play(std::uint64_t key) {
    jobs.fetchClip(key, this, [this, key](const Result<MediaClip>& clip) {
        const int row = jobs.rowOf(key);
        if (row < 0) return;
        if (!clip) return Q_EMIT problem(QString::fromStdString(error_message(clip.error())));
        const JobItem& job = jobs.job(row);
        QList<QImage> images;
        for (const Frame& frame : clip->frames)
            images << frameImage(frame);
        const QString path = QString::fromStdString(job.report.output);
        preview.showClip(images, clip->fps.value(), QString::fromStdString(job.request.prompt), path,
                         job.request);
        inView_ = key;
    });
}

void Session::onJobStarted(const RunningJob& job) {
    watched_ = job.id;
    for (int row = 0; row < jobs.rowCount(); ++row)
        if (jobs.job(row).id == job.id) inView_ = jobs.job(row).key;
    if (job.request.seed) draft.rememberSeed(*job.request.seed);
    preview.begin(job);
    run.begin(job);
    mesh.begin(job);
    telemetry.begin(job);
    QStringList devices;
    for (const std::string& device : job.plan.devices)
        devices << QString::fromStdString(device);
    QStringList places;
    for (const RankCard& card : mesh.scene().cards)
        places << card.coordinates;
    load.setRanks(devices, places);
}

void Session::onTelemetry(JobId job, const std::vector<TelemetryEvent>& events, std::uint64_t dropped) {
    run.apply(job, events);
    if (job != watched_) return;
    mesh.apply(job, events);
    telemetry.append(events, dropped);
}

} // namespace reelmesh
