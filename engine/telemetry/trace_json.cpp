// Written by hand, an event at a time: a tree of a million events would take gigabytes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/check.h"
#include "base/file_ops.h"
#include "engine/trace.h"

namespace reelmesh {
namespace {

constexpr std::array<const char*, 3> kTrackNames{"compute", "communication", "copy"};
constexpr int kHostPid = 1 << 16; ///< behind all ranks

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

int pid_of(const TelemetryEvent& event) {
    return event.rank < 0 ? kHostPid : event.rank;
}

/// The members of each group, as seen in the trace.
using GroupRanks = std::map<std::tuple<ExchangeGroup, std::uint8_t, std::int16_t>, std::set<int>>;

class Writer {
public:
    explicit Writer(const Trace& trace) : trace_(trace), events_(trace.events) {
        // Longer spans first at one start, so that viewers nest them.
        std::sort(events_.begin(), events_.end(), [](const TelemetryEvent& a, const TelemetryEvent& b) {
            return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
        });
        base_ns_ = trace_span(events_).begin_ns;
        for (const TelemetryEvent& event : events_) {
            if (event.kind != EventKind::Exchange) continue;
            groups_[{event.group, event.group_size, event.first_rank}].insert(event.rank);
            calls_[collective_of(event)].push_back(&event);
        }
    }

    std::string text() {
        text_.reserve(events_.size() * 200 + 1024);
        text_ += "{\"traceEvents\":[";
        for (const TelemetryEvent& event : events_)
            add_slice(event);
        for (const auto& [key, members] : calls_)
            add_flow(members);
        add_names();
        text_ += "],\"displayTimeUnit\":\"ms\",\"otherData\":{\"mesh\":" + quoted(trace_.mesh) +
                 ",\"dropped\":" + std::to_string(trace_.dropped) + "}}";
        return std::move(text_);
    }

private:
    void separate() {
        if (text_.back() != '[') text_ += ",\n";
    }
    void number(std::int64_t value) {
        std::array<char, 24> buffer{};
        text_.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
    }
    void real(double value) {
        if (!std::isfinite(value)) {
            text_ += "null";
            return;
        }
        std::array<char, 32> buffer{};
        text_.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
    }
    void microseconds(std::int64_t ns) {
        number(ns / 1000);
        std::array<char, 4> digits{'.', static_cast<char>('0' + ns / 100 % 10),
                                   static_cast<char>('0' + ns / 10 % 10), static_cast<char>('0' + ns % 10)};
        text_.append(digits.data(), digits.size());
    }
    void place(const TelemetryEvent& event) {
        text_ += ",\"pid\":";
        number(pid_of(event));
        text_ += ",\"tid\":";
        number(static_cast<int>(track_of(event)));
    }
    void argument(const char* name, std::int64_t value) {
        if (text_.back() != '{') text_ += ',';
        text_ += '"';
        text_ += name;
        text_ += "\":";
        number(value);
    }
    void argument(const char* name, const char* value) {
        if (text_.back() != '{') text_ += ',';
        text_ += '"';
        text_ += name;
        text_ += "\":\"";
        text_ += value;
        text_ += '"';
    }
    void rate(const char* name, double bytes_per_s) {
        text_ += ",\"";
        text_ += name;
        text_ += "\":";
        real(bytes_per_s * 1e-9);
    }

    void add_slice(const TelemetryEvent& event) {
        separate();
        text_ += "{\"ph\":\"X\",\"name\":" + quoted(event_name(event));
        place(event);
        text_ += ",\"ts\":";
        microseconds(event.start_ns - base_ns_);
        text_ += ",\"dur\":";
        microseconds(event.end_ns - event.start_ns);
        text_ += ",\"args\":{";
        if (event.step >= 0) argument("step", event.step);
        if (event.block >= 0) argument("block", event.block);
        if (event.kind == EventKind::Block) argument("branch", event.detail);
        if (event.kind == EventKind::Exchange) add_exchange(event);
        text_ += "}}";
        tracks_.emplace(pid_of(event), static_cast<int>(track_of(event)));
    }

