#include "trace_view.h"

#include <algorithm>

#include "mesh_degrees.h"

namespace reelmesh {
namespace {

void addTouching(const LaneView& lane, const TimeRange& range, std::vector<TelemetryEvent>& events) {
    for (std::size_t i = lane.firstEndingAfter(range.begin_ns); i < lane.size(); ++i) {
        const TelemetryEvent& event = lane.at(i);
        if (event.start_ns >= range.end_ns) break;
        events.push_back(event);
    }
}

} // namespace

QString TraceView::rankName(int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    if (index < devices.size()) return reelmesh::rankName(devices[index], rank);
    return QStringLiteral("Rank %1").arg(rank);
}

QString TraceView::rankPlace(int rank) const {
    const auto degrees = MeshDegrees::parse(mesh);
    return degrees ? degrees->coordinates(rank) : QString();
}

std::optional<TelemetryEvent> eventAt(const TraceView& view, const EventRef& ref) {
    const LaneView* lane = view.lane(ref.lane);
    if (!lane || ref.index >= lane->size()) return std::nullopt;
    return lane->at(ref.index);
}

const StepSpan* stepOf(const TraceView& view, int step) {
    const auto found = std::find_if(view.steps.begin(), view.steps.end(),
                                    [step](const StepSpan& span) { return span.step == step; });
    return found == view.steps.end() ? nullptr : &*found;
}

Trace toTrace(const TraceView& view) {
    Trace trace;
    trace.events.reserve(view.events);
    for (const auto& [key, lane] : view.lanes)
        for (std::size_t chunk = 0; chunk < lane.numChunks(); ++chunk) {
            const auto events = lane.eventsOf(chunk);
            trace.events.insert(trace.events.end(), events.begin(), events.end());
        }
    std::stable_sort(trace.events.begin(), trace.events.end(),
                     [](const TelemetryEvent& a, const TelemetryEvent& b) {
                         return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
                     });
    trace.dropped = view.dropped;
    trace.mesh = view.mesh.toStdString();
    trace.devices = view.devices;
    trace.job_json = view.jobJson;
    trace.detail = view.detail;
    for (const auto& counter : view.counters)
        trace.counters.push_back(*counter);
    return trace;
}

std::vector<TotalsRow> totalsOf(const TraceView& view, const TimeRange& range) {
    // What is inside of a block or step that touches the range matters even outside of it.
    TimeRange whole = range;
    for (const EventKind kind : {EventKind::Step, EventKind::Block}) {
        const TimeRange touched = whole;
        for (const auto& [key, lane] : view.lanes) {
            if (key.kind != kind) continue;
            std::vector<TelemetryEvent> events;
            addTouching(lane, touched, events);
            for (const TelemetryEvent& event : events) {
                whole.begin_ns = std::min(whole.begin_ns, event.start_ns);
                whole.end_ns = std::max(whole.end_ns, event.end_ns);
            }
        }
    }
    std::vector<TelemetryEvent> events;
    for (const auto& [key, lane] : view.lanes)
        if (key.rank >= 0) addTouching(lane, whole, events);
    return trace_totals(events, range.begin_ns, range.end_ns);
}

} // namespace reelmesh
