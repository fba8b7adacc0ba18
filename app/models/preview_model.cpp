#include "preview_model.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

#include "bridge/frame_image.h"

namespace reelmesh {
namespace {

constexpr qint64 kGib = qint64(1) << 30;
constexpr int kLabelLetters = 28;

QString threeDigits(int number) {
    return QString("%1").arg(number, 3, 10, QChar('0'));
}

QList<QImage> imagesOf(const std::vector<Frame>& frames) {
    QList<QImage> images;
    for (const Frame& frame : frames)
        images.append(frameImage(frame));
    return images;
}

QList<QImage> reduced(const std::vector<Frame>& frames, int divisor) {
    QList<QImage> images;
    for (const Frame& frame : frames)
        images.append(frameImage(frame).scaled(std::max(1, frame.width / divisor),
                                               std::max(1, frame.height / divisor), Qt::IgnoreAspectRatio,
                                               Qt::SmoothTransformation));
    return images;
}

QSize sizeOf(const JobRequest& request) {
    return {static_cast<int>(request.width.value_or(0)), static_cast<int>(request.height.value_or(0))};
}

} // namespace

PreviewModel::PreviewModel(QObject* parent) : QObject(parent) {
    // One thread: frames stay in order.
    pool_.setMaxThreadCount(1);
}

PreviewModel::~PreviewModel() {
    pool_.clear();
    pool_.waitForDone();
}

void PreviewModel::clear() {
    begin({});
}

void PreviewModel::begin(const RunningJob& job) {
    const int number = live_.number + 1;
    live_ = {};
    live_.number = number;
    live_.job = job;
    live_.steps = static_cast<int>(job.request.steps.value_or(0));
    live_.totalFrames = static_cast<int>(job.request.frames.value_or(0));
    // A job that was under way before it came into view.
    if (job.id != 0 && fetch_ && live_.steps > 0) live_.newest = fetch_(job.id, live_.steps - 1).step;
    findKept();
    showJob();
}

void PreviewModel::showJob() {
    opened_.reset();
    show();
}

void PreviewModel::apply(const PreviewReady& event) {
    if (!isOf(event.job) || !fetch_) return;
    live_.newest = std::max(live_.newest, event.step);
    findKept();
    if (!opened_) show();
}

void PreviewModel::apply(const StepDone& event) {
    if (!isOf(event.job)) return;
    live_.steps = event.steps;
    live_.doneSteps = event.step + 1;
    if (!opened_) Q_EMIT changed();
}

void PreviewModel::apply(const FramesDecoded& event) {
    if (!isOf(event.job) || event.frames.empty()) return;
    if (event.first == 0) beginDecoding(event);
    // Frames before these came while another job was in view; a clip with a hole would be played wrong.
    if (event.first != live_.received) return;
    live_.received += static_cast<qint64>(event.frames.size());
    if (live_.divisor == 1) return append(imagesOf(event.frames));
    pool_.start([this, frames = event.frames, divisor = live_.divisor, number = live_.number] {
        const QList<QImage> images = reduced(frames, divisor);
        QMetaObject::invokeMethod(
            this,
            [this, images, number] {
                if (number == live_.number) append(images);
            },
            Qt::QueuedConnection);
    });
}

void PreviewModel::beginDecoding(const FramesDecoded& event) {
    live_.decoded.clear();
    live_.received = 0;
    live_.totalFrames = static_cast<int>(event.total);
    live_.decoding = true;
    if (live_.decodeTime.isValid())
        live_.firstFrameSeconds = static_cast<double>(live_.decodeTime.elapsed()) / 1000;
    const Frame& frame = event.frames.front();
    const qint64 pixelBytes = frame.format == PixelFormat::Rgb8 ? 3 : 8;
    const qint64 bytes = qint64(frame.width) * frame.height * pixelBytes * event.total;
    live_.fullGib = static_cast<double>(bytes) / kGib;
    live_.divisor = 1;
    while (bytes / (qint64(live_.divisor) * live_.divisor) > mostBytes_)
        live_.divisor *= 2;
}

void PreviewModel::append(const QList<QImage>& images) {
    live_.decoded += images;
    if (live_.decoded.size() >= live_.totalFrames) live_.decoding = false;
    if (!opened_) show();
}

void PreviewModel::apply(const JobStateChanged& event) {
    if (!isOf(event.job)) return;
    if (event.state == JobState::Running && event.stage == Stage::Decode && !live_.decoding &&
        live_.decoded.isEmpty()) {
        live_.decoding = true;
        live_.decodeTime.start();
    }
    if (event.state == JobState::Done || event.state == JobState::Failed ||
        event.state == JobState::Canceled) {
        live_.decoding = false;
        live_.partial = event.report.partial;
        live_.path = QString::fromStdString(event.report.output);
    }
    if (!opened_) Q_EMIT changed();
}

void PreviewModel::showClip(const QList<QImage>& frames, double framesPerSecond, const QString& title,
                            const QString& path, const JobRequest& request) {
    opened_.emplace();
    opened_->job.request = request;
    opened_->title = title;
    opened_->path = path;
    opened_->decoded = frames;
    opened_->totalFrames = static_cast<int>(frames.size());
    showDecoded();
    shown_.framesPerSecond = framesPerSecond;
    // What a clip was asked to be and what its file holds may differ.
    shown_.size = {};
    Q_EMIT changed();
}

PreviewModel::Content PreviewModel::content() const {
    if (shown_.frames.isEmpty()) return Content::Nothing;
    return shown_.isPreview ? Content::Preview : Content::Decoded;
}

int PreviewModel::indexOf(int frameNumber) const {
    if (shown_.frames.isEmpty()) return -1;
    // A latent frame stands for itself and those before it, since the first one is single.
    const int index = (frameNumber - 1 + shown_.frameStride - 1) / shown_.frameStride;
    return std::clamp(index, 0, static_cast<int>(shown_.frames.size()) - 1);
}

QList<PreviewModel::TimeSpan> PreviewModel::timeSpans() const {
    const int shown = static_cast<int>(shown_.frames.size());
    switch (content()) {
    case Content::Nothing: return {};
    case Content::Preview: return {{FrameState::Preview, 1, totalFrames()}};
    case Content::Decoded: break;
    }
    QList<TimeSpan> spans{{FrameState::Decoded, 1, shown}};
    if (view().decoding && shown < totalFrames()) {
        const int chunk = view().latentFrames > 1 ? (totalFrames() - 1) / (view().latentFrames - 1) : 1;
        spans.append({FrameState::Decoding, shown + 1, std::min(chunk, totalFrames() - shown)});
    }
    return spans;
}

bool PreviewModel::isComplete() const {
    return content() == Content::Decoded && shown_.frames.size() == totalFrames();
}

int PreviewModel::shownStep() const {
    return content() == Content::Preview ? shownStep_ : std::max(view().newest, view().doneSteps - 1);
}

void PreviewModel::chooseStep(int step) {
    Source& source = view();
    if (source.kept.isEmpty()) return;
    const auto after = std::upper_bound(source.kept.begin(), source.kept.end(), step);
    if (after == source.kept.end()) {
        source.chosen = -1;
    } else {
        source.chosen = after == source.kept.begin() ? source.kept.first() : *std::prev(after);
        if (source.chosen == source.kept.last()) source.chosen = -1;
    }
    show();
}

void PreviewModel::moveStep(int by) {
    const QList<int>& kept = view().kept;
    if (kept.isEmpty()) return;
    const auto here = std::lower_bound(kept.begin(), kept.end(), isLive() ? kept.last() : view().chosen);
    const auto place = std::clamp<qsizetype>(std::distance(kept.begin(), here) + by, 0, kept.size() - 1);
    chooseStep(kept[place]);
}

void PreviewModel::findKept() {
    live_.kept.clear();
    for (int step = live_.newest; step >= 0;) {
        const PreviewClip clip = fetch_(live_.job.id, step);
        if (clip.step < 0 || clip.step > step) break;
        live_.latentFrames = static_cast<int>(clip.frames.size());
        live_.kept.prepend(clip.step);
        step = clip.step - 1;
    }
}

void PreviewModel::show() {
    const Source& source = view();
    if (source.chosen >= 0) {
        // It is on show already, and stays so when the engine drops it.
        if (shown_.isPreview && shownStep_ == source.chosen && !shown_.frames.isEmpty())
            return Q_EMIT changed();
        return showStep(source.chosen);
    }
    if (!source.decoded.isEmpty()) {
        showDecoded();
    } else if (source.newest >= 0) {
        return showStep(source.newest);
    } else {
        shown_ = {};
    }
    Q_EMIT changed();
}

void PreviewModel::showStep(int step) {
    const Source& source = view();
    const PreviewClip clip = fetch_(source.job.id, step);
    if (clip.step >= 0) {
        const int latents = static_cast<int>(clip.frames.size());
        shownStep_ = clip.step;
        shown_ = {imagesOf(clip.frames), clip.frames_per_second, sizeOf(source.job.request), 1, true, {}};
        if (latents > 1 && totalFrames() > latents) shown_.frameStride = (totalFrames() - 1) / (latents - 1);
        shown_.label = source.steps > 0 ? tr("step %1/%2").arg(clip.step + 1).arg(source.steps)
                                        : tr("step %1").arg(clip.step + 1);
    }
    Q_EMIT changed();
}

void PreviewModel::showDecoded() {
    const JobRequest& request = view().job.request;
    shown_ = {view().decoded, request.fps.value_or(FrameRate{}).value(), sizeOf(request), 1, false,
              clipLabel()};
}

int PreviewModel::latentsOf(int frames) const {
    const int latents = view().latentFrames;
    const int stride = latents > 1 ? (totalFrames() - 1) / (latents - 1) : 1;
    return stride > 0 ? (frames - 1 + stride - 1) / stride + 1 : frames;
}

QString PreviewModel::clipLabel() const {
    const JobRequest& request = view().job.request;
    QString name =
        view().title.isEmpty() ? QString::fromStdString(request.prompt).simplified() : view().title;
    if (name.size() > kLabelLetters) name = name.left(kLabelLetters - 1).trimmed() + QChar(0x2026);
    if (!request.seed) return name;
    const QString seed = QString::number(*request.seed);
    return name.isEmpty() ? tr("seed %1").arg(seed) : tr("%1, seed %2").arg(name, seed);
}

QString PreviewModel::badge() const {
    const int shown = static_cast<int>(shown_.frames.size());
    switch (content()) {
    case Content::Nothing: return {};
    case Content::Preview: return tr("%1, preview").arg(shown_.label);
    case Content::Decoded: break;
    }
    if (shown < totalFrames()) {
        const bool latents = view().latentFrames > 1;
        const int done = latents ? latentsOf(shown) : shown,
                  all = latents ? view().latentFrames : totalFrames();
        if (!view().decoding) return tr("%1/%2 decoded").arg(done).arg(all);
        const auto bands = view().job.plan.bands.size();
        return bands > 1 ? tr("decoding %1/%2, %n bands", nullptr, static_cast<int>(bands)).arg(done).arg(all)
                         : tr("decoding %1/%2").arg(done).arg(all);
    }
    return view().partial ? tr("partial") : QString();
}

QString PreviewModel::note() const {
    QStringList notes;
    const int shown = static_cast<int>(shown_.frames.size());
    if (content() == Content::Decoded && shown < totalFrames()) {
        if (view().firstFrameSeconds >= 0)
            notes << tr("first frame after %1 s").arg(QLocale().toString(view().firstFrameSeconds, 'f', 1));
        notes << tr("loop covers %1–%2").arg(threeDigits(1), threeDigits(shown));
    }
    if (content() == Content::Decoded && divisor() > 1)
        notes << tr("shown at 1/%1 of the resolution: the whole takes %2 GiB")
                     .arg(divisor())
                     .arg(QLocale().toString(view().fullGib, 'f', 1));
    return notes.join(", ");
}

QString PreviewModel::waiting() const {
    if (content() != Content::Nothing || job() == 0) return {};
    return request().preview == "off" ? tr("Previews are off for this job; frames appear once decoded")
                                      : QString();
}

void PreviewModel::pin() {
    if (shown_.frames.isEmpty()) return;
    pinClip(shown_);
}

void PreviewModel::pinClip(const Clip& clip) {
    pinned_ = clip;
    Q_EMIT pinnedChanged();
}

void PreviewModel::unpin() {
    pinned_.reset();
    Q_EMIT pinnedChanged();
}

} // namespace reelmesh
