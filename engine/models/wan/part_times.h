// How long the parts of one pass over the rows take whose tiles run on many threads. A rank's events are
// written by its own thread alone, so the threads add up their times, and the pass is told as its parts in a
// row, each as long as its share: how long is measured, when within the pass is not. On a device, where a
// pass is one tile on the rank's own thread, both are. Does nothing where parts are not recorded.
#pragma once

#include <array>
#include <atomic>
#include <initializer_list>

#include "mesh/rank_context.h"

namespace reelmesh::wan {

class PartTimes {
public:
    static constexpr std::size_t kMost = 4;

    PartTimes(RankContext& context, int layer, std::initializer_list<BlockPart> parts);
    ~PartTimes();
    PartTimes(const PartTimes&) = delete;
    PartTimes& operator=(const PartTimes&) = delete;

    /// One tile of rows, on the thread that works on it: begins with the first part.
    class Tile {
    public:
        explicit Tile(PartTimes& times);
        ~Tile();
        Tile(const Tile&) = delete;
        Tile& operator=(const Tile&) = delete;

        /// The part is done, the next one begins.
        void next();

    private:
        PartTimes& times_;
        std::size_t part_ = 0;
        std::int64_t start_ns_ = 0;
        ClockMark start_;
    };

private:
    RankContext& context_;
    const int layer_;
    const bool on_, by_stream_;
    std::array<BlockPart, kMost> parts_{};
    std::size_t count_ = 0;
    std::array<std::atomic<std::int64_t>, kMost> spent_ns_{};
    std::int64_t start_ns_ = 0;
};

} // namespace reelmesh::wan
