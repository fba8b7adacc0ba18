#include "job_list_model.h"

#include <QGuiApplication>
#include <QLocale>
#include <QMimeData>

#include <algorithm>
#include <cmath>

#include "bridge/frame_image.h"
#include "models/job_text.h"

namespace reelmesh {
namespace {

constexpr const char* kMimeType = "application/x-reelmesh-job";
constexpr int kSummaryPeriod_ms = 50;

/// Fills the whole thumbnail; what stands out is cut off.
QImage thumbnailOf(const Frame& frame) {
    const QImage image = frameImage(frame);
    if (image.isNull()) return {};
    // As sharp as the screens are, and three bytes a pixel: a queue holds thousands of them.
    const QSize size = kThumbnailSize * std::ceil(qGuiApp->devicePixelRatio());
    const QImage scaled = image.scaled(size, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation);
    return scaled
        .copy(QRect(QPoint((scaled.width() - size.width()) / 2, (scaled.height() - size.height()) / 2), size))
        .convertToFormat(QImage::Format_RGB888);
}

} // namespace

JobListModel::JobListModel(EngineClient& client, QObject* parent)
    : QAbstractListModel(parent), client_(client), estimates_(client) {
    submitTimer_.setSingleShot(true);
    connect(&submitTimer_, &QTimer::timeout, this, &JobListModel::submitNext);
    summaryTimer_.setSingleShot(true);
    summaryTimer_.setInterval(kSummaryPeriod_ms);
    connect(&summaryTimer_, &QTimer::timeout, this, &JobListModel::summaryChanged);
    connect(&client_, &EngineClient::opened, this, [this] {
        applyGate();
        submitNext();
    });
    connect(&estimates_, &JobEstimates::known, this, &JobListModel::useEstimate);
    connect(&client_, &EngineClient::openFailed, this, &JobListModel::onOpenFailed);
    connect(&client_, &EngineClient::submitted, this, &JobListModel::onSubmitted);
    connect(&client_, &EngineClient::refused, this, &JobListModel::onRefused);
    connect(&client_, &EngineClient::jobStateChanged, this, &JobListModel::onState);
    connect(&client_, &EngineClient::stepDone, this, &JobListModel::onStep);
    connect(&client_, &EngineClient::stageProgress, this, &JobListModel::onProgress);
    connect(&client_, &EngineClient::previewReady, this, &JobListModel::onPreview);
    connect(&client_, &EngineClient::framesDecoded, this, &JobListModel::onDecoded);
}

JobListModel::~JobListModel() = default;

int JobListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(jobs_.size());
}

QVariant JobListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const JobItem& item = job(index.row());
    switch (role) {
    case Qt::DisplayRole: return promptLine(item.request);
    case Qt::ToolTipRole:
        return item.state == JobState::Failed
                   ? promptLine(item.request) + "\n" + QString::fromStdString(error_message(item.error))
                   : promptLine(item.request);
    case Qt::AccessibleTextRole: return item.stateText() + ", " + promptLine(item.request);
    case KeyRole: return QVariant::fromValue(item.key);
    case StateRole: return static_cast<int>(item.state);
    case StateTextRole: return item.stateText();
    case FractionRole: return item.fraction();
    case ThumbnailRole: return item.thumbnail;
    default: return {};
    }
}

Qt::ItemFlags JobListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::ItemIsDropEnabled;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (job(index.row()).isPending()) flags |= Qt::ItemIsDragEnabled;
    return flags;
}

QStringList JobListModel::mimeTypes() const {
    return {kMimeType};
}

QMimeData* JobListModel::mimeData(const QModelIndexList& indexes) const {
    auto* data = new QMimeData;
    if (!indexes.isEmpty())
        data->setData(kMimeType, QByteArray::number(qulonglong(job(indexes.first().row()).key)));
    return data;
}

bool JobListModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int,
                                const QModelIndex& parent) {
    if (action != Qt::MoveAction || !data->hasFormat(kMimeType)) return false;
    const int from = rowOf(data->data(kMimeType).toULongLong());
    if (from < 0) return false;
    if (row < 0) row = parent.isValid() ? parent.row() : rowCount();
    // Counted without the row that is taken out.
    move(from, row - active_ - (row > from ? 1 : 0));
    // The row has been moved here; a true would have the view remove it.
    return false;
}

int JobListModel::rowOf(std::uint64_t key) const {
    const auto found =
        std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->key == key; });
    return found == jobs_.end() ? -1 : static_cast<int>(found - jobs_.begin());
}

