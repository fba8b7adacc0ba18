// Two pictures of one size held against each other: how alike they are, and where they differ. Pure: any
// thread.
#pragma once

#include <QImage>

namespace reelmesh {

struct FrameComparison {
    double psnr_db = 0; ///< infinite: equal
    QImage difference;  ///< of the channels, times the gain
};

/// The pictures have the same size.
FrameComparison compareFrames(const QImage& a, const QImage& b, int gain);

} // namespace reelmesh
