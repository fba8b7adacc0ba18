#include "shard_overlay.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

#include "overlays/shapes.h"

namespace reelmesh {
namespace {

using Tone = LayerShape::Tone;

constexpr double kBandChip = 116, kBandChipHeight = 18, kLeastChipHeight = 12, kProgress = 40;
constexpr QSizeF kBorderChip(30, 14);
constexpr double kMapWidth = 208, kMapRow = 14, kMapTop = 38, kLeastLabel = 20;

QString tr(const char* text) {
    return QCoreApplication::translate("ShardOverlay", text);
}

/// Of an axis in a mesh as the plan writes it, "cfg2,ulysses4".
int degree(const std::string& mesh, const char* axis) {
    const auto match =
        QRegularExpression(QString("\\b%1(\\d+)").arg(axis)).match(QString::fromStdString(mesh));
    return match.hasMatch() ? std::max(1, match.captured(1).toInt()) : 1;
}

QString stateWord(RunOverview::DecodeState state) {
    switch (state) {
    case RunOverview::DecodeState::Wait: return tr("wait");
    case RunOverview::DecodeState::Decode: return tr("decode");
    case RunOverview::DecodeState::Done: return tr("done");
    }
    return {};
}

/// Tokens of the ranks that share one sequence: first rank and its tokens, in their order.
struct Share {
    int rank = 0;
    std::int64_t first = 0, count = 0;
};

std::vector<std::vector<Share>> sequences(const Plan& plan) {
    const int tensor = degree(plan.mesh, "tp");
    const int slots = degree(plan.mesh, "ulysses") * degree(plan.mesh, "ring");
    std::vector<std::vector<Share>> rows;
    for (int rank = 0; rank < static_cast<int>(plan.shares.size()); rank += tensor) {
        if (rank / tensor % slots == 0) rows.emplace_back();
        std::vector<Share>& row = rows.back();
        const std::int64_t first = row.empty() ? 0 : row.back().first + row.back().count;
        row.push_back({rank, first, plan.shares[static_cast<std::size_t>(rank)].tokens});
    }
    return rows;
}

/// Where the tokens of one rank end and those of the next begin, within the frame that is shown: a line along
/// the row, a token lower where the next row is still the first rank's.
QList<LayerShape> borders(const PictureView& view, QList<QRectF> taken, const std::vector<Share>& shares,
                          double tokenSide, const QSizeF& video) {
    const double columns = std::max(1.0, std::round(video.width() / tokenSide));
    const double perFrame = columns * video.height() / tokenSide;
    const double unitX = view.picture.width() / columns;
    const double unitY = view.picture.height() * tokenSide / video.height();
    QList<LayerShape> list;
    for (std::size_t slot = 1; slot < shares.size(); ++slot) {
        const double inFrame = static_cast<double>(shares[slot].first) - perFrame * view.frame;
        if (inFrame <= 0 || inFrame >= perFrame) continue;
        const double row = std::floor(inFrame / columns), column = std::floor(inFrame - row * columns);
        const double x = view.picture.left() + column * unitX;
        const double y = std::round(view.picture.top() + row * unitY);
        list << LayerShape{.kind = LayerShape::Kind::Line,
                           .rect = {x, y, view.picture.right() - x, 1},
                           .text = QString("%1,%2").arg(column).arg(row),
                           .tone = Tone::Light,
                           .opacity = 0.55,
                           .name = QString("tokens/r%1").arg(shares[slot].rank)};
        if (column > 0)
            list << LayerShape{
                .kind = LayerShape::Kind::Line,
                .rect = {view.picture.left(), std::round(y + unitY), x - view.picture.left(), 1},
                .tone = Tone::Light,
                .opacity = 0.55};
        const double right = view.visible.right() - shapes::kMargin;
        for (const auto& [rank, top] :
             {std::pair(shares[slot - 1].rank, y - kBorderChip.height() - 3), {shares[slot].rank, y + 4}}) {
            const QRectF chip(QPointF(right - kBorderChip.width(), top), kBorderChip);
            const bool isFree = std::none_of(taken.begin(), taken.end(),
                                             [&](const QRectF& other) { return chip.intersects(other); });
            if (!isFree || !view.visible.contains(chip)) continue;
            list << shapes::chip(chip)
                 << shapes::number(chip, QString("r%1").arg(rank), Tone::Text, Qt::AlignCenter);
            taken << chip;
        }
    }
    return list;
}

} // namespace

QString ShardOverlay::name() const {
    return tr("Bands and tokens by rank");
}

QList<LayerShape> ShardOverlay::shapes(const PictureView& view, const QList<QRectF>& taken) const {
    if (run().stage() == Stage::Denoise) return tokens(view, taken);
    if (run().stage() == Stage::Decode) return bands(view, taken);
    return {};
}

QList<LayerShape> ShardOverlay::bands(const PictureView& view, const QList<QRectF>& taken) const {
    const std::vector<DecodeBand>& bands = run().job().plan.bands;
    if (bands.empty()) return {};
    const auto height = static_cast<double>(bands.back().first_row + bands.back().rows);
    QList<LayerShape> list;
    for (const DecodeBand& band : bands) {
        const double top =
            view.picture.top() + view.picture.height() * static_cast<double>(band.first_row) / height;
        const double size = view.picture.height() * static_cast<double>(band.rows) / height;
        const QString name = QString("band%1").arg(band.rank);
        // Every band has its line, the first at the picture's edge.
        list << LayerShape{.kind = LayerShape::Kind::Line,
                           .rect = {view.picture.left(), std::round(top), view.picture.width(), size},
                           .text = QString("%1+%2").arg(band.first_row).arg(band.rows),
                           .tone = Tone::Light,
                           .opacity = 0.55,
                           .name = name};
        const double chipHeight = std::min(kBandChipHeight, size - 2);
        if (chipHeight < kLeastChipHeight) continue;
        QRectF chip(view.visible.right() - shapes::kMargin - kBandChip, top + (size - chipHeight) / 2,
                    kBandChip, chipHeight);
        for (const QRectF& other : taken)
            if (chip.intersects(other)) chip.moveRight(other.left() - shapes::kMargin);
        if (!view.visible.contains(chip)) continue;
        const QString word = stateWord(run().decodeState(band.rank));
        list << shapes::chip(chip, name + "/state", word);
        const QRectF inner = chip.adjusted(6, 0, -6, 0);
        list << shapes::number(inner, QString("r%1").arg(band.rank));
        const QRectF track(inner.left() + 24, chip.center().y() - 3, kProgress, 6);
        list << shapes::bar(track, Tone::Track);
        const double share = run().decodedShare(band.rank);
        if (share > 0) list << shapes::bar({track.topLeft(), QSizeF(kProgress * share, 6)}, Tone::Accent);
        list << shapes::words(inner.adjusted(24 + kProgress + 6, 0, 0, 0), word);
    }
    return list;
}

QList<LayerShape> ShardOverlay::tokens(const PictureView& view, const QList<QRectF>& taken) const {
    const auto rows = sequences(run().job().plan);
    if (rows.empty() || rows.front().empty() || view.frames <= 0) return {};
    const Share& last = rows.front().back();
    const std::int64_t total = last.first + last.count;
    if (total <= 0) return {};
    QList<LayerShape> list;
    // Tokens run through a frame row by row, and through the clip frame by frame.
    const double perFrame = static_cast<double>(total) / view.frames;
    const double begin = perFrame * view.frame, end = begin + perFrame;
    const JobRequest& request = run().job().request;
    const QSizeF video(static_cast<double>(request.width.value_or(0)),
                       static_cast<double>(request.height.value_or(0)));
    const double side = std::sqrt(video.width() * video.height() / perFrame);
    if (side > 0) list += borders(view, taken, rows.front(), side, video);
    const QRectF chip(view.visible.left() + shapes::kMargin, view.visible.top() + kMapTop, kMapWidth,
                      static_cast<double>(rows.size()) * kMapRow + 8);
    const bool isFree =
        std::none_of(taken.begin(), taken.end(), [&](const QRectF& other) { return chip.intersects(other); });
    if (!isFree || !view.visible.contains(chip)) return list;
    list << shapes::chip(chip, "tokens", tr("tokens by rank"));
    const double left = chip.left() + shapes::kInner + 42, width = chip.right() - shapes::kInner - left;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const double top = chip.top() + 4 + static_cast<double>(row) * kMapRow;
        list << shapes::words({chip.left() + shapes::kInner, top, 40, kMapRow},
                              rows.size() > 1 ? QString("c%1").arg(row) : tr("tokens"), Tone::Muted);
        for (const Share& share : rows[row]) {
            const QRectF part(
                left + width * static_cast<double>(share.first) / static_cast<double>(total), top + 1,
                std::max(1.0, width * static_cast<double>(share.count) / static_cast<double>(total) - 1),
                kMapRow - 2);
            const bool holds =
                static_cast<double>(share.first)<end&& static_cast<double>(share.first + share.count)> begin;
            list << shapes::bar(part, holds ? Tone::Accent : Tone::Track, holds ? 0.5 : 1,
                                QString("tokens/share%1").arg(share.rank), QString::number(share.count));
            if (part.width() >= kLeastLabel)
                list << shapes::number(part, QString("r%1").arg(share.rank), Tone::Text, Qt::AlignCenter);
        }
    }
    return list;
}

} // namespace reelmesh
