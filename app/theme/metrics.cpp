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

Columns columns(int windowWidth) {
    if (windowWidth < 1600) return {300, 280, 170};
    if (windowWidth < 3000) return {380, 400, 260};
    return {480, 440, 420};
}

QFont textFont(int pixels, QFont::Weight weight) {
    return makeFont({"Inter", "Noto Sans", "Noto Sans CJK SC", "DejaVu Sans"}, pixels, weight);
}

QFont numberFont(int pixels) {
    return makeFont({"JetBrains Mono", "Noto Sans Mono", "Noto Sans CJK SC", "DejaVu Sans Mono"}, pixels,
                    QFont::Normal);
}

} // namespace reelmesh::metrics
