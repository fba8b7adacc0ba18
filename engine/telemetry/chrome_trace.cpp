#include "telemetry/chrome_trace.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/error.h"

namespace reelmesh {
namespace {

using Json = nlohmann::ordered_json;

enum Track { kCompute = 0, kCommunication = 1, kCopy = 2 };
constexpr std::array<const char*, 3> kTrackNames{"compute", "communication", "copy"};
constexpr int kHostPid = 1000; ///< behind all ranks

std::string_view work_name(EventWork work) {
    switch (work) {
    case EventWork::None: return "work";
    case EventWork::Load: return "load";
    case EventWork::Text: return "text layer";
    case EventWork::Attention: return "block";
    case EventWork::Linear: return "linear";
    case EventWork::Cfg: return "cfg exchange";
    case EventWork::Wait: return "wait";
    case EventWork::Vae: return "vae chunk";
    case EventWork::Copy: return "copy";
    case EventWork::Save: return "save";
    }
    return "work";
}

std::string event_name(const TelemetryEvent& event) {
    if (event.kind == EventKind::Stage) return stage_name(static_cast<Stage>(event.detail));
    if (event.kind == EventKind::Step) return "step " + std::to_string(event.step + 1);
    if (event.kind == EventKind::Preview) return "preview";
    std::string name(work_name(event.work));
    if (event.kind == EventKind::Block && event.block >= 0) name += " " + std::to_string(event.block);
    return name;
}

Track track_of(const TelemetryEvent& event) {
    if (event.kind == EventKind::Exchange) return kCommunication;
    return event.work == EventWork::Copy ? kCopy : kCompute;
}

Json name_record(const char* what, int pid, int tid, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

} // namespace

std::string chrome_trace_json(std::vector<TelemetryEvent> events, std::uint64_t dropped,
                              std::string_view mesh) {
    // Longer spans first at one start, so that viewers nest them.
    std::sort(events.begin(), events.end(), [](const TelemetryEvent& a, const TelemetryEvent& b) {
        return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
    });
    const std::int64_t base_ns = events.empty() ? 0 : events.front().start_ns;
    Json list = Json::array();
    std::set<std::pair<int, int>> tracks;
    for (const TelemetryEvent& event : events) {
        const int pid = event.rank < 0 ? kHostPid : event.rank;
        const int tid = track_of(event);
        tracks.emplace(pid, tid);
        Json arguments = Json::object();
        if (event.step >= 0) arguments["step"] = event.step;
        if (event.block >= 0) arguments["block"] = event.block;
        if (event.kind == EventKind::Block) arguments["branch"] = event.detail;
        if (event.kind == EventKind::Exchange) {
            arguments["bytes"] = event.bytes;
            arguments["wait_us"] = static_cast<double>(event.wait_ns) / 1e3;
        }
        list.push_back({{"name", event_name(event)},
                        {"ph", "X"},
                        {"pid", pid},
                        {"tid", tid},
                        {"ts", static_cast<double>(event.start_ns - base_ns) / 1e3},
                        {"dur", static_cast<double>(event.end_ns - event.start_ns) / 1e3},
                        {"args", std::move(arguments)}});
    }
    int named_pid = -1;
    for (const auto& [pid, tid] : tracks) {
        if (pid != named_pid)
            list.push_back(name_record("process_name", pid, 0,
                                       pid == kHostPid ? "host" : "rank " + std::to_string(pid)));
        named_pid = pid;
        list.push_back(name_record("thread_name", pid, tid, kTrackNames[static_cast<std::size_t>(tid)]));
    }
    const Json trace = {{"traceEvents", std::move(list)},
                        {"displayTimeUnit", "ms"},
                        {"otherData", {{"mesh", mesh}, {"dropped", dropped}}}};
    return trace.dump();
}

} // namespace reelmesh
