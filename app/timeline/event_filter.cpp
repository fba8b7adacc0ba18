#include "event_filter.h"

#include <algorithm>

namespace reelmesh {

bool EventFilter::matches(const TelemetryEvent& event, const TraceView& view) {
    if (words_.isEmpty()) return true;
    // Names of blocks and steps carry their number.
    const auto number = event.kind == EventKind::Step ? event.step : event.block;
    const quint64 sort = quint64(quint16(event.rank)) << 48 | quint64(quint16(number)) << 32 |
                         quint64(event.detail & 0xFF) << 24 | quint64(quint8(event.kind)) << 16 |
                         quint64(quint8(event.work)) << 8 | quint64(quint8(event.group));
    const auto found = known_.constFind(sort);
    if (found != known_.constEnd()) return *found;
    QString text =
        QString::fromStdString(event_name(event)) + ' ' + QLatin1String(event_kind_name(event)) + ' ';
    if (event.kind == EventKind::Exchange) text += QLatin1String(exchange_op_name(event.op)) + ' ';
    text += laneName(laneOf(event)) + ' ';
    text += event.rank < 0 ? QStringLiteral("host")
                           : QStringLiteral("rank %1 %2 %3")
                                 .arg(event.rank)
                                 .arg(view.rankName(event.rank), view.rankPlace(event.rank));
    text = text.toLower();
    const bool matches =
        std::all_of(words_.begin(), words_.end(), [&](const QString& word) { return text.contains(word); });
    known_.insert(sort, matches);
    return matches;
}

} // namespace reelmesh
