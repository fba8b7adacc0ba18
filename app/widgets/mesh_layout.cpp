#include "mesh_layout.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

constexpr double kWide = 520, kHead = 76;
constexpr double kFullWidth = 110, kMediumWidth = 84, kSmallWidth = 50, kWidest = 220;
constexpr double kStackGap = 8, kLane = 5, kBoxSide = 4;
constexpr int kRoomyColumns = 5;
constexpr double kDot = 24, kSmallestDot = 8, kDotGap = 4;
/// More ranks than this are not scrolled but shrunk.
constexpr int kMostCards = 16;

struct Heights {
    double least, most;
};

Heights heightsOf(CardKind kind) {
    switch (kind) {
    case CardKind::Full: return {58, 92};
    case CardKind::Medium: return {64, 72};
    case CardKind::Small: return {72, 92};
    case CardKind::Dot: break;
    }
    return {kSmallestDot, kDot};
}

class Layouter {
public:
    Layouter(const MeshScene& scene, const QSizeF& area)
        : scene_(scene), area_(area), mesh_(scene.degrees),
          slots_(degree(MeshAxis::Ring) * degree(MeshAxis::Ulysses)),
          rows_(degree(MeshAxis::Dp) * degree(MeshAxis::Cfg) * degree(MeshAxis::Pipe)),
          stack_(degree(MeshAxis::Tp)) {
        layout_.wide = area.width() > kWide;
        // Branches alone stand beside each other: below each other they would waste the width.
        transposed_ = slots_ == 1 && stack_ == 1 && rows_ > 1;
        if (transposed_) std::swap(slots_, rows_);
    }

    MeshLayout run() {
        layout_.cards.resize(scene_.cards.size());
        if (scene_.cards.empty()) return layout_;
        if (layout_.wide && degree(MeshAxis::Cfg) > 1 && !transposed_) left_ = kHead;
        // Boxes stand out on both sides.
        if (hasRing()) side_ = kBoxSide;
        left_ += side_;
        chooseColumns(kSmallWidth);
        if (mesh_.ranks() > kMostCards && needed(heightsOf(layout_.kind).least) > area_.height())
            chooseDots();
        placeCards();
        placeBoxes();
        for (std::size_t i = 0; i < scene_.links.size(); ++i)
            placeLink(i);
        return std::move(layout_);
    }

private:
    int degree(MeshAxis axis) const { return mesh_.degree(axis); }
    bool hasBus() const { return degree(MeshAxis::Ulysses) > 1; }
    bool hasRing() const { return degree(MeshAxis::Ring) > 1; }
    bool isDots() const { return layout_.kind == CardKind::Dot; }
    double scale() const { return layout_.wide ? 1 : 0.6; }

    void chooseColumns(double least) {
        gap_ = !layout_.wide ? 8 : slots_ > kRoomyColumns ? 12 : 24;
        const double width = area_.width() - left_ - side_;
        const auto widthOf = [&](int columns) { return (width - (columns - 1) * gap_) / columns; };
        columns_ = slots_;
        while (columns_ > 1 && widthOf(columns_) < least)
            --columns_;
        // Lines of equal length, whole ring blocks where they fit.
        const int block = degree(MeshAxis::Ulysses);
        lines_ = (slots_ + columns_ - 1) / columns_;
        columns_ = (slots_ + lines_ - 1) / lines_;
        if (hasRing() && !transposed_ && lines_ > 1 && columns_ > block) columns_ -= columns_ % block;
        lines_ = (slots_ + columns_ - 1) / columns_;
        cardWidth_ = std::floor(std::min(kWidest, widthOf(columns_)));
        layout_.kind = cardWidth_ >= kFullWidth     ? CardKind::Full
                       : cardWidth_ >= kMediumWidth ? CardKind::Medium
                                                    : CardKind::Small;
    }

    void chooseDots() {
        layout_.kind = CardKind::Dot;
        gap_ = kDotGap;
        cardWidth_ = kDot;
        for (; cardWidth_ > kSmallestDot; --cardWidth_) {
            columns_ = std::clamp(
                static_cast<int>((area_.width() - left_ - side_ + gap_) / (cardWidth_ + gap_)), 1, slots_);
            // Whole blocks of an all-to-all in a line, else lines of equal length.
            const int block = degree(MeshAxis::Ulysses);
            if (!transposed_ && columns_ >= block) columns_ -= columns_ % block;
            lines_ = (slots_ + columns_ - 1) / columns_;
            if (transposed_ || columns_ < block) columns_ = (slots_ + lines_ - 1) / lines_;
            if (needed(cardWidth_) <= area_.height()) break;
        }
    }

