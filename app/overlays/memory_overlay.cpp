#include "memory_overlay.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

#include "overlays/shapes.h"

namespace reelmesh {
namespace {

using Tone = LayerShape::Tone;

constexpr double kWidth = 176, kHeight = 54, kRow = 14, kBarHeight = 8;
constexpr double kGib = 1024.0 * 1024 * 1024;

QString tr(const char* text) {
    return QCoreApplication::translate("MemoryOverlay", text);
}

QString gib(double bytes) {
    return std::isnan(bytes) ? QStringLiteral("–") : QLocale().toString(bytes / kGib, 'f', 1);
}

} // namespace

QString MemoryOverlay::name() const {
    return tr("Memory");
}

QList<LayerShape> MemoryOverlay::shapes(const PictureView& view, const QList<QRectF>& taken) const {
    const RunOverview::Memory& memory = run().memory();
    if (std::isnan(memory.used) && std::isnan(memory.planned)) return {};
    QRectF chip(view.visible.right() - shapes::kMargin - kWidth,
                view.visible.bottom() - shapes::kMargin - kHeight, kWidth, kHeight);
    for (const QRectF& other : taken)
        if (chip.intersects(other)) chip.moveBottom(other.top() - shapes::kMargin);
    if (chip.left() < view.visible.left() || chip.top() < view.visible.top()) return {};
    const QString figures = tr("%1 / %2 GiB").arg(gib(memory.used), gib(memory.limit));
    QList<LayerShape> list{shapes::chip(chip, "memory", figures)};
    const Qt::Alignment right = Qt::AlignRight | Qt::AlignVCenter;
    const QRectF head(chip.left() + shapes::kInner, chip.top() + 4, kWidth - 2 * shapes::kInner, kRow);
    list << shapes::words(head, memory.where.isEmpty() ? tr("memory") : memory.where, Tone::Muted);
    list << shapes::number(head, figures, Tone::Text, right);

    const QRectF track(head.left(), head.bottom() + 3, head.width(), kBarHeight);
    list << shapes::bar(track, Tone::Track);
    const double whole = std::isnan(memory.limit) ? std::max({std::isnan(memory.planned) ? 0 : memory.planned,
                                                              std::isnan(memory.most) ? 0 : memory.most, 1.0})
                                                  : memory.limit;
    const auto along = [&](double bytes) { return track.width() * std::clamp(bytes / whole, 0.0, 1.0); };
    if (!std::isnan(memory.used))
        list << shapes::bar({track.left(), track.top(), along(memory.used), kBarHeight}, Tone::Accent, 1,
                            "memory/used", gib(memory.used));
    if (!std::isnan(memory.most))
        list << shapes::bar({track.left() + along(memory.most) - 1, track.top() - 2, 1.5, kBarHeight + 4},
                            Tone::Light);
    if (!std::isnan(memory.planned)) {
        list << LayerShape{
            .kind = LayerShape::Kind::Frame,
            .rect = {track.left(), track.top(), std::max(2.0, along(memory.planned)), kBarHeight},
            .text = gib(memory.planned),
            .tone = Tone::Light,
            .name = "memory/planned"};
    }
    const QRectF foot(head.left(), track.bottom() + 4, head.width(), kRow);
    list << shapes::words(foot, tr("planned, highest"), Tone::Muted);
    list << shapes::number(
        foot,
        QString("%1%2, %3")
            .arg(std::isnan(memory.planned) ? "" : "≈ ", gib(memory.planned), gib(memory.most)),
        Tone::Text, right);
    return list;
}

} // namespace reelmesh
