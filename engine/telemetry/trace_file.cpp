#include "telemetry/trace_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/check.h"
#include "base/file_ops.h"
#include "base/regular_file.h"

namespace reelmesh {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::int16_t kMostRanks = 4096;
constexpr std::uint64_t kMostDetail = 2;
/// Two years: sums over kinds and ranks stay far from the end of the numbers.
constexpr std::int64_t kLatest_ns = std::int64_t{1} << 56;

/// FNV-1a over words of eight bytes, four at a time: a million events in a few milliseconds.
class CheckSum {
public:
    void add(const void* data, std::size_t size) {
        const char* at = static_cast<const char*>(data);
        for (; size >= kBlock; at += kBlock, size -= kBlock)
            for (std::size_t lane = 0; lane < 4; ++lane)
                mix(lane, at + lane * 8, 8);
        for (std::size_t lane = 0; size > 0; ++lane) {
            const std::size_t part = std::min<std::size_t>(size, 8);
            mix(lane, at, part);
            at += part;
            size -= part;
        }
    }
    std::uint64_t value() const {
        std::uint64_t sum = kBasis;
        for (const std::uint64_t lane : lanes_)
            sum = (sum ^ lane) * kPrime;
        return sum;
    }

private:
    static constexpr std::uint64_t kBasis = 14695981039346656037U, kPrime = 1099511628211U;
    static constexpr std::size_t kBlock = 32;

    void mix(std::size_t lane, const char* at, std::size_t size) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, size);
        lanes_[lane] = (lanes_[lane] ^ word) * kPrime;
        lanes_[lane] ^= lanes_[lane] >> 29;
    }

    std::uint64_t lanes_[4] = {kBasis, kBasis + 1, kBasis + 2, kBasis + 3};
};

[[noreturn]] void refuse(const std::string& file, const char* reason, const std::string& found,
                         const std::string& needed, const char* remedy) {
    fail(ErrorCode::FileUnreadable, {{"file", file},
                                     {"reason", std::string(reason)},
                                     {"found", found},
                                     {"needed", needed},
                                     {"remedy", std::string(remedy)}});
}

constexpr const char* kSaveAgain = "save or copy the trace again";

[[noreturn]] void refuse_damaged(const std::string& file, const std::string& found,
                                 const std::string& needed) {
    refuse(file, "the trace is damaged", found, needed, kSaveAgain);
}

