#include "step_overlay.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

#include "overlays/shapes.h"

namespace reelmesh {
namespace {

using Tone = LayerShape::Tone;

constexpr double kWidth = 208, kNarrow = 112, kHeight = 50, kLowHeight = 26, kBadgeRoom = 170;
constexpr double kHead = 14, kBarHeight = 20, kBarStride = 16, kBarWidth = 14;
constexpr double kCalm = 1.05; ///< of the median

QString tr(const char* text) {
    return QCoreApplication::translate("StepOverlay", text);
}

QString seconds(double value) {
    return QLocale().toString(value, 'f', value < 10 ? 2 : 1);
}

} // namespace

QString StepOverlay::name() const {
    return tr("Step time");
}

QList<LayerShape> StepOverlay::shapes(const PictureView& view, const QList<QRectF>&) const {
    const QList<double>& times = run().stepSeconds();
    if (times.isEmpty()) return {};
    const bool wide = view.visible.width() >= kWidth + kBadgeRoom + 3 * shapes::kMargin &&
                      view.visible.height() >= 2 * kHeight;
    const QSizeF size = wide ? QSizeF(kWidth, kHeight) : QSizeF(kNarrow, kLowHeight);
    // Beside the badge if both fit, else below it.
    const double top = view.visible.width() >= size.width() + kBadgeRoom + 3 * shapes::kMargin
                           ? shapes::kMargin
                           : 4.5 * shapes::kMargin;
    const QRectF chip(
        QPointF(view.visible.right() - shapes::kMargin - size.width(), view.visible.top() + top), size);
    const QRectF head(chip.left() + shapes::kInner, chip.top() + 6, size.width() - 2 * shapes::kInner, kHead);
    QList<LayerShape> list{shapes::chip(chip, "step", tr("step %1 s").arg(seconds(times.last())))};
    list << shapes::words(head, tr("step"), Tone::Muted);
    list << shapes::number(head.adjusted(28, 0, 0, 0), tr("%1 s").arg(seconds(times.last())));
    if (!wide) return list;
    const double planned = run().job().plan.step_seconds;
    const Qt::Alignment right = Qt::AlignRight | Qt::AlignVCenter;
    list << shapes::number(head, planned > 0 ? tr("≈ %1 s").arg(seconds(planned)) : QStringLiteral("–"),
                           Tone::Text, right);
    list << shapes::words(head.adjusted(0, 0, -56, 0), tr("planned"), Tone::Muted, right);

    const auto shown = std::min<qsizetype>(times.size(), static_cast<qsizetype>(head.width() / kBarStride));
    const double median = run().medianStepSeconds();
    double most = planned;
    for (qsizetype i = times.size() - shown; i < times.size(); ++i)
        most = std::max(most, times[i]);
    const double floor = chip.bottom() - 6;
    for (qsizetype i = 0; i < shown; ++i) {
        const double time = times[times.size() - shown + i];
        const double height = std::max(1.0, std::round(kBarHeight * time / most));
        list << shapes::bar({head.left() + i * kBarStride, floor - height, kBarWidth, height},
                            time > kCalm * median ? Tone::Warning : Tone::Accent, i == shown - 1 ? 1 : 0.6);
    }
    if (planned > 0)
        for (double x = head.left(); x < head.right(); x += 5)
            list << shapes::bar({x, floor - std::round(kBarHeight * planned / most), 2, 1}, Tone::Light, 0.6);
    return list;
}

} // namespace reelmesh
