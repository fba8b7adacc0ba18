#include "traffic_overlay.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "overlays/shapes.h"

namespace reelmesh {
namespace {

using Tone = LayerShape::Tone;

constexpr double kWidth = 208, kRow = 12, kBarHeight = 7, kLabel = 24, kFigure = 36, kLegend = 16;

QString tr(const char* text) {
    return QCoreApplication::translate("TrafficOverlay", text);
}

} // namespace

QString TrafficOverlay::name() const {
    return tr("Compute, communication, wait");
}

QList<LayerShape> TrafficOverlay::shapes(const PictureView& view, const QList<QRectF>&) const {
    const auto& times = run().rankTimes();
    const double room = view.visible.height() - 2 * shapes::kMargin - view.noteHeight - 40;
    const auto fitting = static_cast<qsizetype>((room - kLegend - 12) / kRow);
    const qsizetype rows = std::min<qsizetype>(times.size(), fitting);
    if (rows <= 0 || view.visible.width() < kWidth + 2 * shapes::kMargin) return {};
    const double height = rows * kRow + kLegend + 10;
    const QRectF chip(view.visible.left() + shapes::kMargin,
                      view.visible.bottom() - shapes::kMargin - view.noteHeight - height, kWidth, height);
    QList<LayerShape> list{shapes::chip(chip, "traffic")};
    const double left = chip.left() + shapes::kInner, inner = kWidth - 2 * shapes::kInner;
    const double track = inner - kLabel - kFigure;
    double top = chip.top() + 5;
    for (auto rank = times.begin(); top + kRow + kLegend < chip.bottom() && rank != times.end();
         ++rank, top += kRow) {
        const double total = rank->total();
        if (total <= 0) continue;
        const QRectF row(left, top, inner, kRow);
        QRectF part(left + kLabel, top + (kRow - kBarHeight) / 2, 0, kBarHeight);
        for (const auto& [share, lane] : {std::pair(rank->compute, Lane::Attention),
                                          {rank->comm, Lane::AllToAll},
                                          {rank->wait, Lane::Wait}}) {
            part = QRectF(part.right(), part.top(), track * share / total, kBarHeight);
            if (part.width() > 0) list << shapes::lane(part, lane);
        }
        const QString figure = tr("%1 %").arg(std::lround(100 * rank->compute / total));
        list << shapes::number(row, QString("r%1").arg(rank.key()), Tone::Text);
        LayerShape share = shapes::number(row, figure, Tone::Text, Qt::AlignRight | Qt::AlignVCenter);
        share.name = QString("traffic/r%1").arg(rank.key());
        list << share;
    }
    double x = left;
    const double y = chip.bottom() - kLegend - 1;
    for (const auto& [text, lane, width] : {std::tuple(tr("compute"), Lane::Attention, 62.0),
                                            {tr("comm"), Lane::AllToAll, 48.0},
                                            {tr("wait"), Lane::Wait, 40.0}}) {
        list << shapes::lane({x, y + 4, 8, 8}, lane);
        list << shapes::words({x + 11, y, width - 11, kLegend}, text, Tone::Muted);
        x += width;
    }
    return list;
}

} // namespace reelmesh