    void add_exchange(const TelemetryEvent& event) {
        argument("op", exchange_op_name(event.op));
        argument("group", exchange_group_name(event.group));
        argument("sequence", event.sequence);
        argument("bytes", static_cast<std::int64_t>(event.bytes));
        argument("bytes_received", static_cast<std::int64_t>(event.bytes_received));
        argument("link", link_kind_name(event.link));
        const std::int64_t transfer = transfer_ns(event);
        text_ += ",\"wait_us\":";
        microseconds(event.end_ns - event.start_ns - transfer);
        text_ += ",\"transfer_us\":";
        microseconds(transfer);
        rate("algorithm_gb_s", algorithm_rate(event));
        rate("bus_gb_s", bus_rate(event));
        argument("Collective name", exchange_op_name(event.op));
        argument("dtype", "Byte");
        argument("In msg nelems", static_cast<std::int64_t>(event.bytes));
        argument("Out msg nelems", static_cast<std::int64_t>(event.bytes_received));
        argument("Group size", event.group_size);
        text_ += ",\"Process Group Name\":\"";
        text_ += exchange_group_name(event.group);
        text_ += "\",\"Process Group Ranks\":\"[";
        bool first = true;
        for (const int rank : groups_[{event.group, event.group_size, event.first_rank}]) {
            if (!first) text_ += ", ";
            first = false;
            number(rank);
        }
        text_ += "]\"";
    }

    void add_flow(const std::vector<const TelemetryEvent*>& members) {
        if (members.size() < 2) return;
        ++flows_;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const TelemetryEvent& event = *members[i];
            separate();
            const bool last = i + 1 == members.size();
            text_ += i == 0 ? "{\"ph\":\"s\"" : last ? "{\"ph\":\"f\",\"bp\":\"e\"" : "{\"ph\":\"t\"";
            text_ += ",\"name\":\"collective\",\"cat\":\"collective\",\"id\":";
            number(flows_);
            place(event);
            text_ += ",\"ts\":";
            microseconds(event.start_ns - base_ns_);
            text_ += '}';
        }
    }

    void add_name(const char* what, int pid, int tid, const std::string& name) {
        separate();
        text_ += std::string("{\"ph\":\"M\",\"name\":\"") + what + "\",\"pid\":" + std::to_string(pid) +
                 ",\"tid\":" + std::to_string(tid) + ",\"args\":{\"name\":" + quoted(name) + "}}";
    }

    void add_names() {
        int named = -1;
        for (const auto& [pid, tid] : tracks_) {
            if (pid != named) {
                const auto rank = static_cast<std::size_t>(pid);
                std::string name = pid == kHostPid ? "host" : "rank " + std::to_string(pid);
                if (rank < trace_.devices.size()) name += " " + trace_.devices[rank];
                add_name("process_name", pid, 0, name);
            }
            named = pid;
            add_name("thread_name", pid, tid, kTrackNames[static_cast<std::size_t>(tid)]);
        }
    }

    const Trace& trace_;
    std::vector<TelemetryEvent> events_;
    std::int64_t base_ns_ = 0;
    GroupRanks groups_;
    std::map<CollectiveKey, std::vector<const TelemetryEvent*>> calls_; ///< by start
    std::set<std::pair<int, int>> tracks_;
    std::int64_t flows_ = 0;
    std::string text_;
};

} // namespace

std::string trace_json(const Trace& trace) {
    return Writer(trace).text();
}

Result<bool> write_trace_json(const std::string& path, const Trace& trace) {
    return catch_errors([&] {
        const std::string text = trace_json(trace);
        PendingFile file(path, "trace");
        file.write(text.data(), text.size());
        file.finish();
        file.commit_replacing();
        return true;
    });
}

} // namespace reelmesh
