#include "models/wan/part_times.h"

#include <algorithm>
#include <exception>

#include "base/check.h"

namespace reelmesh::wan {

PartTimes::PartTimes(RankContext& context, int layer, std::initializer_list<BlockPart> parts)
    : context_(context), layer_(layer), on_(context.records_parts()),
      by_stream_(context.clock().on_device()) {
    REELMESH_CHECK(parts.size() <= kMost);
    for (const BlockPart part : parts)
        parts_[count_++] = part;
    if (on_) start_ns_ = steady_now_ns();
}

PartTimes::~PartTimes() {
    if (!on_ || by_stream_) return;
    const std::int64_t end_ns = steady_now_ns();
    std::int64_t total = 0;
    for (const auto& spent : spent_ns_)
        total += spent.load(std::memory_order_relaxed);
    if (total <= 0) return;
    const double scale = static_cast<double>(end_ns - start_ns_) / static_cast<double>(total);
    std::int64_t begin = start_ns_, spent = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        spent += spent_ns_[i].load(std::memory_order_relaxed);
        const std::int64_t end =
            std::min(end_ns, start_ns_ + static_cast<std::int64_t>(static_cast<double>(spent) * scale));
        if (end > begin) context_.write_part(parts_[i], layer_, ClockMark(begin), ClockMark(end));
        begin = end;
    }
}

PartTimes::Tile::Tile(PartTimes& times) : times_(times) {
    if (!times.on_) return;
    if (times.by_stream_)
        start_ = times.context_.clock().mark();
    else
        start_ns_ = steady_now_ns();
}

PartTimes::Tile::~Tile() {
    try {
        next();
    } catch (const std::exception&) {
        // A device that fails says so at the next call.
    }
}

void PartTimes::Tile::next() {
    if (!times_.on_ || part_ == times_.count_) return;
    if (times_.by_stream_) {
        const ClockMark now = times_.context_.clock().mark();
        times_.context_.write_part(times_.parts_[part_++], times_.layer_, start_, now);
        start_ = now;
        return;
    }
    const std::int64_t now = steady_now_ns();
    times_.spent_ns_[part_++].fetch_add(now - start_ns_, std::memory_order_relaxed);
    start_ns_ = now;
}

} // namespace reelmesh::wan
