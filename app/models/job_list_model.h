// The queue as the window shows it, in memory: frozen copies of requests in the order in which they run.
// What runs stands first and is pinned, what waits follows in its order, what has ended comes last, newest
// first. The engine owns the queue proper: jobs are handed to it at once (one after another, so that its
// events are never held back for long) and moved there as they are moved here; before the engine is open they
// wait. GUI thread; the client outlives the model.
#pragma once

#include <QAbstractListModel>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

#include "bridge/engine_client.h"
#include "models/decoded_clips.h"
#include "models/job_estimates.h"
#include "models/job_item.h"
#include "models/job_status.h"
#include "models/running_job.h"

namespace reelmesh {

class JobListModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum class Place { Back, Front };
    enum class AfterFailure { Continue, Pause };
    enum Role {
        KeyRole = Qt::UserRole,
        StateRole,     ///< int of JobState
        StateTextRole, ///< "Denoise 12/40"
        FractionRole,
        ThumbnailRole, ///< QImage, may be null
    };
    using ClipReply = std::function<void(const Result<MediaClip>&)>;

    explicit JobListModel(EngineClient& client, QObject* parent = nullptr);
    ~JobListModel() override;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    /// Valid until the model changes.
    const JobItem& job(int row) const { return *jobs_[static_cast<std::size_t>(row)]; }
    int rowOf(std::uint64_t key) const; ///< -1: no such job

    void add(const QList<JobRequest>& requests, Place place);
    /// Only waiting jobs move; place counts among them, 0 is next.
    void move(int row, int place);
    void moveUp(int row);
    void moveDown(int row);
    void cancel(int row);
    void stopAndDecode(int row);
    void pause(int row);
    void resume(int row);
    /// The whole job again, at the end of those that wait.
    void retry(int row);
    /// The same with other settings.
    void retry(int row, JobRequest request);
    /// A copy behind it, or at the end where it does not wait.
    void duplicate(int row);
    void edit(int row) { Q_EMIT editRequested(job(row).request); }
    void play(int row) { Q_EMIT playRequested(job(row).key); }
    /// Ended or waiting jobs leave the list; one that runs has to be cancelled first.
    void remove(int row);
    void clearFinished();
    void clearWaiting();
    /// After the running job none starts until it is taken back.
    void setHeld(bool held);
    bool isHeld() const { return held_; }
    void setAfterFailure(AfterFailure what);
    AfterFailure afterFailure() const { return afterFailure_; }

    int activeCount() const { return active_; }
    int waitingCount() const { return waiting_; }
    int endedCount() const { return rowCount() - active_ - waiting_; }
    /// The job that runs, else the one that ended last; -1: there was none.
    int currentRow() const;
    /// Something runs or will run by itself.
    bool isBusy() const { return active_ > 0 || (waiting_ > 0 && !held_); }
    JobStatus& status() { return status_; }
    /// "1 of 4 · this 0:29 · all 2:21"; "" for an empty queue.
    QString summary() const;
    /// "37 % — a red kite" of the job that runs; "": none does.
    QString title() const;

    /// Decoded frames of a job that is done: kept for the one that ended last, read from their file for
    /// others. The reply comes at once or later, unless the context is gone by then.
    void fetchClip(std::uint64_t key, QObject* context, ClipReply reply);
    /// The frames that the job made are still there.
    bool keepsClip(std::uint64_t key) const { return clips_.has(key); }

Q_SIGNALS:
    void jobStarted(const reelmesh::RunningJob& job);
    /// These three only of jobs in the list.
    void stepDone(const reelmesh::StepDone& event);
    void previewReady(const reelmesh::PreviewReady& event);
    void framesDecoded(const reelmesh::FramesDecoded& event);
    /// id 0: the engine refused it.
    void jobEnded(reelmesh::JobId id, reelmesh::JobState state, const reelmesh::JobReport& report,
                  const reelmesh::Error& error);
    void currentChanged();
    /// Counts, summary, held.
    void summaryChanged();
    void editRequested(const reelmesh::JobRequest& request);
    void playRequested(std::uint64_t key);

private:
    using Jobs = std::vector<std::unique_ptr<JobItem>>;

    JobItem& at(int row) { return *jobs_[static_cast<std::size_t>(row)]; }
    int rowOfId(JobId id) const;
    int endOfWaiting() const { return active_ + waiting_; }
    void insert(std::vector<std::unique_ptr<JobItem>> jobs, int row);
    /// Moves a row within the list; to counts after it has been taken out.
    void relocate(int row, int to);
    void erase(int first, int count);
    void changed(int row);
    void tellSummary();
    void tellEnginePlace(int row);
    void applyGate();
    void submitNext();
    void useEstimate(const QString& shape, const JobEstimates::Estimate& estimate);
    void end(int row, const JobStateChanged& event);
    void letGo(JobItem& job);
    void onOpenFailed(const Error& error);
    void onSubmitted(JobId id, const JobRequest& resolved);
    void onRefused(const Error& error);
    void onState(const JobStateChanged& event);
    /// Into its row and, of the current job, the status; false: it is none of the list's.
    template <class Event>
    bool follow(const Event& event);
    void onStep(const StepDone& event);
    void onProgress(const StageProgress& event);
    void onPreview(const PreviewReady& event);
    void onDecoded(const FramesDecoded& event);

    EngineClient& client_;
    Jobs jobs_;
    int active_ = 0, waiting_ = 0;
    std::uint64_t lastKey_ = 0;
    std::uint64_t submitting_ = 0; ///< key of the job on its way to the engine; 0: none
    bool cancelSubmitted_ = false; ///< it is to end as soon as it has a name
    QTimer submitTimer_;           ///< behind the events that wait
    QTimer summaryTimer_;          ///< one figure for many changes
    bool held_ = false;
    AfterFailure afterFailure_ = AfterFailure::Continue;
    JobStatus status_;
    std::uint64_t current_ = 0;
    int batchEnded_ = 0; ///< since the queue was empty
    JobEstimates estimates_;
    DecodedClips clips_;
    JobId kept_ = 0; ///< ended, but the engine still has its previews
};

} // namespace reelmesh
