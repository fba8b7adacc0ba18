// Which events the search asks for: by name, kind or rank. Remembers the answer for each sort of event; one
// thread.
#pragma once

#include <QHash>
#include <QString>

#include "models/trace_view.h"

namespace reelmesh {

class EventFilter {
public:
    /// "": everything. Words are joined by "and"; view: names the ranks.
    explicit EventFilter(const QString& text = {})
        : words_(text.simplified().toLower().split(' ', Qt::SkipEmptyParts)) {}

    bool isActive() const { return !words_.isEmpty(); }
    bool matches(const TelemetryEvent& event, const TraceView& view);

private:
    QStringList words_;
    QHash<quint64, bool> known_;
};

} // namespace reelmesh
