#include "mesh_picture.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

#include "theme/lanes.h"
#include "theme/metrics.h"
#include "theme/palette.h"
#include "widgets/mesh_accessible.h"
#include "widgets/mesh_card.h"

namespace reelmesh {
namespace {

constexpr int kPillText = 10;
constexpr double kPillHeight = 16, kReach = 5;
constexpr double kThinnest = 2, kGrowth = 5;
constexpr double kNarrowLinks = 0.6; ///< of the widths, where there is no room
constexpr const char* kGroupNames[] = {"Tp", "Ulysses", "Ring", "Pipe", "Cfg", "Data", "Vae"};

double distance(const QLineF& line, const QPointF& point) {
    const QPointF along = line.p2() - line.p1(), to = point - line.p1();
    const double length = QPointF::dotProduct(along, along);
    const double part = length > 0 ? std::clamp(QPointF::dotProduct(to, along) / length, 0.0, 1.0) : 0;
    return QLineF(line.pointAt(part), point).length();
}

QString groupTitle(ExchangeGroup group) {
    switch (group) {
    case ExchangeGroup::Tensor: return MeshPicture::tr("All-reduce (TP)");
    case ExchangeGroup::Ulysses: return MeshPicture::tr("All-to-all (Ulysses)");
    case ExchangeGroup::Ring: return MeshPicture::tr("Ring");
    case ExchangeGroup::Pipe: return MeshPicture::tr("Stage send (pipe)");
    case ExchangeGroup::Cfg: return MeshPicture::tr("CFG exchange");
    case ExchangeGroup::Data: return MeshPicture::tr("Data");
    case ExchangeGroup::Vae: return MeshPicture::tr("VAE halo");
    }
    return {};
}

} // namespace

MeshPicture::MeshPicture(QWidget* parent) : QWidget(parent) {
    setObjectName("meshPicture");
    setAccessibleName(tr("Mesh picture"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    installMeshAccessible();
}

void MeshPicture::setScene(const MeshScene& scene) {
    const bool sameShape = scene.degrees == scene_.degrees && scene.cards.size() == scene_.cards.size();
    scene_ = scene;
    if (!sameShape) {
        current_ = 0;
        hoveredRank_ = hoveredLink_ = kNone;
        layOut();
        updateGeometry();
    }
    update();
}

void MeshPicture::setSelection(int rank, const std::optional<LinkName>& link) {
    if (rank == rank_ && link == link_) return;
    rank_ = rank;
    link_ = link;
    if (rank >= 0) current_ = std::min(rank, std::max(0, static_cast<int>(scene_.cards.size()) - 1));
    update();
}

QSize MeshPicture::sizeHint() const {
    return {280, 240};
}

int MeshPicture::heightFor(int width, int available) const {
    return static_cast<int>(std::ceil(layOutMesh(scene_, QSizeF(width, available)).height));
}

void MeshPicture::layOut() {
    layout_ = layOutMesh(scene_, size());
}

void MeshPicture::resizeEvent(QResizeEvent*) {
    layOut();
}

QString MeshPicture::rankText(int rank) const {
    const RankCard& card = scene_.cards[static_cast<std::size_t>(rank)];
    QStringList parts{(card.name + ' ' + card.coordinates).trimmed(), rankStateWord(card.state)};
    if (!std::isnan(card.busy)) parts << tr("busy %1 %").arg(std::lround(card.busy * 100));
    parts << tr("memory %1 GiB").arg(memoryText(card));
    if (!std::isnan(card.stepSeconds)) parts << tr("step %1").arg(stepTimeText(card.stepSeconds));
    if (card.slowest) parts << tr("slowest");
    return parts.join(QStringLiteral(", "));
}

QRect MeshPicture::rankRect(int rank) const {
    return layout_.cards[static_cast<std::size_t>(rank)].toAlignedRect();
}

int MeshPicture::rankAt(const QPoint& at) const {
    for (std::size_t rank = 0; rank < layout_.cards.size(); ++rank)
        if (layout_.cards[rank].contains(at)) return static_cast<int>(rank);
    return kNone;
}

QString MeshPicture::text() const {
    QStringList lines;
    for (std::size_t rank = 0; rank < scene_.cards.size(); ++rank)
        lines << rankText(static_cast<int>(rank));
    return lines.join('\n');
}

QVariantList MeshPicture::uiItems() const {
    QVariantList items;
    const auto add = [&items](const QString& name, const QRect& rect, const QString& text) {
        items << QVariantMap{{"name", name}, {"rect", rect}, {"text", text}};
    };
    for (std::size_t rank = 0; rank < layout_.cards.size(); ++rank)
        add(QString("meshCard%1").arg(rank), layout_.cards[rank].toAlignedRect(),
            rankText(static_cast<int>(rank)));
    for (const LinkShape& shape : layout_.links) {
        const MeshLink& link = scene_.links[shape.link];
        const QLineF line = shape.trunk.front();
        // A line has no area, and its middle must be on it.
        const QRectF rect = QRectF(line.p1(), line.p2()).normalized().adjusted(-1, -1, 1, 1);
        add(QString("meshLink%1%2").arg(kGroupNames[static_cast<int>(link.group)]).arg(link.firstRank()),
            rect.toAlignedRect(), linkText(link));
    }
    return items;
}

int MeshPicture::linkAt(const QPointF& at) const {
    int nearest = kNone;
    double least = kReach;
    for (const LinkShape& shape : layout_.links) {
        double away = kReach + 1;
        for (const QLineF& line : shape.trunk)
            away = std::min(away, distance(line, at) - widthOf(shape) / 2);
        for (const QLineF& line : shape.stubs)
            away = std::min(away, distance(line, at));
        // A pill lies over its neighbours' lines: those go first.
        if (!shape.pill.isNull() && pillRect(shape).contains(at)) away = std::min(away, 0.0);
        if (away < least) {
            least = away;
            nearest = static_cast<int>(shape.link);
        }
    }
    return nearest;
}

QString MeshPicture::linkText(const MeshLink& link) const {
    QStringList names;
    for (const int rank : link.ranks)
        names << scene_.cards[static_cast<std::size_t>(rank)].name;
    QString text = groupTitle(link.group) + QStringLiteral(" · ") + names.join(QStringLiteral(", "));
    if (link.measured) {
        text +=
            '\n' +
            tr("%1 a rank in the last step · %2").arg(bytesText(link.bytes), rateText(link.bytesPerSecond()));
        text += '\n' + tr("%1 transfer, %2 wait")
                           .arg(stepTimeText(link.transferSeconds), stepTimeText(link.waitSeconds));
    } else {
        text += '\n' + tr("≈ %1 a rank and step").arg(bytesText(link.bytes));
    }
    if (link.staged) text += '\n' + tr("through the host");
    return text;
}

QString MeshPicture::pillText(const MeshLink& link) const {
    const QString bytes =
        link.measured ? bytesText(link.bytes) : QStringLiteral("≈ ") + bytesText(link.bytes);
    if (link.group == ExchangeGroup::Cfg || !link.measured) return bytes;
    return bytes + QStringLiteral(" · ") + rateText(link.bytesPerSecond());
}

QRectF MeshPicture::pillRect(const LinkShape& shape) const {
    const QFontMetricsF metrics(metrics::numberFont(kPillText));
    const MeshLink& link = scene_.links[shape.link];
    const double width = metrics.horizontalAdvance(pillText(link)) + 20;
    const double left = link.group == ExchangeGroup::Cfg ? shape.pill.x() : shape.pill.x() - width / 2;
    return {std::round(left), std::round(shape.pill.y() - kPillHeight / 2), std::round(width), kPillHeight};
}

double MeshPicture::widthOf(const LinkShape& shape) const {
    const double scale = layout_.kind == CardKind::Dot ? 0.4 : layout_.wide ? 1 : kNarrowLinks;
    if (!shape.isBus) return kThinnest * std::max(scale, 0.75);
    double most = 0;
    for (const MeshLink& link : scene_.links)
        if (!std::isnan(link.bytes)) most = std::max(most, link.bytes);
    const double bytes = scene_.links[shape.link].bytes;
    return (kThinnest + (most > 0 && !std::isnan(bytes) ? kGrowth * bytes / most : 0)) * scale;
}

bool MeshPicture::isSelected(const MeshLink& link) const {
    return link_ && link_->group == link.group && link_->firstRank == link.firstRank();
}

void MeshPicture::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens(palette());
    paintBoxes(painter);
    paintLinks(painter);
    for (std::size_t rank = 0; rank < layout_.cards.size(); ++rank) {
        const int number = static_cast<int>(rank);
        paintMeshCard(painter, layout_.cards[rank], layout_.kind, scene_.cards[rank],
                      {.tokens = t,
                       .selected = number == rank_,
                       .hovered = number == hoveredRank_,
                       .focused = hasFocus() && number == current_});
    }
    paintHeads(painter);
    paintPills(painter);
}

void MeshPicture::paintBoxes(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.strong, 1));
    for (const RingBox& box : layout_.boxes)
        painter.drawRoundedRect(box.rect.adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius, metrics::kRadius);
}

