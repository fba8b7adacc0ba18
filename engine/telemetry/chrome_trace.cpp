#include "telemetry/chrome_trace.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

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
    case EventWork::Norm: return "norm";
    case EventWork::Cfg: return "cfg";
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
    if (event.kind == EventKind::Exchange)
        return std::string(exchange_purpose_name(static_cast<ExchangePurpose>(event.detail))) + " exchange";
    std::string name(work_name(event.work));
    if (event.kind == EventKind::Block && event.block >= 0) name += " " + std::to_string(event.block);
    return name;
}

double microseconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e3;
}

Track track_of(const TelemetryEvent& event) {
    if (event.kind == EventKind::Exchange) return kCommunication;
    return event.work == EventWork::Copy ? kCopy : kCompute;
}

/// One collective of one group; its members share it.
using CallKey = std::tuple<ExchangeGroup, std::int16_t, std::uint64_t>;

CallKey call_of(const ExchangeRecord& record) {
    return {record.group, record.first_rank, record.sequence};
}

void add_records(const std::vector<ExchangeRecord>& records, std::int64_t base_ns, Json& list) {
    std::map<CallKey, std::int64_t> all_ready_ns;
    for (const ExchangeRecord& record : records)
        all_ready_ns[call_of(record)] = std::max(all_ready_ns[call_of(record)], record.ready_ns);
    for (const ExchangeRecord& record : records) {
        const std::int64_t all_ready = all_ready_ns[call_of(record)];
        const std::int64_t wait = std::max<std::int64_t>(0, std::min(record.end_ns, all_ready) -
                                                                std::max(record.ready_ns, record.start_ns));
        const std::int64_t transfer =
            record.end_ns - std::min(record.end_ns, std::max(record.start_ns, all_ready));
        Json arguments{{"op", exchange_op_name(record.op)},
                       {"group", exchange_group_name(record.group)},
                       {"ranks", record.group_size},
                       {"index", record.index},
                       {"sequence", record.sequence},
                       {"bytes", record.bytes_sent},
                       {"bytes_received", record.bytes_received},
                       {"link", link_kind_name(record.link)},
                       {"wait_us", microseconds(wait)},
                       {"transfer_us", microseconds(transfer)}};
        if (record.step >= 0) arguments["step"] = record.step;
        if (record.layer >= 0) arguments["block"] = record.layer;
        if (record.branch >= 0) arguments["branch"] = record.branch;
        if (record.expert >= 0) arguments["expert"] = record.expert;
        if (record.hop >= 0) arguments["hop"] = record.hop;
        list.push_back({{"name", std::string(exchange_purpose_name(record.purpose)) + " exchange"},
                        {"ph", "X"},
                        {"pid", record.rank},
                        {"tid", static_cast<int>(kCommunication)},
                        {"ts", microseconds(record.start_ns - base_ns)},
                        {"dur", microseconds(record.end_ns - record.start_ns)},
                        {"args", std::move(arguments)}});
    }
}

Json name_record(const char* what, int pid, int tid, const std::string& name) {
    return {{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", tid}, {"args", {{"name", name}}}};
}

} // namespace

std::string chrome_trace_json(std::vector<TelemetryEvent> events, const std::vector<ExchangeRecord>& records,
                              std::uint64_t dropped, std::string_view mesh) {
    if (!records.empty())
        std::erase_if(events, [](const TelemetryEvent& event) { return event.kind == EventKind::Exchange; });
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
            arguments["wait_us"] = microseconds(event.wait_ns);
        }
        list.push_back({{"name", event_name(event)},
                        {"ph", "X"},
                        {"pid", pid},
                        {"tid", tid},
                        {"ts", microseconds(event.start_ns - base_ns)},
                        {"dur", microseconds(event.end_ns - event.start_ns)},
                        {"args", std::move(arguments)}});
    }
    add_records(records, base_ns, list);
    for (const ExchangeRecord& record : records)
        tracks.emplace(record.rank, kCommunication);
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