    int ringLanes() const { return hasRing() ? std::min(4, degree(MeshAxis::Ulysses) * stack_) : 0; }
    /// Above a line of cards.
    double head() const {
        if (isDots()) return hasRing() ? 6 : 0;
        return hasRing() ? 10 + kLane * ringLanes() : layout_.wide ? 10 : 2;
    }
    /// Under it.
    double foot() const {
        if (isDots()) return hasBus() ? 6 : 0;
        return hasBus() ? (layout_.wide ? 26 : 16) + kLane * (stack_ - 1) : 2;
    }
    /// Between branches, besides those.
    double between() const {
        if (rows_ == 1) return 0;
        return isDots() ? 6 : layout_.wide ? 28 : 14;
    }
    double stackGap() const { return isDots() ? 2 : kStackGap; }
    double lineHeight(double card) const {
        return head() + stack_ * card + (stack_ - 1) * stackGap() + foot();
    }
    double needed(double card) const { return rows_ * lines_ * lineHeight(card) + (rows_ - 1) * between(); }

    /// The row of a rank among branches and replicas.
    int rowOf(int rank) const {
        const int row = (mesh_.coordinate(rank, MeshAxis::Dp) * degree(MeshAxis::Cfg) +
                         mesh_.coordinate(rank, MeshAxis::Cfg)) *
                            degree(MeshAxis::Pipe) +
                        mesh_.coordinate(rank, MeshAxis::Pipe);
        return row;
    }
    int slotOf(int rank) const {
        return mesh_.coordinate(rank, MeshAxis::Ring) * degree(MeshAxis::Ulysses) +
               mesh_.coordinate(rank, MeshAxis::Ulysses);
    }
    int lineOf(int rank) const { return transposed_ ? rowOf(rank) / columns_ : slotOf(rank) / columns_; }

    void placeCards() {
        const Heights heights = heightsOf(layout_.kind);
        const double free = area_.height() - needed(0);
        const double fitting = std::floor(free / (rows_ * lines_ * stack_));
        cardHeight_ = isDots() ? cardWidth_ : std::clamp(fitting, heights.least, heights.most);
        layout_.height = needed(cardHeight_);
        for (int rank = 0; rank < mesh_.ranks(); ++rank) {
            const int slot = transposed_ ? rowOf(rank) : slotOf(rank), row = transposed_ ? 0 : rowOf(rank);
            const double x = left_ + slot % columns_ * (cardWidth_ + gap_);
            const double y = lineTop(row, slot / columns_) +
                             mesh_.coordinate(rank, MeshAxis::Tp) * (cardHeight_ + stackGap());
            layout_.cards[static_cast<std::size_t>(rank)] = QRectF(x, y, cardWidth_, cardHeight_);
        }
        if (left_ > side_)
            for (int cfg = 0; cfg < degree(MeshAxis::Cfg); ++cfg) {
                const double top = lineTop(cfg, 0), bottom = lineBottom(cfg, lines_ - 1);
                layout_.heads.push_back({QPointF(0, (top + bottom) / 2), cfg});
            }
    }

    double lineTop(int row, int line) const {
        return row * (lines_ * lineHeight(cardHeight_) + between()) + line * lineHeight(cardHeight_) + head();
    }
    double lineBottom(int row, int line) const {
        return lineTop(row, line) + lineHeight(cardHeight_) - head() - foot();
    }

    QRectF card(int rank) const { return layout_.cards[static_cast<std::size_t>(rank)]; }

    void placeBoxes() {
        if (!hasRing() || isDots()) return;
        // One box a ring position; positions of a single rank share the box of their ring.
        const bool single = degree(MeshAxis::Ulysses) == 1;
        for (int row = 0; row < rows_; ++row)
            for (int line = 0; line < lines_; ++line)
                for (int ring = 0; ring < (single ? 1 : degree(MeshAxis::Ring)); ++ring)
                    placeBox(row, line, ring, single);
    }

    void placeBox(int row, int line, int ring, bool single) {
        QRectF box;
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            if (rowOf(rank) == row && lineOf(rank) == line &&
                (single || mesh_.coordinate(rank, MeshAxis::Ring) == ring))
                box |= card(rank);
        if (box.isNull()) return;
        const double side = std::min(kBoxSide, gap_ / 2 - 1);
        layout_.boxes.push_back({box.adjusted(-side, -4, side, 4), single ? -1 : ring});
    }

