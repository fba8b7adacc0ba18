#include "preview_model.h"

#include "bridge/frame_image.h"

namespace reelmesh {

void PreviewModel::clear() {
    content_ = Content::Nothing;
    frames_.clear();
    totalFrames_ = 0;
    Q_EMIT changed();
}

void PreviewModel::showPreview(const PreviewClip& clip, int steps) {
    if (clip.step < 0 || clip.frames.empty() || content_ == Content::Decoded) return;
    content_ = Content::Preview;
    frames_.clear();
    for (const Frame& frame : clip.frames)
        frames_.append(frameImage(frame));
    framesPerSecond_ = clip.frames_per_second;
    totalFrames_ = static_cast<int>(frames_.size());
    step_ = clip.step + 1;
    steps_ = steps;
    Q_EMIT changed();
}

void PreviewModel::addDecoded(const FramesDecoded& event, double framesPerSecond) {
    if (event.frames.empty()) return;
    if (content_ != Content::Decoded) frames_.clear();
    content_ = Content::Decoded;
    for (const Frame& frame : event.frames)
        frames_.append(frameImage(frame));
    framesPerSecond_ = framesPerSecond;
    totalFrames_ = static_cast<int>(event.total);
    Q_EMIT changed();
}

QString PreviewModel::badge() const {
    if (content_ == Content::Preview)
        return steps_ > 0 ? tr("step %1/%2, preview").arg(step_).arg(steps_)
                          : tr("step %1, preview").arg(step_);
    if (content_ == Content::Decoded && frames_.size() < totalFrames_)
        return tr("decoding %1/%2").arg(frames_.size()).arg(totalFrames_);
    return {};
}

} // namespace reelmesh
