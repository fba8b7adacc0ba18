#include "timeline_painter.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr double kCalm = 1.05, kSlow = 1.25;
constexpr int kLeastMark_px = 90, kChipHeight = 14;
constexpr int kLaneText = 10;

QString text(const char* words) {
    return QCoreApplication::translate("Timeline", words);
}

QColor withAlpha(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

class Painting {
public:
    Painting(QPainter& painter, const QRect& clip, const TimelineScene& scene, const Tokens& tokens)
        : p_(painter), clip_(clip), s_(scene), t_(tokens), isLight_(tokens.window.lightness() > 128) {}

    void run() {
        p_.fillRect(clip_, t_.window);
        p_.save();
        p_.setClipRect(QRect(0, s_.headHeight(), s_.size.width(), s_.size.height()).intersected(clip_));
        paintRows();
        paintSelection();
        paintMarked();
        p_.restore();
        paintHead();
        paintFlags();
        paintCursor();
        p_.fillRect(s_.gutter - 1, 0, 1, s_.size.height(), t_.border);
    }

private:
    QRectF area() const { return QRectF(s_.gutter, 0, s_.size.width() - s_.gutter, s_.size.height()); }
    int rowTop(int top) const { return s_.headHeight() + top - s_.scroll; }

    void paintRows() {
        const auto& entries = s_.layout->entries();
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const QRect row(0, rowTop(entries[i].top), s_.size.width(), entries[i].row->height());
            if (!row.intersects(clip_)) continue;
            const bool isFocused = s_.focusRank >= 0 && entries[i].row->rank() == s_.focusRank;
            if (isFocused) p_.fillRect(row, t_.selection);
            if (i < s_.list->rows.size() && row.right() >= s_.gutter) paintBands(s_.list->rows[i], row.top());
            if (clip_.left() < s_.gutter) paintRowHead(*entries[i].row, row);
            p_.fillRect(row.left(), row.bottom(), row.width(), 1, t_.border);
        }
    }

    void paintBands(const DrawRow& row, int top) {
        p_.save();
        p_.setClipRect(area().intersected(QRectF(clip_)), Qt::IntersectClip);
        for (const DrawBand& band : row.bands) {
            const int y = top + band.top;
            paintRects(band, y);
            const QFont font = laneFont();
            p_.setFont(font);
            const double down = (band.height - QFontMetricsF(font).height()) / 2;
            for (const DrawLabel& label : band.labels) {
                const QRectF place = placed(label.x0, label.x1, y, band.height);
                if (place.right() < clip_.left() || place.left() > clip_.right() + 1) continue;
                p_.setPen(laneStyle(label.lane).text);
                p_.drawStaticText(QPointF(place.left() + 4, place.top() + down),
                                  (*s_.labels)(label.text, font));
            }
            if (!band.curve.empty()) paintCurve(band, y);
        }
        p_.restore();
    }

    QRectF placed(int x0, int x1, int y, int height) const {
        return {s_.gutter + x0 / s_.ratio, double(y), (x1 - x0) / s_.ratio, double(height)};
    }

    // In batches of one colour, in whole device pixels: several times as fast as one by one. Neighbours of
    // one colour are one rectangle to paint: where much is folded, most of them.
    void paintRects(const DrawBand& band, int y) {
        const int top = device(y), height = device(y + band.height) - top, left = device(s_.gutter);
        p_.save();
        p_.scale(1 / s_.ratio, 1 / s_.ratio);
        p_.setPen(Qt::NoPen);
        int last = 0;
        const auto& rects = band.rects;
        for (std::size_t i = 0; i < rects.size();) {
            DrawRect run = rects[i++];
            if (run.x0 < last) flush(); // another layer
            while (i < rects.size() && run.count > 1 && rects[i].count > 1 && rects[i].x0 == run.x1 &&
                   rects[i].lane == run.lane && rects[i].dimmed == run.dimmed)
                run.x1 = rects[i++].x1;
            last = run.x1;
            if (left + run.x1 < device(clip_.left()) || left + run.x0 > device(clip_.right() + 1)) continue;
            const int gap = run.x1 - run.x0 > 5 * s_.ratio && run.count == 1 ? 1 : 0;
            const QRect place(left + run.x0, top, run.x1 - run.x0 - gap, height);
            const LanePattern pattern = laneStyle(run.lane).pattern;
            // A pattern needs some pixels to be seen; a narrow hatch would be a smear.
            if (run.dimmed || (pattern != LanePattern::Solid && place.width() >= 3 * s_.ratio))
                special_.push_back({place, run.lane, run.dimmed});
            else
                plain_[static_cast<std::size_t>(run.lane)].push_back(place);
        }
        flush();
        p_.restore();
    }

    int device(int logical) const { return static_cast<int>(std::lround(logical * s_.ratio)); }

    void flush() {
        for (std::size_t lane = 0; lane < plain_.size(); ++lane) {
            if (plain_[lane].isEmpty()) continue;
            const LaneStyle& style = laneStyle(static_cast<Lane>(lane));
            p_.setBrush(style.pattern == LanePattern::Hatch ? withAlpha(style.color, 0.6) : style.color);
            p_.drawRects(plain_[lane]);
            if (isLight_) paintEdges(plain_[lane]);
            plain_[lane].clear();
        }
        for (const Special& one : special_) {
            if (one.dimmed) p_.setOpacity(0.22);
            fillPattern(one.place, one.lane);
            if (one.dimmed) p_.setOpacity(1);
        }
        special_.clear();
    }

    // Patterns count in logical pixels, and begin at the event.
    void fillPattern(const QRect& place, Lane lane) {
        p_.save();
        p_.scale(s_.ratio, s_.ratio);
        fillLane(p_,
                 QRectF(place.x() / s_.ratio, place.y() / s_.ratio, place.width() / s_.ratio,
                        place.height() / s_.ratio),
                 lane);
        p_.restore();
    }

    void paintEdges(const QVector<QRect>& places) {
        const int line = 1;
        QVector<QRect> edges;
        for (const QRect& place : places) {
            if (place.width() <= 4 * s_.ratio) continue;
            edges << QRect(place.left(), place.top(), place.width(), line)
                  << QRect(place.left(), place.bottom() + 1 - line, place.width(), line)
                  << QRect(place.left(), place.top(), line, place.height())
                  << QRect(place.right() + 1 - line, place.top(), line, place.height());
        }
        p_.setBrush(withAlpha(Qt::black, 0.38));
        p_.drawRects(edges);
    }

    void paintCurve(const DrawBand& band, int y) {
        const QColor color = laneStyle(band.curveLane).color;
        QPolygonF line;
        const auto flush = [&] {
            if (line.size() > 1) {
                QPolygonF filled = line;
                filled << QPointF(line.last().x(), y + band.height)
                       << QPointF(line.first().x(), y + band.height);
                p_.setPen(Qt::NoPen);
                p_.setBrush(withAlpha(color, 0.18));
                p_.drawPolygon(filled);
                p_.setPen(QPen(color, 1.25));
                p_.drawPolyline(line);
            }
            line.clear();
        };
        p_.save();
        p_.setRenderHint(QPainter::Antialiasing);
        for (const QPointF& point : band.curve) {
            if (std::isnan(point.y())) {
                flush();
                continue;
            }
            line << QPointF(s_.gutter + point.x() / s_.ratio, y + band.height * (1 - point.y()));
        }
        flush();
        p_.restore();
    }

    void paintRowHead(const TimelineRow& row, const QRect& place) {
        const TimelineRow::Head head = row.head(*s_.trace);
        const QRect gutter(0, place.top(), s_.gutter - 1, place.height());
        const bool compact = row.height() < 16;
        const QFont bold = metrics::textFont(compact ? kLaneText - 1 : metrics::kSmallText, QFont::DemiBold);
        const QFont plain = metrics::textFont(compact ? kLaneText - 1 : metrics::kSmallText);
        const int line = std::min(row.height(), 23);
        int x = 22;
        if (head.foldable && !compact) paintArrow(QPointF(12, gutter.top() + line / 2.0), head.open);
        const int right = gutter.right() - 6;
        const QRect first(x, gutter.top(), right - x, line);
        int room = first.width();
        if (!head.remark.isEmpty() && s_.gutter > 120) {
            const bool warns = head.remark.startsWith(QChar(0x25B2));
            p_.setFont(warns ? plain : metrics::numberFont(kLaneText));
            p_.setPen(warns ? t_.warning : t_.muted);
            p_.drawText(first, Qt::AlignRight | Qt::AlignVCenter, head.remark);
            room -= p_.fontMetrics().horizontalAdvance(head.remark) + 4;
        }
        p_.setFont(head.foldable ? bold : plain);
        p_.setPen(head.foldable ? t_.text : t_.second);
        const QString name = p_.fontMetrics().elidedText(head.name, Qt::ElideRight, room);
        p_.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, name);
        const int used = p_.fontMetrics().horizontalAdvance(name) + 5;
        if (!head.place.isEmpty() && used < room) {
            p_.setFont(plain);
            p_.setPen(t_.muted);
            p_.drawText(first.adjusted(used, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                        p_.fontMetrics().elidedText(head.place, Qt::ElideRight, room - used));
        }
        p_.setFont(metrics::textFont(kLaneText));
        p_.setPen(t_.muted);
        for (const auto& [top, track] : head.tracks)
            p_.drawText(QRect(x, gutter.top() + top, right - x, 16), Qt::AlignRight | Qt::AlignVCenter,
                        track);
    }

    void paintArrow(const QPointF& centre, bool open) {
        p_.save();
        p_.setRenderHint(QPainter::Antialiasing);
        p_.setPen(QPen(t_.second, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        p_.setBrush(Qt::NoBrush);
        const QPolygonF arrow =
            open ? QPolygonF({{-4, -2}, {0, 2}, {4, -2}}) : QPolygonF({{-2, -4}, {2, 0}, {-2, 4}});
        p_.drawPolyline(arrow.translated(centre));
        p_.restore();
    }

    void paintSelection() {
        if (!s_.selection) return;
        const auto [x0, x1] = selectionEdges();
        p_.fillRect(QRectF(x0, s_.headHeight(), x1 - x0, s_.size.height()).intersected(area()),
                    withAlpha(t_.accent, 0.09));
    }

    std::pair<double, double> selectionEdges() const {
        const double limit = 2.0 * s_.size.width();
        return {s_.gutter + std::clamp(s_.axis.x(s_.selection->begin_ns), -limit, limit),
                s_.gutter + std::clamp(s_.axis.x(s_.selection->end_ns), -limit, limit)};
    }

    void paintMarked() {
        if (s_.hovered)
            if (const QRectF place = s_.placeOf(*s_.hovered).intersected(area()); !place.isEmpty())
                outline(place, withAlpha(t_.text, 0.7));
        std::vector<QRectF> places;
        for (const EventRef& ref : s_.marked)
            if (const QRectF place = s_.placeOf(ref); !place.isEmpty()) places.push_back(place);
        p_.save();
        p_.setClipRect(area(), Qt::IntersectClip);
        p_.setRenderHint(QPainter::Antialiasing);
        p_.setBrush(Qt::NoBrush);
        for (const auto& pen : {QPen(t_.window, 4), QPen(t_.text, 2)})
            for (std::size_t i = 1; i < places.size(); ++i) {
                p_.setPen(pen);
                p_.drawPath(curve(places[i - 1].center(), places[i].center()));
            }
        p_.restore();
        for (const QRectF& place : places)
            outline(place.intersected(area()), t_.text);
    }

    static QPainterPath curve(const QPointF& from, const QPointF& to) {
        QPainterPath path(from);
        const QPointF bend((to.y() - from.y()) / 4, (to.y() - from.y()) / 3);
        path.cubicTo(from + bend, to - QPointF(-bend.x(), bend.y()), to);
        return path;
    }

    void outline(const QRectF& place, const QColor& color) {
        if (place.isEmpty()) return;
        p_.save();
        p_.setRenderHint(QPainter::Antialiasing);
        p_.setPen(QPen(color, 1.5));
        p_.setBrush(Qt::NoBrush);
        p_.drawRoundedRect(place.adjusted(-0.75, -0.75, 0.75, 0.75), 2, 2);
        p_.restore();
    }

    void paintHead() {
        const QRect head(0, 0, s_.size.width(), s_.headHeight());
        if (!head.intersects(clip_)) return;
        p_.fillRect(head, t_.window);
        paintSteps();
        paintRuler();
        if (s_.selection) paintMeasure();
        for (int y = kStepStrip; y <= head.height(); y += 20)
            p_.fillRect(0, y - 1, head.width(), 1, t_.border);
    }

    void gutterText(int top, const QString& words, const QString& number = {}) {
        p_.setFont(metrics::textFont(metrics::kSmallText));
        p_.setPen(t_.muted);
        const QRect place(8, top, s_.gutter - 14, 19);
        const QString shown = p_.fontMetrics().elidedText(words, Qt::ElideRight, place.width());
        p_.drawText(place, Qt::AlignVCenter, shown);
        if (number.isEmpty()) return;
        const int used = p_.fontMetrics().horizontalAdvance(shown) + 5;
        p_.setFont(metrics::numberFont(metrics::kSmallText));
        p_.drawText(place.adjusted(used, 0, 0, 0), Qt::AlignVCenter, number);
    }

    void paintSteps() {
        const auto& steps = s_.trace->steps;
        const QString done = steps.empty() ? QStringLiteral("–") : QString::number(steps.back().step + 1);
        gutterText(0, text("Steps"),
                   s_.trace->totalSteps > 0 ? done + '/' + QString::number(s_.trace->totalSteps) : done);
        std::vector<std::int64_t> times;
        for (const StepSpan& step : steps)
            times.push_back(step.duration_ns());
        std::sort(times.begin(), times.end());
        const double median = times.empty() ? 0 : static_cast<double>(times[times.size() / 2]);
        for (int slot = static_cast<int>(steps.size()); slot < s_.stepSlots(); ++slot)
            p_.fillRect(s_.stepBar(slot).adjusted(0, 12, 0, 0), t_.border);
        for (const StepSpan& step : steps) {
            const double ratio = median > 0 ? static_cast<double>(step.duration_ns()) / median : 1;
            const bool isLast = &step == &steps.back();
            QColor color = ratio <= kCalm ? t_.accent : ratio <= kSlow ? t_.warning : t_.error;
            if (!isLast) color = withAlpha(color, 0.6);
            const QRectF bar = s_.stepBar(step.step);
            p_.fillRect(bar, color);
            if (ratio > kSlow && bar.width() > 6) {
                p_.setFont(metrics::textFont(kLaneText, QFont::DemiBold));
                p_.setPen(t_.text);
                p_.drawText(bar, Qt::AlignCenter, QStringLiteral("!"));
            }
        }
    }

    void paintRuler() {
        const auto [base, name] = s_.rulerBase();
        gutterText(kStepStrip, name);
        const double perPixel = s_.axis.nsPerPixel();
        const std::int64_t step = rulerStep_ns(kLeastMark_px * perPixel);
        p_.save();
        p_.setClipRect(area().intersected(QRectF(clip_)), Qt::IntersectClip);
        p_.setFont(metrics::numberFont(metrics::kSmallText));
        std::int64_t mark = (s_.axis.range().begin_ns - base) / step * step - step;
        for (; base + mark < s_.axis.range().end_ns; mark += step) {
            const double x = s_.gutter + s_.axis.x(base + mark);
            p_.fillRect(QRectF(x, kStepStrip + 3, 1, kRuler - 4), t_.strong);
            p_.setPen(t_.muted);
            p_.drawText(QRectF(x + 5, kStepStrip, kLeastMark_px * 2, kRuler - 1), Qt::AlignVCenter,
                        timeText(mark, static_cast<double>(step)));
        }
        p_.restore();
    }

    void paintMeasure() {
        const int top = kStepStrip + kRuler;
        gutterText(top, text("selection"));
        const auto [x0, x1] = selectionEdges();
        p_.save();
        p_.setClipRect(area().intersected(QRectF(clip_)), Qt::IntersectClip);
        const double y = top + 9.5;
        p_.setPen(QPen(t_.accent, 1.5));
        p_.setRenderHint(QPainter::Antialiasing);
        p_.drawLine(QPointF(x0 + 2, y), QPointF(x1 - 2, y));
        for (const auto& [x, way] : {std::pair(x0 + 2, 1.0), std::pair(x1 - 2, -1.0)})
            p_.drawPolyline(QPolygonF({{x + 4 * way, y - 4}, {x, y}, {x + 4 * way, y + 4}}));
        const QString pill =
            QStringLiteral("Δ ") + durationText(s_.selection->end_ns - s_.selection->begin_ns);
        p_.setFont(metrics::numberFont(metrics::kSmallText));
        const double width = p_.fontMetrics().horizontalAdvance(pill) + 14;
        const double from = std::max(x0, area().left()), to = std::min(x1, area().right());
        const QRectF place(std::clamp((from + to - width) / 2, area().left(), area().right() - width),
                           top + 2.0, width, 15);
        p_.setPen(Qt::NoPen);
        p_.setBrush(t_.accent);
        p_.drawRoundedRect(place, 3, 3);
        p_.setPen(t_.onAccent);
        p_.drawText(place, Qt::AlignCenter, pill);
        p_.restore();
        p_.save();
        p_.setClipRect(area(), Qt::IntersectClip);
        for (const double x : {x0, x1})
            p_.fillRect(QRectF(x - 0.75, top, 1.5, s_.size.height()), t_.accent);
        p_.restore();
    }

    void paintFlags() {
        p_.save();
        p_.setClipRect(area(), Qt::IntersectClip);
        for (const std::int64_t time : s_.flags) {
            const double x = s_.gutter + s_.axis.x(time);
            p_.fillRect(QRectF(x, kStepStrip, 1, s_.size.height()), t_.warning);
            p_.fillRect(QRectF(x, kStepStrip + 2, 7, 6), t_.warning);
        }
        p_.restore();
    }

    void paintCursor() {
        if (!s_.cursorX || *s_.cursorX < 0) return;
        const double x = s_.gutter + *s_.cursorX;
        p_.fillRect(QRectF(x, kStepStrip + 4, 1, s_.size.height()), withAlpha(t_.text, 0.8));
        const QString words = timeText(s_.axis.time_ns(*s_.cursorX) - s_.rulerBase().first,
                                       std::max(10.0, s_.axis.nsPerPixel()));
        p_.setFont(metrics::numberFont(metrics::kSmallText));
        const double width = p_.fontMetrics().horizontalAdvance(words) + 10;
        const QRectF chip(
            std::clamp(x - width / 2, area().left(), std::max(area().left(), area().right() - width)),
            kStepStrip + 2.0, width, kChipHeight + 1);
        p_.fillRect(chip, t_.text);
        p_.setPen(t_.window);
        p_.drawText(chip, Qt::AlignCenter, words);
    }

    struct Special {
        QRect place; ///< device pixels
        Lane lane;
        bool dimmed;
    };

    QPainter& p_;
    const QRect clip_;
    const TimelineScene& s_;
    const Tokens& t_;
    const bool isLight_;
    std::array<QVector<QRect>, kLanes> plain_; ///< device pixels, by colour
    std::vector<Special> special_;
};

} // namespace

const QStaticText& LabelCache::operator()(const QString& text, const QFont& font) {
    if (font_ != font || texts_.size() > kMost) {
        texts_.clear();
        font_ = font;
    }
    QStaticText& label = texts_[text];
    if (label.text().isEmpty()) {
        label.setText(text);
        label.setTextFormat(Qt::PlainText);
        label.prepare({}, font);
    }
    return label;
}

QFont laneFont() {
    return metrics::textFont(kLaneText);
}

int TimelineScene::stepSlots() const {
    const int seen = trace->steps.empty() ? 0 : trace->steps.back().step + 1;
    return std::max(seen, trace->totalSteps);
}

QRectF TimelineScene::stepBar(int step) const {
    const double room = size.width() - gutter - 8, width = std::min(room / std::max(1, stepSlots()), 60.0);
    return {gutter + 4 + step * width, 4, std::max(1.0, width - (width > 3 ? 1 : 0)), 14};
}

std::pair<std::int64_t, QString> TimelineScene::rulerBase() const {
    const TimeRange& range = axis.range();
    for (const StepSpan& step : trace->steps) {
        const std::int64_t slack = step.duration_ns() / 20;
        if (range.begin_ns >= step.start_ns - slack && range.end_ns <= step.end_ns + slack)
            return {step.start_ns, text("step %1, from its start").arg(step.step + 1)};
    }
    return {trace->span.begin_ns, text("from the start")};
}

QRectF TimelineScene::placeOf(const EventRef& ref) const {
    const std::optional<TelemetryEvent> event = eventAt(*trace, ref);
    const TimelineLayout::Entry* entry = layout->ofRank(ref.lane.rank);
    if (!event || !entry) return {};
    const auto [top, height] = entry->row->placeOf(*trace, ref.lane);
    if (height == 0) return {};
    const double limit = 2.0 * size.width();
    const double x0 = std::clamp(axis.x(event->start_ns), -limit, limit),
                 x1 = std::clamp(axis.x(event->end_ns), -limit, limit);
    return {gutter + x0, double(headHeight() + entry->top + top - scroll), std::max(2.0, x1 - x0),
            double(height)};
}

void paintTimeline(QPainter& painter, const QRect& clip, const TimelineScene& scene) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    Painting(painter, clip, scene, *scene.tokens).run();
}

} // namespace reelmesh