    void placeLink(std::size_t index) {
        const MeshLink& link = scene_.links[index];
        LinkShape shape{.link = index};
        switch (link.group) {
        case ExchangeGroup::Ulysses: placeBus(link, shape); break;
        case ExchangeGroup::Ring: placeRing(link, shape); break;
        case ExchangeGroup::Cfg:
        case ExchangeGroup::Pipe: placeBranches(link, shape); break;
        case ExchangeGroup::Tensor: placeStack(link, shape); break;
        case ExchangeGroup::Data:
        case ExchangeGroup::Vae: return;
        }
        layout_.links.push_back(std::move(shape));
    }

    int lane(int rank) const { return mesh_.coordinate(rank, MeshAxis::Tp); }

    /// One trunk a line of cards at a distance from them, joined by an upright behind the first ones.
    template <class Level>
    void placeTrunk(const MeshLink& link, LinkShape& shape, double at, double end, Level level) {
        const auto x = [&](int rank, double part) { return card(rank).left() + card(rank).width() * part; };
        double previous = 0;
        for (int line = 0; line < lines_; ++line) {
            int first = -1, last = -1;
            double y = 0;
            for (const int rank : link.ranks) {
                if (lineOf(rank) != line) continue;
                if (first < 0) first = rank;
                last = rank;
                y = level(rank);
                const QRectF place = card(rank);
                const double edge = y > place.center().y() ? place.bottom() : place.top();
                shape.stubs << QLineF(x(rank, at), edge, x(rank, at), y);
            }
            if (first < 0) continue;
            shape.trunk << QLineF(x(first, at), y, x(last, end), y);
            if (shape.trunk.size() > 1) shape.stubs << QLineF(x(first, at), previous, x(first, at), y);
            previous = y;
        }
    }

    void placeBus(const MeshLink& link, LinkShape& shape) {
        shape.isBus = true;
        const double below = isDots() ? 3 : layout_.wide ? 18 : 10;
        const double shift = isDots() ? 0 : 0.05 * lane(link.firstRank());
        placeTrunk(link, shape, 0.3 - shift, 0.7, [&](int rank) {
            const double step = isDots() ? 0 : kLane * lane(rank);
            return card(rank).bottom() + (stack_ - 1 - lane(rank)) * (cardHeight_ + stackGap()) + below +
                   step;
        });
        if (lane(link.firstRank()) == stack_ - 1) setPill(shape);
    }

    void placeRing(const MeshLink& link, LinkShape& shape) {
        shape.isBus = true;
        const int number =
            mesh_.coordinate(link.firstRank(), MeshAxis::Ulysses) * stack_ + lane(link.firstRank());
        const int level = ringLanes() > 0 ? number % ringLanes() : 0;
        const double above = isDots() ? 3 : 8 + kLane * level;
        placeTrunk(link, shape, 0.5 + 0.04 * level, 0.5 + 0.04 * level, [&](int rank) {
            return card(rank).top() - lane(rank) * (cardHeight_ + stackGap()) - above;
        });
        if (level == ringLanes() - 1) setPill(shape);
    }

    void setPill(LinkShape& shape) const {
        if (layout_.wide && !isDots() && !shape.trunk.isEmpty()) shape.pill = shape.trunk.front().center();
    }

    void placeBranches(const MeshLink& link, LinkShape& shape) {
        for (std::size_t i = 1; i < link.ranks.size(); ++i) {
            const QRectF one = card(link.ranks[i - 1]), other = card(link.ranks[i]);
            if (transposed_ && std::abs(one.top() - other.top()) < 1) {
                shape.trunk << QLineF(one.right(), one.center().y(), other.left(), other.center().y());
                continue;
            }
            const double x = one.left() + one.width() * 0.72 - kLane * lane(link.firstRank());
            shape.trunk << QLineF(x, one.bottom(), x, other.top());
        }
        if (layout_.wide && !isDots() && link.firstRank() == 0 && !transposed_)
            shape.pill = QPointF(shape.trunk.front().x1() + 8, shape.trunk.front().y2() - 16);
    }

    void placeStack(const MeshLink& link, LinkShape& shape) {
        shape.isBus = true;
        for (std::size_t i = 1; i < link.ranks.size(); ++i) {
            const QRectF one = card(link.ranks[i - 1]), other = card(link.ranks[i]);
            shape.trunk << QLineF(one.center().x(), one.bottom(), other.center().x(), other.top());
        }
    }

    const MeshScene& scene_;
    const QSizeF area_;
    const MeshDegrees mesh_;
    int slots_, rows_, stack_;
    bool transposed_ = false;
    int columns_ = 1, lines_ = 1;
    double left_ = 0, side_ = 0, gap_ = 8, cardWidth_ = 0, cardHeight_ = 0;
    MeshLayout layout_;
};

} // namespace

MeshLayout layOutMesh(const MeshScene& scene, const QSizeF& area) {
    return Layouter(scene, area).run();
}

} // namespace reelmesh