int JobListModel::rowOfId(JobId id) const {
    if (id == 0) return -1;
    const auto found =
        std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& job) { return job->id == id; });
    return found == jobs_.end() ? -1 : static_cast<int>(found - jobs_.begin());
}

int JobListModel::currentRow() const {
    return rowOf(current_);
}

void JobListModel::add(const QList<JobRequest>& requests, Place place) {
    if (requests.isEmpty()) return;
    std::vector<std::unique_ptr<JobItem>> added;
    for (const JobRequest& request : requests) {
        auto item = std::make_unique<JobItem>();
        item->key = ++lastKey_;
        item->request = request;
        added.push_back(std::move(item));
    }
    if (active_ + waiting_ == 0) batchEnded_ = 0;
    const int row = place == Place::Front ? active_ : endOfWaiting();
    insert(std::move(added), row);
    if (client_.state() == EngineClient::State::Missing) return onOpenFailed(client_.openError());
    if (client_.state() != EngineClient::State::Ready && !status_.isActive())
        status_.begin(JobStatus::Phase::Starting);
    submitNext();
}

void JobListModel::insert(std::vector<std::unique_ptr<JobItem>> jobs, int row) {
    const int count = static_cast<int>(jobs.size());
    beginInsertRows({}, row, row + count - 1);
    jobs_.insert(jobs_.begin() + row, std::make_move_iterator(jobs.begin()),
                 std::make_move_iterator(jobs.end()));
    waiting_ += count;
    endInsertRows();
    tellSummary();
}

void JobListModel::relocate(int row, int to) {
    if (row == to) return;
    beginMoveRows({}, row, row, {}, to > row ? to + 1 : to);
    const auto from = jobs_.begin() + row;
    if (to > row)
        std::rotate(from, from + 1, jobs_.begin() + to + 1);
    else
        std::rotate(jobs_.begin() + to, from, from + 1);
    endMoveRows();
}

void JobListModel::erase(int first, int count) {
    if (count <= 0) return;
    beginRemoveRows({}, first, first + count - 1);
    for (int row = first; row < first + count; ++row)
        if (at(row).isPending()) --waiting_;
    jobs_.erase(jobs_.begin() + first, jobs_.begin() + first + count);
    endRemoveRows();
    if (active_ + waiting_ == 0 && status_.isActive()) status_.begin(JobStatus::Phase::Idle);
    tellSummary();
}

void JobListModel::changed(int row) {
    Q_EMIT dataChanged(index(row), index(row));
}

void JobListModel::tellSummary() {
    if (!summaryTimer_.isActive()) summaryTimer_.start();
}

void JobListModel::move(int row, int place) {
    if (!job(row).isPending()) return;
    const int to = active_ + std::clamp(place, 0, waiting_ - 1);
    if (to == row) return;
    relocate(row, to);
    tellEnginePlace(to);
    tellSummary();
}

void JobListModel::moveUp(int row) {
    move(row, row - active_ - 1);
}

void JobListModel::moveDown(int row) {
    move(row, row - active_ + 1);
}

void JobListModel::tellEnginePlace(int row) {
    if (job(row).id == 0) return;
    // The engine knows only those that it has named.
    const auto place = std::count_if(jobs_.begin() + active_, jobs_.begin() + row,
                                     [](const auto& job) { return job->id != 0; });
    client_.move(job(row).id, static_cast<int>(place));
}

void JobListModel::cancel(int row) {
    JobItem& item = at(row);
    if (item.hasEnded() || item.stopping) return;
    if (item.isPending() && item.id == 0 && !item.submitting) {
        JobStateChanged event;
        event.state = JobState::Canceled;
        return end(row, event);
    }
    item.stopping = true;
    if (item.isActive() && item.key == current_) status_.setStopping();
    if (item.submitting)
        cancelSubmitted_ = true;
    else
        client_.cancel(item.id);
    changed(row);
}

void JobListModel::stopAndDecode(int row) {
    JobItem& item = at(row);
    if (!item.isActive() || item.stopping || item.step == 0) return;
    item.decoding = true;
    client_.stopAndDecode(item.id);
    changed(row);
}

void JobListModel::pause(int row) {
    JobItem& item = at(row);
    if (item.state != JobState::Running || item.stopping) return;
    item.pausing = true;
    client_.pause(item.id);
    changed(row);
}

void JobListModel::resume(int row) {
    JobItem& item = at(row);
    if (!item.isActive()) return;
    item.pausing = false;
    client_.resume(item.id);
    changed(row);
}

void JobListModel::retry(int row) {
    retry(row, job(row).request);
}

void JobListModel::retry(int row, JobRequest request) {
    if (!job(row).hasEnded()) return;
    remove(row);
    add({request}, Place::Back);
}

