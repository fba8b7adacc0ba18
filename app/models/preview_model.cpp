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

void PreviewModel::reset() {
    ++generation_;
    job_ = {};
    title_.clear();
    path_.clear();
    shown_ = {};
    kept_.clear();
    decoded_.clear();
    steps_ = doneSteps_ = totalFrames_ = latentFrames_ = 0;
    newest_ = chosen_ = shownStep_ = -1;
    divisor_ = 1;
    fullGib_ = 0;
    decoding_ = partial_ = saved_ = false;
    firstFrameSeconds_ = -1;
}

void PreviewModel::clear() {
    reset();
    Q_EMIT changed();
}

void PreviewModel::begin(const RunningJob& job) {
    reset();
    job_ = job;
    steps_ = static_cast<int>(job.request.steps.value_or(0));
    totalFrames_ = static_cast<int>(job.request.frames.value_or(0));
    // A job that was under way before it came into view.
    if (fetch_ && steps_ > 0)
        if (const PreviewClip clip = fetch_(job_.id, steps_ - 1); clip.step >= 0)
            return apply(PreviewReady{job_.id, clip.step});
    Q_EMIT changed();
}

void PreviewModel::apply(const PreviewReady& event) {
    if (event.job != job_.id || job_.id == 0 || !fetch_) return;
    newest_ = std::max(newest_, event.step);
    findKept();
    if (isLive() && decoded_.isEmpty()) return showNewest();
    Q_EMIT changed();
}

void PreviewModel::apply(const StepDone& event) {
    if (event.job != job_.id || job_.id == 0) return;
    steps_ = event.steps;
    doneSteps_ = event.step + 1;
    Q_EMIT changed();
}

void PreviewModel::apply(const FramesDecoded& event) {
    if (event.job != job_.id || job_.id == 0 || event.frames.empty()) return;
    totalFrames_ = static_cast<int>(event.total);
    if (event.first == 0) {
        decoded_.clear();
        decoding_ = true;
        if (decodeTime_.isValid()) firstFrameSeconds_ = static_cast<double>(decodeTime_.elapsed()) / 1000;
        const Frame& frame = event.frames.front();
        const qint64 bytes =
            qint64(frame.width) * frame.height * (frame.format == PixelFormat::Rgb8 ? 3 : 8) * event.total;
        fullGib_ = static_cast<double>(bytes) / kGib;
        for (divisor_ = 1; bytes / (qint64(divisor_) * divisor_) > mostBytes_;)
            divisor_ *= 2;
    }
    if (divisor_ == 1) return append(imagesOf(event.frames));
    pool_.start([this, frames = event.frames, divisor = divisor_, generation = generation_] {
        const QList<QImage> images = reduced(frames, divisor);
        QMetaObject::invokeMethod(
            this,
            [this, images, generation] {
                if (generation == generation_) append(images);
            },
            Qt::QueuedConnection);
    });
}

void PreviewModel::append(const QList<QImage>& images) {
    decoded_ += images;
    if (decoded_.size() >= totalFrames_) decoding_ = false;
    if (isLive()) return showDecoded();
    Q_EMIT changed();
}

void PreviewModel::apply(const JobStateChanged& event) {
    if (event.job != job_.id || job_.id == 0) return;
    if (event.state == JobState::Running && event.stage == Stage::Decode && !decoding_ &&
        decoded_.isEmpty()) {
        decoding_ = true;
        decodeTime_.start();
    }
    if (event.state == JobState::Done || event.state == JobState::Failed ||
        event.state == JobState::Canceled) {
        decoding_ = false;
        partial_ = event.report.partial;
        path_ = QString::fromStdString(event.report.output);
    }
    Q_EMIT changed();
}

void PreviewModel::showClip(const QList<QImage>& frames, double framesPerSecond, const QString& title,
                            const QString& path, const JobRequest& request) {
    reset();
    job_.request = request;
    title_ = title;
    path_ = path;
    saved_ = true;
    decoded_ = frames;
    totalFrames_ = static_cast<int>(frames.size());
    if (!job_.request.fps)
        job_.request.fps = FrameRate{static_cast<std::int64_t>(std::lround(framesPerSecond * 1000)), 1000};
    showDecoded();
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
    case Content::Preview: return {{FrameState::Preview, 1, totalFrames_}};
    case Content::Decoded: break;
    }
    QList<TimeSpan> spans{{FrameState::Decoded, 1, shown}};
    if (decoding_ && shown < totalFrames_) {
        const int chunk = latentFrames_ > 1 ? (totalFrames_ - 1) / (latentFrames_ - 1) : 1;
        spans.append({FrameState::Decoding, shown + 1, std::min(chunk, totalFrames_ - shown)});
    }
    return spans;
}

bool PreviewModel::isComplete() const {
    return content() == Content::Decoded && shown_.frames.size() == totalFrames_;
}

int PreviewModel::shownStep() const {
    return content() == Content::Preview ? shownStep_ : std::max(newest_, doneSteps_ - 1);
}