void MeshPicture::paintLinks(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    const bool light = &t == &tokens(Theme::Light);
    for (const LinkShape& shape : layout_.links) {
        const MeshLink& link = scene_.links[shape.link];
        const QColor color = laneStyle(laneOf(link.group)).color;
        const double width = widthOf(shape);
        const bool lit = isSelected(link) || static_cast<int>(shape.link) == hoveredLink_;
        const auto draw = [&](const QList<QLineF>& lines, double wide, const QColor& ink, bool dashed) {
            QPen pen(ink, wide, Qt::SolidLine, dashed ? Qt::FlatCap : Qt::RoundCap);
            if (dashed) pen.setDashPattern({4 / wide * 2, 3 / wide * 2});
            painter.setPen(pen);
            painter.drawLines(lines);
        };
        if (lit) {
            draw(shape.stubs, width * 0.7 + 3, t.accent, false);
            draw(shape.trunk, width + 3, t.accent, false);
        } else if (light && link.group == ExchangeGroup::Cfg) {
            // Yellow on a light ground is under 3:1 without an edge.
            draw(shape.trunk, width + 2, color.darker(220), false);
        }
        draw(shape.stubs, width * 0.7, color, link.staged);
        draw(shape.trunk, width, color, link.staged);
    }
}

void MeshPicture::paintPills(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    painter.setFont(metrics::numberFont(kPillText));
    for (const LinkShape& shape : layout_.links) {
        if (shape.pill.isNull()) continue;
        const QRectF pill = pillRect(shape);
        painter.setPen(QPen(laneStyle(laneOf(scene_.links[shape.link].group)).color, 1));
        painter.setBrush(t.window);
        painter.drawRoundedRect(pill.adjusted(0.5, 0.5, -0.5, -0.5), kPillHeight / 2 - 0.5,
                                kPillHeight / 2 - 0.5);
        painter.setPen(t.text);
        painter.drawText(pill, Qt::AlignCenter, pillText(scene_.links[shape.link]));
    }
}