void JobListModel::duplicate(int row) {
    const bool waits = job(row).isPending();
    const JobRequest request = job(row).request;
    const int place = row - active_ + 1;
    add({request}, Place::Back);
    if (waits) move(endOfWaiting() - 1, place);
}

void JobListModel::letGo(JobItem& item) {
    if (item.submitting)
        cancelSubmitted_ = true;
    else if (item.isPending() && item.id != 0)
        client_.cancel(item.id); // its last event has the engine forget it
    else if (item.hasEnded() && item.id != 0)
        client_.forget(item.id);
    clips_.drop(item.key);
}

void JobListModel::remove(int row) {
    if (job(row).isActive()) return;
    letGo(at(row));
    const bool current = job(row).key == current_;
    erase(row, 1);
    if (current) Q_EMIT currentChanged();
}

void JobListModel::clearFinished() {
    const int row = currentRow();
    const bool current = row >= 0 && job(row).hasEnded();
    for (int ended = endOfWaiting(); ended < rowCount(); ++ended)
        letGo(at(ended));
    erase(endOfWaiting(), endedCount());
    if (current) Q_EMIT currentChanged();
}

void JobListModel::clearWaiting() {
    for (int row = active_; row < endOfWaiting(); ++row)
        letGo(at(row));
    erase(active_, waiting_);
}

void JobListModel::setHeld(bool held) {
    if (held_ == held) return;
    held_ = held;
    applyGate();
    tellSummary();
}

void JobListModel::setAfterFailure(AfterFailure what) {
    afterFailure_ = what;
    applyGate();
    tellSummary();
}

void JobListModel::applyGate() {
    client_.setQueueGate(held_                                  ? QueueGate::Held
                         : afterFailure_ == AfterFailure::Pause ? QueueGate::UntilFailure
                                                                : QueueGate::Open);
}

void JobListModel::submitNext() {
    if (submitting_ != 0 || client_.state() != EngineClient::State::Ready) return;
    const auto end = jobs_.begin() + endOfWaiting();
    const auto next =
        std::find_if(jobs_.begin() + active_, end, [](const auto& job) { return job->id == 0; });
    if (next == end) return;
    (*next)->submitting = true;
    submitting_ = (*next)->key;
    cancelSubmitted_ = false;
    if (!status_.isActive() || status_.phase() == JobStatus::Phase::Starting)
        status_.begin(JobStatus::Phase::Checking);
    client_.submit((*next)->request);
}

void JobListModel::onSubmitted(JobId id, const JobRequest& resolved) {
    if (submitting_ == 0) return;
    const int row = rowOf(submitting_);
    submitting_ = 0;
    submitTimer_.start(0);
    if (row < 0) {
        client_.cancel(id);
        return;
    }
    JobItem& item = at(row);
    item.submitting = false;
    item.id = id;
    item.request = resolved;
    if (cancelSubmitted_) client_.cancel(id);
    tellEnginePlace(row);
    estimates_.fill(item);
    changed(row);
    if (status_.phase() == JobStatus::Phase::Checking) status_.setPhase(JobStatus::Phase::Pending);
}

void JobListModel::onRefused(const Error& error) {
    if (submitting_ == 0) return;
    const int row = rowOf(submitting_);
    submitting_ = 0;
    submitTimer_.start(0);
    if (row < 0) return;
    JobStateChanged event;
    event.state = JobState::Failed;
    event.error = error;
    end(row, event);
}

void JobListModel::onOpenFailed(const Error& error) {
    while (waiting_ > 0) {
        JobStateChanged event;
        event.state = JobState::Failed;
        event.error = error;
        end(active_, event);
    }
}

void JobListModel::useEstimate(const QString& shape, const JobEstimates::Estimate& estimate) {
    for (int row = active_; row < endOfWaiting(); ++row) {
        JobItem& item = at(row);
        if (item.shape != shape || item.plannedSeconds >= 0) continue;
        item.plan = estimate.plan;
        item.plannedSeconds = estimate.seconds;
    }
    if (waiting_ > 0) Q_EMIT dataChanged(index(active_), index(endOfWaiting() - 1));
    tellSummary();
}