void PreviewModel::chooseStep(int step) {
    if (kept_.isEmpty()) return;
    if (step >= kept_.last()) {
        chosen_ = -1;
        return decoded_.isEmpty() ? showNewest() : showDecoded();
    }
    const auto after = std::upper_bound(kept_.begin(), kept_.end(), step);
    const int wanted = after == kept_.begin() ? kept_.first() : *std::prev(after);
    const PreviewClip clip = fetch_(job_.id, wanted);
    if (clip.step < 0) return;
    chosen_ = clip.step;
    showStep(clip);
}

void PreviewModel::moveStep(int by) {
    if (kept_.isEmpty()) return;
    const auto here = std::lower_bound(kept_.begin(), kept_.end(), isLive() ? kept_.last() : chosen_);
    const auto place = std::clamp<qsizetype>(std::distance(kept_.begin(), here) + by, 0, kept_.size() - 1);
    chooseStep(kept_[place]);
}

void PreviewModel::findKept() {
    kept_.clear();
    for (int step = newest_; step >= 0;) {
        const PreviewClip clip = fetch_(job_.id, step);
        if (clip.step < 0 || clip.step > step) break;
        latentFrames_ = static_cast<int>(clip.frames.size());
        kept_.prepend(clip.step);
        step = clip.step - 1;
    }
}

void PreviewModel::showNewest() {
    const PreviewClip clip = fetch_(job_.id, newest_);
    if (clip.step >= 0) return showStep(clip);
    Q_EMIT changed();
}

void PreviewModel::showStep(const PreviewClip& clip) {
    const int latents = static_cast<int>(clip.frames.size());
    shownStep_ = clip.step;
    shown_ = {imagesOf(clip.frames), clip.frames_per_second, sizeOf(job_.request), 1, true, {}};
    if (latents > 1 && totalFrames_ > latents) shown_.frameStride = (totalFrames_ - 1) / (latents - 1);
    shown_.label =
        steps_ > 0 ? tr("step %1/%2").arg(clip.step + 1).arg(steps_) : tr("step %1").arg(clip.step + 1);
    Q_EMIT changed();
}

void PreviewModel::showDecoded() {
    shown_ = {decoded_,   job_.request.fps.value_or(FrameRate{}).value(), sizeOf(job_.request), 1, false,
              clipLabel()};
    // What a clip was asked to be and what its file holds may differ.
    if (saved_ && !decoded_.isEmpty()) shown_.size = decoded_.first().size();
    Q_EMIT changed();
}

int PreviewModel::latentsOf(int frames) const {
    const int stride = latentFrames_ > 1 ? (totalFrames_ - 1) / (latentFrames_ - 1) : 1;
    return stride > 0 ? (frames - 1 + stride - 1) / stride + 1 : frames;
}

QString PreviewModel::clipLabel() const {
    QString name = title_.isEmpty() ? QString::fromStdString(job_.request.prompt).simplified() : title_;
    if (name.size() > kLabelLetters) name = name.left(kLabelLetters - 1).trimmed() + QChar(0x2026);
    if (!job_.request.seed) return name;
    const QString seed = QString::number(*job_.request.seed);
    return name.isEmpty() ? tr("seed %1").arg(seed) : tr("%1, seed %2").arg(name, seed);
}

QString PreviewModel::badge() const {
    const int shown = static_cast<int>(shown_.frames.size());
    switch (content()) {
    case Content::Nothing: return {};
    case Content::Preview: return tr("%1, preview").arg(shown_.label);
    case Content::Decoded: break;
    }
    if (shown < totalFrames_) {
        const bool latents = latentFrames_ > 1;
        const int done = latents ? latentsOf(shown) : shown, all = latents ? latentFrames_ : totalFrames_;
        if (!decoding_) return tr("%1/%2 decoded").arg(done).arg(all);
        const auto bands = job_.plan.bands.size();
        return bands > 1 ? tr("decoding %1/%2, %n bands", nullptr, static_cast<int>(bands)).arg(done).arg(all)
                         : tr("decoding %1/%2").arg(done).arg(all);
    }
    return partial_ ? tr("partial") : QString();
}

QString PreviewModel::note() const {
    QStringList notes;
    const int shown = static_cast<int>(shown_.frames.size());
    if (content() == Content::Decoded && shown < totalFrames_) {
        if (firstFrameSeconds_ >= 0)
            notes << tr("first frame after %1 s").arg(QLocale().toString(firstFrameSeconds_, 'f', 1));
        notes << tr("loop covers %1–%2").arg(threeDigits(1), threeDigits(shown));
    }
    if (content() == Content::Decoded && divisor_ > 1)
        notes << tr("shown at 1/%1 of the resolution: the whole takes %2 GiB")
                     .arg(divisor_)
                     .arg(QLocale().toString(fullGib_, 'f', 1));
    return notes.join(", ");
}

QString PreviewModel::waiting() const {
    if (content() != Content::Nothing || job_.id == 0) return {};
    return job_.request.preview == "off" ? tr("Previews are off for this job; frames appear once decoded")
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
