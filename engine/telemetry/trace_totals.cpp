#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/trace.h"

namespace reelmesh {
namespace {

struct Span {
    std::int64_t begin = 0, end = 0;
    auto operator<=>(const Span&) const = default;
};
/// Sorted, disjoint.
using Spans = std::vector<Span>;

Spans joined(Spans spans) {
    std::sort(spans.begin(), spans.end());
    Spans whole;
    for (const Span& span : spans) {
        if (span.begin >= span.end) continue;
        if (!whole.empty() && span.begin <= whole.back().end)
            whole.back().end = std::max(whole.back().end, span.end);
        else
            whole.push_back(span);
    }
    return whole;
}

Spans without(const Spans& spans, const Spans& holes) {
    Spans rest;
    auto hole = holes.begin();
    for (Span span : spans) {
        while (hole != holes.end() && hole->end <= span.begin)
            ++hole;
        for (auto at = hole; at != holes.end() && at->begin < span.end; ++at) {
            if (at->begin > span.begin) rest.push_back({span.begin, at->begin});
            span.begin = std::max(span.begin, at->end);
        }
        if (span.begin < span.end) rest.push_back(span);
    }
    return rest;
}

std::int64_t length_inside(const Spans& spans, std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (const Span& span : spans)
        sum += std::max<std::int64_t>(0, std::min(span.end, end) - std::max(span.begin, begin));
    return sum;
}

Span span_of(const TelemetryEvent& event) {
    return {event.start_ns, event.end_ns};
}

struct RankEvents {
    std::vector<const TelemetryEvent*> parts, previews, blocks, steps, exchanges;
};

/// Those in which no child begins.
std::vector<const TelemetryEvent*> childless(const std::vector<const TelemetryEvent*>& parents,
                                             const std::vector<const TelemetryEvent*>& children) {
    std::vector<std::int64_t> starts;
    for (const TelemetryEvent* child : children)
        starts.push_back(child->start_ns);
    std::sort(starts.begin(), starts.end());
    std::vector<const TelemetryEvent*> rest;
    for (const TelemetryEvent* parent : parents) {
        const auto next = std::lower_bound(starts.begin(), starts.end(), parent->start_ns);
        if (next == starts.end() || *next >= parent->end_ns) rest.push_back(parent);
    }
    return rest;
}

class RankTotals {
public:
    RankTotals(int rank, const RankEvents& events, std::int64_t begin_ns, std::int64_t end_ns)
        : rank_(rank), begin_(begin_ns), end_(end_ns) {
        for (const TelemetryEvent* exchange : events.exchanges)
            exchanges_.push_back(span_of(*exchange));
        exchanges_ = joined(std::move(exchanges_));
        std::vector<const TelemetryEvent*> blocks_and_parts = events.blocks;
        blocks_and_parts.insert(blocks_and_parts.end(), events.parts.begin(), events.parts.end());
        for (const TelemetryEvent* part : events.parts)
            add_compute(*part, {span_of(*part)});
        for (const TelemetryEvent* preview : events.previews)
            add_compute(*preview, {span_of(*preview)});
        for (const TelemetryEvent* block : childless(events.blocks, events.parts))
            add_suspended(*block);
        for (const TelemetryEvent* step : childless(events.steps, blocks_and_parts))
            add_suspended(*step);
        for (const TelemetryEvent* exchange : events.exchanges)
            add_exchange(*exchange);
    }

    void rows_into(std::vector<TotalsRow>& rows) {
        TotalsRow all{.rank = rank_};
        const Spans compute = joined(compute_);
        all.busy_ns = length_inside(compute, begin_, end_);
        const std::size_t first = rows.size();
        rows.emplace_back();
        for (auto& [kind, sums] : kinds_) {
            TotalsRow row{.rank = rank_, .kind = kind};
            const Spans transfers = joined(sums.transfers);
            row.busy_ns = length_inside(joined(sums.compute), begin_, end_);
            row.comm_ns = length_inside(transfers, begin_, end_);
            row.exposed_ns = length_inside(without(transfers, compute), begin_, end_);
            row.wait_ns = length_inside(joined(sums.waits), begin_, end_);
            row.bytes = sums.bytes;
            all.comm_ns += row.comm_ns;
            all.exposed_ns += row.exposed_ns;
            all.wait_ns += row.wait_ns;
            all.bytes += row.bytes;
            if (row.busy_ns + row.comm_ns + row.wait_ns > 0) rows.push_back(std::move(row));
        }
        rows[first] = std::move(all);
    }

private:
    struct Sums {
        Spans compute, transfers, waits;
        std::uint64_t bytes = 0;
    };

    void add_compute(const TelemetryEvent& event, const Spans& spans) {
        Sums& sums = kinds_[event_kind_name(event)];
        sums.compute.insert(sums.compute.end(), spans.begin(), spans.end());
        compute_.insert(compute_.end(), spans.begin(), spans.end());
    }
    void add_suspended(const TelemetryEvent& event) {
        // Most blocks hold a few of very many exchanges.
        const auto first =
            std::lower_bound(exchanges_.begin(), exchanges_.end(), event.start_ns,
                             [](const Span& span, std::int64_t time) { return span.end <= time; });
        auto last = first;
        while (last != exchanges_.end() && last->begin < event.end_ns)
            ++last;
        add_compute(event, without({span_of(event)}, Spans(first, last)));
    }
    void add_exchange(const TelemetryEvent& event) {
        Sums& sums = kinds_[event_kind_name(event)];
        const std::int64_t transfer = transfer_ns(event), moving = event.end_ns - transfer;
        sums.waits.push_back({event.start_ns, moving});
        sums.transfers.push_back({moving, event.end_ns});
        const std::int64_t inside =
            std::max<std::int64_t>(0, std::min(end_, event.end_ns) - std::max(begin_, moving));
        if (transfer == 0)
            sums.bytes += event.start_ns >= begin_ && event.start_ns < end_ ? event.bytes : 0;
        else
            sums.bytes += static_cast<std::uint64_t>(
                std::llround(static_cast<double>(event.bytes) * static_cast<double>(inside) /
                             static_cast<double>(transfer)));
    }

    int rank_;
    std::int64_t begin_, end_;
    Spans exchanges_, compute_;
    std::map<std::string, Sums> kinds_;
};

} // namespace

double TotalsRow::bytes_per_s() const {
    if (comm_ns <= 0 || bytes == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(bytes) / (static_cast<double>(comm_ns) * 1e-9);
}

std::vector<TotalsRow> trace_totals(std::span<const TelemetryEvent> events, std::int64_t begin_ns,
                                    std::int64_t end_ns) {
    std::map<int, RankEvents> ranks;
    // Children of a parent that touches the span matter even where they lie outside.
    for (const TelemetryEvent& event : events) {
        if (event.rank < 0) continue;
        RankEvents& rank = ranks[event.rank];
        const bool touches = event.start_ns < end_ns && event.end_ns > begin_ns;
        switch (event.kind) {
        case EventKind::Part: rank.parts.push_back(&event); break;
        case EventKind::Preview: rank.previews.push_back(&event); break;
        case EventKind::Block: rank.blocks.push_back(&event); break;
        case EventKind::Step:
            if (touches) rank.steps.push_back(&event);
            break;
        case EventKind::Exchange: rank.exchanges.push_back(&event); break;
        case EventKind::None:
        case EventKind::Stage:
        case EventKind::Encode: break;
        }
    }
    std::vector<TotalsRow> rows;
    for (const auto& [rank, of_rank] : ranks)
        RankTotals(rank, of_rank, begin_ns, end_ns).rows_into(rows);
    return rows;
}

} // namespace reelmesh