void JobListModel::onState(const JobStateChanged& event) {
    int row = rowOfId(event.job);
    if (row < 0) {
        // Of a job that has left the list.
        if (event.state == JobState::Done || event.state == JobState::Failed ||
            event.state == JobState::Canceled)
            client_.forget(event.job);
        return;
    }
    if (event.state == JobState::Pending) return;
    JobStateChanged told = event;
    told.stopping = told.stopping || at(row).stopping;
    if (event.state != JobState::Running && event.state != JobState::Paused) return end(row, told);

    const bool starts = at(row).isPending();
    if (starts) {
        relocate(row, active_);
        row = active_++;
        --waiting_;
        JobItem& item = at(row);
        if (Plan plan = client_.planOf(item.id); !plan.mesh.empty()) item.plan = std::move(plan);
        item.remainingSeconds = item.plannedSeconds;
        current_ = item.key;
        clips_.begin(item.key);
        status_.begin(JobStatus::Phase::Running);
    }
    at(row).apply(event);
    if (job(row).key == current_) status_.apply(told);
    changed(row);
    if (starts) {
        Q_EMIT currentChanged();
        Q_EMIT jobStarted({job(row).id, job(row).request, job(row).plan});
    }
    tellSummary();
}

void JobListModel::end(int row, const JobStateChanged& event) {
    const bool wasActive = job(row).isActive();
    JobItem& item = at(row);
    const bool failed = event.state == JobState::Failed;
    item.apply(event);
    item.submitting = false;
    wasActive ? --active_ : --waiting_;
    ++batchEnded_;
    // One that never ran becomes the current one only where there is no other to show.
    const bool shown = wasActive ? item.key == current_ : failed && active_ == 0;
    if (shown) {
        current_ = item.key;
        status_.apply(event);
    }
    if (event.state == JobState::Done && clips_.keep(item))
        item.thumbnail = thumbnailOf(clips_.clip().frames[clips_.clip().frames.size() / 2]);
    else
        clips_.drop(item.key);
    if (wasActive) {
        // The previews of the last one can still be walked through.
        if (kept_ != 0) client_.forget(kept_);
        kept_ = item.id;
    } else if (item.id != 0) {
        client_.forget(item.id);
    }
    if (failed && afterFailure_ == AfterFailure::Pause) setHeld(true);
    if (!shown && active_ + waiting_ == 0 && status_.isActive()) status_.apply(event);
    relocate(row, endOfWaiting());
    changed(endOfWaiting());
    tellSummary();
    const JobItem& ended = job(endOfWaiting());
    const JobReport report = ended.report;
    const Error error = ended.error;
    Q_EMIT currentChanged();
    Q_EMIT jobEnded(event.job, event.state, report, error);
}

template <class Event>
bool JobListModel::follow(const Event& event) {
    const int row = rowOfId(event.job);
    if (row < 0) return false;
    at(row).apply(event);
    if (job(row).key == current_) status_.apply(event);
    changed(row);
    tellSummary();
    return true;
}

void JobListModel::onStep(const StepDone& event) {
    if (follow(event)) Q_EMIT stepDone(event);
}

void JobListModel::onProgress(const StageProgress& event) {
    follow(event);
}

void JobListModel::onPreview(const PreviewReady& event) {
    const int row = rowOfId(event.job);
    if (row < 0) return;
    const PreviewClip clip = client_.preview(event.job, event.step);
    if (!clip.frames.empty()) {
        at(row).thumbnail = thumbnailOf(clip.frames[clip.frames.size() / 2]);
        changed(row);
    }
    Q_EMIT previewReady(event);
}

void JobListModel::onDecoded(const FramesDecoded& event) {
    const int row = rowOfId(event.job);
    if (row < 0) return;
    clips_.add(job(row).key, event.frames);
    Q_EMIT framesDecoded(event);
}

QString JobListModel::summary() const {
    const int open = active_ + waiting_;
    if (open == 0) return {};
    const int total = batchEnded_ + open;
    double all = 0;
    for (int row = 0; row < endOfWaiting(); ++row)
        all = all < 0 || job(row).toGo() < 0 ? -1 : all + job(row).toGo();
    if (active_ == 0)
        return held_ ? tr("held · %n waiting · all %1", nullptr, waiting_).arg(clockText(all))
                     : tr("%n waiting · all %1", nullptr, waiting_).arg(clockText(all));
    return tr("%1 of %2 · this %3 · all %4")
        .arg(batchEnded_ + 1)
        .arg(total)
        .arg(clockText(job(0).toGo()), clockText(all));
}

QString JobListModel::title() const {
    if (active_ == 0) return {};
    return tr("%1 % — %2").arg(int(100 * job(0).fraction())).arg(promptLine(job(0).request));
}

void JobListModel::fetchClip(std::uint64_t key, QObject* context, ClipReply reply) {
    const int row = rowOf(key);
    if (row < 0) return;
    if (clips_.has(key)) return reply(clips_.clip());
    client_.ask(
        context, [path = job(row).report.output](Engine& engine) { return engine.load_media(path).get(); },
        reply);
}

} // namespace reelmesh