void MeshPicture::paintHeads(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    for (const RowHead& head : layout_.heads) {
        painter.setFont(metrics::textFont(metrics::kBaseText, QFont::DemiBold));
        painter.setPen(t.text);
        painter.drawText(head.at + QPointF(0, -4), QString("c%1").arg(head.cfg));
        painter.setFont(metrics::textFont(metrics::kSmallText));
        painter.setPen(t.muted);
        painter.drawText(head.at + QPointF(0, 12), head.cfg == 0 ? tr("cond") : tr("uncond"));
    }
}

void MeshPicture::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
    if (const int rank = rankAt(event->pos()); rank != kNone) {
        current_ = rank;
        Q_EMIT rankClicked(rank);
    } else if (const int link = linkAt(event->position()); link != kNone) {
        const MeshLink& chosen = scene_.links[static_cast<std::size_t>(link)];
        Q_EMIT linkClicked(chosen.group, chosen.firstRank());
    } else {
        Q_EMIT cleared();
    }
}

void MeshPicture::mouseMoveEvent(QMouseEvent* event) {
    const int rank = rankAt(event->pos());
    const int link = rank == kNone ? linkAt(event->position()) : kNone;
    if (rank == hoveredRank_ && link == hoveredLink_) return;
    hoveredRank_ = rank;
    hoveredLink_ = link;
    setCursor(rank != kNone || link != kNone ? Qt::PointingHandCursor : Qt::ArrowCursor);
    update();
}

void MeshPicture::leaveEvent(QEvent*) {
    hoveredRank_ = hoveredLink_ = kNone;
    update();
}

void MeshPicture::moveCurrent(int dx, int dy) {
    if (layout_.cards.empty()) return;
    const QPointF from = layout_.cards[static_cast<std::size_t>(current_)].center();
    int nearest = kNone;
    double least = 0;
    for (std::size_t rank = 0; rank < layout_.cards.size(); ++rank) {
        const QPointF step = layout_.cards[rank].center() - from;
        const double along = step.x() * dx + step.y() * dy,
                     across = std::abs(step.x() * dy) + std::abs(step.y() * dx);
        if (along < 1) continue;
        // Straight ahead first.
        const double cost = along + 4 * across;
        if (nearest != kNone && cost >= least) continue;
        nearest = static_cast<int>(rank);
        least = cost;
    }
    if (nearest == kNone) return;
    current_ = nearest;
    announceRank(*this, current_);
    update();
}

void MeshPicture::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left: return moveCurrent(-1, 0);
    case Qt::Key_Right: return moveCurrent(1, 0);
    case Qt::Key_Up: return moveCurrent(0, -1);
    case Qt::Key_Down: return moveCurrent(0, 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (!scene_.cards.empty()) Q_EMIT rankClicked(current_);
        return;
    case Qt::Key_Escape: Q_EMIT cleared(); return;
    default: QWidget::keyPressEvent(event);
    }
}

bool MeshPicture::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    QString text;
    if (const int rank = rankAt(help->pos()); rank != kNone)
        text = rankText(rank).replace(QStringLiteral(", "), QStringLiteral("\n"));
    else if (const int link = linkAt(help->pos()); link != kNone)
        text = linkText(scene_.links[static_cast<std::size_t>(link)]);
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace reelmesh
