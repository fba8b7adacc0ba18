#include <engine/trace.h>

#include <charconv>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>

#include "commands.h"
#include "json_output.h"

namespace reelmesh {
namespace {

/// Milliseconds as nanoseconds; nothing for what is no finite number.
std::optional<std::int64_t> nanoseconds(std::string_view text) {
    double ms = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), ms);
    if (failure != std::errc() || end != text.data() + text.size() || !(std::abs(ms) < 1e12)) return {};
    return std::llround(ms * 1e6);
}

std::optional<TraceSpan> span_of(const std::string& range, const TraceSpan& whole) {
    if (range.empty()) return whole;
    const std::size_t colon = range.find(':');
    if (colon == std::string::npos) return {};
    const auto begin = nanoseconds(std::string_view(range).substr(0, colon));
    const auto end = nanoseconds(std::string_view(range).substr(colon + 1));
    if (!begin || !end || *begin >= *end) return {};
    return TraceSpan{whole.begin_ns + *begin, whole.begin_ns + *end};
}

OrderedJson number_or_null(double value) {
    return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
}

OrderedJson row_json(const TotalsRow& row) {
    return {{"rank", row.rank},
            {"kind", row.kind.empty() ? "all" : row.kind},
            {"busy_ns", row.busy_ns},
            {"comm_ns", row.comm_ns},
            {"exposed_ns", row.exposed_ns},
            {"wait_ns", row.wait_ns},
            {"bytes", row.bytes},
            {"gb_s", number_or_null(row.bytes_per_s() * 1e-9)}};
}

std::string table(const std::vector<TotalsRow>& rows) {
    std::ostringstream text;
    text << "rank  kind        busy ms    comm ms  exposed ms    wait ms        MB     GB/s\n" << std::fixed;
    for (const TotalsRow& row : rows) {
        text << std::setw(4) << row.rank << "  " << std::left << std::setw(9)
             << (row.kind.empty() ? "all" : row.kind) << std::right << std::setprecision(2);
        for (const std::int64_t ns : {row.busy_ns, row.comm_ns, row.exposed_ns, row.wait_ns})
            text << std::setw(11) << static_cast<double>(ns) * 1e-6;
        text << std::setw(10) << static_cast<double>(row.bytes) * 1e-6 << std::setw(9);
        const double rate = row.bytes_per_s();
        if (std::isfinite(rate))
            text << rate * 1e-9;
        else
            text << "-";
        text << "\n";
    }
    return text.str();
}

} // namespace

int run_inspect_trace(const CommandLine& line, Console& console) {
    const Result<Trace> trace = read_trace(line.path);
    if (!trace) return refuse({trace.error()}, console);
    const std::optional<TraceSpan> span = span_of(line.range, trace_span(trace->events));
    if (!span) {
        Error error;
        error.code = ErrorCode::BadField;
        error.arguments = {{"field", std::string("range")},
                           {"found", line.range},
                           {"needed", std::string("A:B, milliseconds with A below B")}};
        return refuse({error}, console);
    }
    const std::vector<TotalsRow> rows = trace_totals(trace->events, span->begin_ns, span->end_ns);
    if (console.json()) {
        OrderedJson totals = OrderedJson::array();
        for (const TotalsRow& row : rows)
            totals.push_back(row_json(row));
        console.result(OrderedJson{{"kind", "trace"},
                                   {"path", line.path},
                                   {"mesh", trace->mesh},
                                   {"events", trace->events.size()},
                                   {"dropped", trace->dropped},
                                   {"totals", std::move(totals)}});
    } else {
        console.result(line.path + ": trace of " + (trace->mesh.empty() ? "an unknown mesh" : trace->mesh) +
                       ", " + std::to_string(trace->events.size()) + " events, " +
                       std::to_string(trace->dropped) + " dropped\n" + table(rows));
    }
    return 0;
}

} // namespace reelmesh
