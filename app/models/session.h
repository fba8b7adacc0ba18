// Everything that a window shows, and the one place where the engine's events are led to it. Owns the models;
// knows no widget. GUI thread; client and settings outlive it.
#pragma once

#include <QObject>
#include <QString>

#include "bridge/engine_client.h"
#include "models/device_load_model.h"
#include "models/draft_store.h"
#include "models/export_job.h"
#include "models/job_list_model.h"
#include "models/log_model.h"
#include "models/mesh_choice.h"
#include "models/mesh_model.h"
#include "models/mesh_feed.h"
#include "models/model_list.h"
#include "models/parity_check.h"
#include "models/plan_model.h"
#include "models/plan_table_model.h"
#include "models/preset_list.h"
#include "models/preview_model.h"
#include "models/prompt_history.h"
#include "models/prompt_tokens.h"
#include "models/request_draft.h"
#include "models/run_overview.h"
#include "models/settings.h"
#include "models/telemetry_store.h"
#include "models/view_focus.h"

namespace reelmesh {

/// Files of the session; "": kept in memory alone.
struct SessionFiles {
    QString draft, prompts, presets, log;
};

class Session : public QObject {
    Q_OBJECT

public:
    Session(EngineClient& client, Settings& settings, const SessionFiles& files);

    EngineClient& client;
    Settings& settings;
    const SessionFiles files;

    RequestDraft draft;
    DraftStore draftStore;
    PresetList presets;
    ModelList models;
    PromptTokens tokens;
    PromptHistory prompts;
    PlanModel plan;
    JobListModel jobs;
    PreviewModel preview;
    RunOverview run;
    MeshChoice meshChoice;
    MeshModel mesh;
    PlanTableModel planTable;
    MeshFeed meshFeed;
    ParityCheck parity;
    TelemetryStore telemetry;
    ViewFocus focus;
    DeviceLoadModel load;
    LogModel log;
    ExportJob exporting;

    /// Draft of the last time, else the first preset. Once, before the window is shown.
    void begin();
    /// Queues what the draft says. Nothing while the draft or its mesh is illegal.
    void generate(JobListModel::Place place);
    /// The same, but a queue that stands still goes on standing.
    void queueOnly();
    bool canGenerate() const {
        return plan.canGenerate() && meshChoice.legality() != MeshChoice::Legality::Illegal;
    }
    QString whyNot() const;

    /// A finished job's clip into the viewer.
    void play(std::uint64_t key);
    /// Key of the job that the viewer shows; 0: none of the list.
    std::uint64_t jobInView() const { return inView_; }

Q_SIGNALS:
    /// A sentence about something that went wrong outside of jobs.
    void problem(const QString& sentence);

private:
    void connectEngine();
    void connectSettings();
    void onJobStarted(const RunningJob& job);
    void onTelemetry(JobId job, const std::vector<TelemetryEvent>& events, std::uint64_t dropped);

    JobId watched_ = 0; ///< whose telemetry is shown
    std::uint64_t inView_ = 0;
};

} // namespace reelmesh
