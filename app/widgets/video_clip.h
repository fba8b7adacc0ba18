// What a video view plays. Images are shared, so a clip is cheap to hand on. Plain values.
#pragma once

#include <QImage>
#include <QList>
#include <QSize>
#include <QString>

namespace reelmesh {

struct VideoClip {
    /// How a picture grows: its own pixels stay visible above twice their size; a preview, whose pixels stand
    /// for blocks of the video, is smoothed at any size.
    enum class Growth { Pixels, Smooth };

    QList<QImage> frames;
    double framesPerSecond = 0;
    QSize size; ///< of the video that the frames stand for; empty: their own
    Growth growth = Growth::Pixels;
    int frameStride = 1; ///< frames of the video that one of these stands for
    QString label;       ///< in comparisons

    QSize pictureSize() const { return size.isEmpty() && !frames.isEmpty() ? frames.first().size() : size; }
    /// From 1.
    int frameNumber(int index) const { return index * frameStride + 1; }
};

} // namespace reelmesh
