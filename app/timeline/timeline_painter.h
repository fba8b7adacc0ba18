// Paints the timeline from a ready draw list: computes nothing that grows with the number of events. GUI
// thread.
#pragma once

#include <QHash>
#include <QPainter>
#include <QRect>
#include <QStaticText>

#include <memory>
#include <optional>

#include "theme/palette.h"
#include "timeline_row.h"

namespace reelmesh {

inline constexpr int kStepStrip = 20, kRuler = 20, kMeasureRow = 20;

/// Labels laid out once: they come again in every frame. GUI thread.
class LabelCache {
public:
    /// Forgets all when the font is another one, or when there are very many.
    const QStaticText& operator()(const QString& text, const QFont& font);

private:
    static constexpr int kMost = 2000;
    QHash<QString, QStaticText> texts_;
    QFont font_;
};

/// All that is on the screen.
struct TimelineScene {
    LabelCache* labels = nullptr;
    const Tokens* tokens = nullptr;
    const TraceView* trace = nullptr;
    const TimelineLayout* layout = nullptr;
    const DrawList* list = nullptr;
    TimeAxis axis; ///< of the list, logical pixels from the gutter
    QSize size;
    int gutter = 0, scroll = 0;
    double ratio = 1;
    std::optional<TimeRange> selection;
    std::optional<double> cursorX; ///< from the gutter
    int focusRank = -1;
    std::optional<EventRef> hovered;
    std::vector<EventRef> marked; ///< the pinned event and its collective, by rank
    std::vector<std::int64_t> flags;

    int headHeight() const { return kStepStrip + kRuler + (selection ? kMeasureRow : 0); }
    /// Where an event is drawn, in the widget; empty: it is not.
    QRectF placeOf(const EventRef& ref) const;
    /// Of a step's bar in the strip.
    QRectF stepBar(int step) const;
    int stepSlots() const;
    /// The instant that the ruler counts from, and how it is called.
    std::pair<std::int64_t, QString> rulerBase() const;
};

void paintTimeline(QPainter& painter, const QRect& clip, const TimelineScene& scene);
/// Of the labels in events: what prepare() must elide with.
QFont laneFont();

} // namespace reelmesh
