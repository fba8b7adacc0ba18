#include "mesh/mesh_runner.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/check.h"
#include "mesh/rank_worker.h"

namespace reelmesh {
namespace {

EventWork work_of(Axis axis) {
    return axis == Axis::Cfg ? EventWork::Cfg : EventWork::Copy;
}

Error with_rank(Error error, const RankContext& context) {
    if (error.rank < 0) error.rank = context.rank();
    if (error.stage == Stage::None) error.stage = context.stage();
    if (error.step < 0) error.step = context.step();
    return error;
}

} // namespace

struct MeshRunner::Rank {
    Rank(int rank, int threads)
        : writer(static_cast<std::int16_t>(rank)), worker("rank " + std::to_string(rank), threads) {}

    TelemetryWriter writer;
    std::map<Axis, std::shared_ptr<Communicator>> communicators;
    std::unique_ptr<RankContext> context;
    RankWorker worker;
};

std::vector<std::int64_t> split(std::int64_t whole, int parts) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), whole / parts);
    for (std::int64_t i = 0; i < whole % parts; ++i)
        ++sizes[static_cast<std::size_t>(i)];
    return sizes;
}

MeshRunner::MeshRunner(const MeshOptions& options) : options_(options) {
    const std::vector<std::int64_t> threads = split(options.threads, ranks());
    for (int rank = 0; rank < ranks(); ++rank)
        ranks_.push_back(std::make_unique<Rank>(
            rank, static_cast<int>(std::max<std::int64_t>(1, threads[static_cast<std::size_t>(rank)]))));
    for (const Axis axis : kAxes) {
        const int degree = shape().degree(axis);
        if (degree == 1) continue;
        SentBytes* sent = (sent_[axis] = std::make_unique<SentBytes>()).get();
        for (int first = 0; first < ranks(); ++first) {
            if (shape().coordinate(first, axis) != 0) continue;
            const auto group = make_peer_group(degree, options.peer);
            for (int i = 0; i < degree; ++i) {
                Rank& member = *ranks_[static_cast<std::size_t>(shape().neighbour(first, axis, i))];
                member.communicators[axis] =
                    make_recorded(group[static_cast<std::size_t>(i)], work_of(axis), &member.writer, sent);
            }
        }
    }
    for (int rank = 0; rank < ranks(); ++rank) {
        Rank& member = *ranks_[static_cast<std::size_t>(rank)];
        member.context =
            std::make_unique<RankContext>(rank, shape(), member.communicators, &gate_, &member.writer);
    }
}

MeshRunner::~MeshRunner() = default;

TelemetryWriter& MeshRunner::writer(int rank) {
    return ranks_[static_cast<std::size_t>(rank)]->writer;
}

std::map<std::string, std::uint64_t> MeshRunner::sent_bytes() const {
    std::map<std::string, std::uint64_t> bytes;
    for (const auto& [axis, sent] : sent_)
        bytes[std::string(axis_name(axis))] = sent->bytes.load();
    return bytes;
}

void MeshRunner::reset_sent_bytes() {
    for (const auto& [axis, sent] : sent_)
        sent->bytes = 0;
}

void MeshRunner::run(const std::function<void(RankContext&)>& function) {
    REELMESH_CHECK(usable_);
    std::mutex mutex;
    std::optional<Error> first;
    for (const auto& rank : ranks_) {
        rank->worker.start([&, member = rank.get()] {
            try {
                function(*member->context);
            } catch (...) {
                const Error error = with_rank(current_error(), *member->context);
                // Ranks that stop at the gate stop together; nobody is left waiting for them.
                const bool canceled = error.code == ErrorCode::Canceled;
                const std::lock_guard lock(mutex);
                if (!first || (first->code == ErrorCode::Canceled && !canceled)) first = error;
                if (canceled) return;
                for (const auto& other : ranks_)
                    for (const auto& [axis, communicator] : other->communicators)
                        communicator->abort(error);
            }
        });
    }
    for (const auto& rank : ranks_)
        rank->worker.wait();
    if (!first) return;
    usable_ = first->code == ErrorCode::Canceled;
    throw EngineException(*first);
}

} // namespace reelmesh