/// Strings and counters between head and events.
class TextReader {
public:
    TextReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    std::string string() {
        const auto size = number<std::uint64_t>();
        return std::string(take(size));
    }
    template <class T>
    T number() {
        T value{};
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> numbers(std::uint64_t count) {
        if (count > text_.size() / sizeof(T)) refuse_short();
        std::vector<T> values(count);
        if (count > 0) std::memcpy(values.data(), take(count * sizeof(T)).data(), count * sizeof(T));
        return values;
    }
    /// Of things that take at least so many bytes each.
    std::uint64_t count(std::size_t least_bytes) {
        const auto count = number<std::uint64_t>();
        if (count > text_.size() / least_bytes) refuse_short();
        return count;
    }
    void end() const {
        if (!text_.empty()) refuse_damaged(file_, std::to_string(text_.size()) + " surplus bytes", "none");
    }

private:
    [[noreturn]] void refuse_short() const {
        refuse_damaged(file_, std::to_string(text_.size()) + " bytes of text", "more");
    }
    std::string_view take(std::uint64_t size) {
        if (size > text_.size()) refuse_short();
        const std::string_view taken = text_.substr(0, size);
        text_.remove_prefix(size);
        return taken;
    }

    std::string_view text_;
    const std::string& file_;
};

void add_number(std::string& text, std::uint64_t value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void add_string(std::string& text, const std::string& value) {
    add_number(text, value.size());
    text += value;
}

template <class T>
void add_numbers(std::string& text, const std::vector<T>& values) {
    text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

TraceHead read_head(const ReadAt& read, std::uint64_t size_bytes, const std::string& file) {
    TraceHead head;
    const TraceHead own;
    if (size_bytes < sizeof head) {
        refuse(file, "no trace", std::to_string(size_bytes) + " bytes", std::to_string(sizeof head),
               "choose a .reeltrace file");
    }
    read(0, &head, sizeof head);
    if (std::memcmp(head.magic, own.magic, sizeof own.magic) != 0)
        refuse(file, "no trace", "another kind of file", "a .reeltrace file", "choose another file");
    if (head.version != kTraceVersion)
        refuse(file, "another version of traces", std::to_string(head.version), std::to_string(kTraceVersion),
               "open it with the program that wrote it, or record it again");
    if (head.event_bytes != own.event_bytes)
        refuse_damaged(file, "events of " + std::to_string(head.event_bytes) + " bytes",
                       std::to_string(own.event_bytes));
    if (head.events > kMostTraceEvents)
        fail(ErrorCode::LimitExceeded, {{"file", file},
                                        {"what", std::string("the number of events")},
                                        {"found", head.events},
                                        {"needed", kMostTraceEvents}});
    if (head.text_bytes > kMostTraceTextBytes)
        fail(ErrorCode::LimitExceeded, {{"file", file},
                                        {"what", std::string("the text of the trace")},
                                        {"found", head.text_bytes},
                                        {"needed", kMostTraceTextBytes}});
    const std::uint64_t needed = sizeof head + head.text_bytes + head.events * sizeof(TelemetryEvent);
    if (size_bytes < needed)
        fail(ErrorCode::Truncated, {{"file", file}, {"found_bytes", size_bytes}, {"needed_bytes", needed}});
    if (size_bytes > needed)
        fail(ErrorCode::TrailingBytes, {{"file", file}, {"found_bytes", size_bytes - needed}});
    return head;
}

bool is_sound(const TelemetryEvent& event) {
    return event.kind > EventKind::None && event.kind <= EventKind::Encode && event.work <= EventWork::Save &&
           event.group <= ExchangeGroup::Vae && event.op <= ExchangeOp::Barrier &&
           event.link <= LinkKind::Network && event.start_ns >= 0 && event.start_ns <= event.end_ns &&
           event.end_ns <= kLatest_ns && event.wait_ns >= 0 && event.wait_ns <= kLatest_ns &&
           event.rank >= -1 && event.rank < kMostRanks && event.first_rank >= -1 &&
           event.first_rank < kMostRanks;
}

} // namespace

std::uint64_t trace_check_sum(std::uint64_t dropped, std::string_view text, const void* events,
                              std::size_t event_count) {
    CheckSum sum;
    sum.add(&dropped, sizeof dropped);
    sum.add(text.data(), text.size());
    sum.add(events, event_count * sizeof(TelemetryEvent));
    return sum.value();
}

std::string trace_start(const Trace& trace) {
    std::string text;
    add_string(text, trace.mesh);
    add_string(text, trace.job_json);
    add_number(text, static_cast<std::uint64_t>(trace.detail));
    add_number(text, trace.devices.size());
    for (const std::string& device : trace.devices)
        add_string(text, device);
    add_number(text, trace.counters.size());
    for (const TraceCounter& counter : trace.counters) {
        add_string(text, counter.name);
        add_string(text, counter.unit);
        add_number(text, counter.values.size());
        add_numbers(text, counter.times_ns);
        add_numbers(text, counter.values);
    }
    TraceHead head;
    head.events = trace.events.size();
    head.text_bytes = text.size();
    head.dropped = trace.dropped;
    head.check_sum = trace_check_sum(head.dropped, text, trace.events.data(), trace.events.size());
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + text;
}

Trace parse_trace(const ReadAt& read, std::uint64_t size_bytes, const std::string& file) {
    const TraceHead head = read_head(read, size_bytes, file);
    std::string text(head.text_bytes, '\0');
    Trace trace;
    trace.events.resize(head.events);
    if (!text.empty()) read(sizeof head, text.data(), text.size());
    if (head.events > 0)
        read(sizeof head + text.size(), trace.events.data(), head.events * sizeof(TelemetryEvent));
    const std::uint64_t sum = trace_check_sum(head.dropped, text, trace.events.data(), trace.events.size());
    if (sum != head.check_sum)
        refuse_damaged(file, "check sum " + std::to_string(sum), std::to_string(head.check_sum));

    TextReader reader(text, file);
    trace.dropped = head.dropped;
    trace.mesh = reader.string();
    trace.job_json = reader.string();
    const auto detail = reader.number<std::uint64_t>();
    if (detail > kMostDetail)
        refuse_damaged(file, "detail " + std::to_string(detail), "0 to " + std::to_string(kMostDetail));
    trace.detail = static_cast<int>(detail);
    trace.devices.resize(reader.count(sizeof(std::uint64_t)));
    for (std::string& device : trace.devices)
        device = reader.string();
    trace.counters.resize(reader.count(3 * sizeof(std::uint64_t)));
    for (TraceCounter& counter : trace.counters) {
        counter.name = reader.string();
        counter.unit = reader.string();
        const auto samples = reader.number<std::uint64_t>();
        counter.times_ns = reader.numbers<std::int64_t>(samples);
        counter.values = reader.numbers<double>(samples);
        if (!std::is_sorted(counter.times_ns.begin(), counter.times_ns.end()))
            refuse_damaged(file, "a counter that goes back in time", "rising times");
    }
    reader.end();
    for (std::size_t i = 0; i < trace.events.size(); ++i)
        if (!is_sound(trace.events[i]))
            refuse_damaged(file, "event " + std::to_string(i) + " with values that no event has",
                           "events as they are recorded");
    return trace;
}

Result<Trace> read_trace(const std::string& path) {
    return catch_errors([&] {
        const RegularFile file(path);
        return parse_trace([&](std::uint64_t offset, void* destination,
                               std::size_t size) { file.read_at(offset, destination, size); },
                           file.size_bytes(), path);
    });
}

Result<bool> write_trace(const std::string& path, const Trace& trace) {
    return catch_errors([&] {
        const std::string start = trace_start(trace);
        PendingFile file(path, "trace");
        file.write(start.data(), start.size());
        file.write(trace.events.data(), trace.events.size() * sizeof(TelemetryEvent));
        file.finish();
        file.commit_replacing();
        return true;
    });
}

} // namespace reelmesh
