#include "frame_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace reelmesh {

FrameComparison compareFrames(const QImage& a, const QImage& b, int gain) {
    Q_ASSERT(a.size() == b.size());
    const QImage left = a.convertToFormat(QImage::Format_RGB888);
    const QImage right = b.convertToFormat(QImage::Format_RGB888);
    QImage difference(left.size(), QImage::Format_RGB888);
    const int count = left.width() * 3;
    std::uint64_t squares = 0;
    for (int y = 0; y < left.height(); ++y) {
        const std::uint8_t *from = left.constScanLine(y), *other = right.constScanLine(y);
        std::uint8_t* to = difference.scanLine(y);
        std::uint32_t row = 0;
        for (int i = 0; i < count; ++i) {
            const int apart = std::abs(int(from[i]) - int(other[i]));
            row += static_cast<std::uint32_t>(apart * apart);
            to[i] = static_cast<std::uint8_t>(std::min(255, apart * gain));
        }
        squares += row;
    }
    const double mean = static_cast<double>(squares) / (double(count) * left.height());
    return {squares == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(255.0 * 255.0 / mean),
            difference};
}

} // namespace reelmesh
