#include "metrics.h"

#include <QStringList>

namespace reelmesh::metrics {
namespace {

constexpr double kPointsPerPixel = 0.75;

QFont makeFont(const QStringList& families, int pixels, QFont::Weight weight) {
    QFont font;
    font.setFamilies(families);
    font.setPointSizeF(pixels * kPointsPerPixel);
    font.setWeight(weight);
    return font;
}

} // namespace

int sideColumn(int windowWidth) {
    if (windowWidth < 1600) return 300;
    return windowWidth < 3000 ? 380 : 480;
}

QFont textFont(int pixels, QFont::Weight weight) {
    return makeFont({"Inter", "Noto Sans", "Noto Sans CJK SC", "DejaVu Sans"}, pixels, weight);
}

QFont numberFont(int pixels) {
    return makeFont({"JetBrains Mono", "Noto Sans Mono", "Noto Sans CJK SC", "DejaVu Sans Mono"}, pixels,
                    QFont::Normal);
}

} // namespace reelmesh::metrics
