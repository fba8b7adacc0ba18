#include "mesh/mesh_runner.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "comm/peer/peer_communicator.h"
#include "mesh/rank_thread.h"
#include "mesh/rank_worker.h"

namespace reelmesh {
namespace {

constexpr std::chrono::milliseconds kFirstDeadline = std::chrono::minutes(10);
constexpr std::chrono::milliseconds kShortestDeadline = std::chrono::seconds(30);

Error with_place(Error error, const RankContext& context) {
    if (error.rank < 0) error.rank = context.rank();
    if (error.stage == Stage::None) error.stage = context.stage();
    if (error.step < 0) error.step = context.step();
    return error;
}

/// An error of the rank itself before a report on others, and any failure before a cancel.
int precedence(const Error& error) {
    switch (error.code) {
    case ErrorCode::Canceled: return 0;
    case ErrorCode::CommunicatorAborted: return 1;
    default: return 2;
    }
}

} // namespace

struct MeshRunner::Rank {
    Rank(int rank, const MeshOptions& options, int threads, CancelGate& gate)
        : writer(static_cast<std::int16_t>(rank)),
          context(rank, options.shape, &gate, &writer, device_of(rank, options)), streams(options.streams),
          worker("rank " + std::to_string(rank), threads) {
        context.set_slot_weights(options.slot_weights);
        context.set_block_hook(options.hooks.block);
        take_stream(context.device());
        for (const c10::Device device : options.devices)
            take_stream(device);
    }
    void take_stream(c10::Device device) {
        const bool has_one =
            std::any_of(own_streams.begin(), own_streams.end(),
                        [&](const c10::Stream& stream) { return stream.device() == device; });
        if (!device.is_cpu() && !has_one) own_streams.push_back(streams->take(device));
    }

    ~Rank() {
        // Idle: every run ends with it.
        for (const c10::Stream& stream : own_streams)
            streams->give_back(stream);
    }
    Rank(const Rank&) = delete;
    Rank& operator=(const Rank&) = delete;

    static c10::Device device_of(int rank, const MeshOptions& options) {
        return options.devices.empty() ? c10::Device(at::kCPU)
                                       : options.devices[static_cast<std::size_t>(rank)];
    }

    /// Its stream is done, or its device broken.
    void settle_what_is_left() {
        try {
            context.clock().settle();
        } catch (const std::exception&) {
        }
        context.clock().give_up();
    }

    TelemetryWriter writer;
    ExchangeLedger ledger;
    RankContext context;
    std::shared_ptr<StreamPool> streams;
    RankStreams own_streams;
    RankWorker worker;
};

MeshRunner::MeshRunner(const MeshOptions& options)
    : options_(options), deadline_(options.deadline.value_or(kFirstDeadline)) {
    REELMESH_CHECK(shape().degree(Axis::Data) == 1);
    REELMESH_CHECK(options.devices.empty() || static_cast<int>(options.devices.size()) == ranks());
    checks_.on = options.check != CheckCalls::Never;
    if (!options_.streams) options_.streams = std::make_shared<StreamPool>();
    const std::vector<std::int64_t> threads = split(options.threads, ranks());
    for (int rank = 0; rank < ranks(); ++rank) {
        const auto share = std::max<std::int64_t>(1, threads[static_cast<std::size_t>(rank)]);
        ranks_.push_back(std::make_unique<Rank>(rank, options_, static_cast<int>(share), gate_));
    }
    for (const Axis axis : kAxes) {
        const int degree = shape().degree(axis);
        // Shares of weights add biases to sums: of one rank's share there is nothing to add up.
        const bool of_one = options.hooks.groups_of_one && axis != Axis::Tensor;
        if (axis == Axis::Data || (degree == 1 && !of_one)) continue;
        for (int first = 0; first < ranks(); ++first) {
            if (shape().coordinate(first, axis) != 0) continue;
            std::vector<int> members;
            for (int i = 0; i < degree; ++i)
                members.push_back(shape().neighbour(first, axis, i));
            make_group(group_of(axis), members);
        }
    }
}

MeshRunner::~MeshRunner() = default;

void MeshRunner::make_group(ExchangeGroup name, const std::vector<int>& members) {
    std::unique_ptr<SentBytes>& sent = sent_[name];
    if (!sent) sent = std::make_unique<SentBytes>();
    PeerOptions peer{deadline_, members, exchange_group_name(name), options_.staged};
    auto group = make_peer_group(static_cast<int>(members.size()), peer);
    for (std::size_t i = 0; i < members.size() && options_.hooks.wrap; ++i)
        group[i] = options_.hooks.wrap(members[i], name, group[i]);
    if (options_.check != CheckCalls::Never) group = make_checked_group(std::move(group), &checks_, members);
    group.front()->set_deadline(deadline_);
    const auto ready_times =
        options_.devices.empty() ? nullptr : std::make_shared<ReadyTimes>(static_cast<int>(members.size()));
    for (std::size_t i = 0; i < members.size(); ++i) {
        Rank& rank = *ranks_[static_cast<std::size_t>(members[i])];
        RecordTarget target{name,         members[i],           members.front(), &rank.context.scope(),
                            &rank.writer, &rank.ledger,         sent.get(),      &rank.context.clock(),
                            ready_times,  slowest_link(members)};
        group[i] = make_recorded(group[i], target);
        rank.context.groups()[static_cast<std::size_t>(name)] = group[i];
    }
    if (name == ExchangeGroup::Vae) vae_groups_[static_cast<int>(members.size())] = group;
}

LinkKind MeshRunner::link_between(int from, int to) const {
    if (options_.devices.empty()) return LinkKind::Memory;
    const c10::Device a = options_.devices[static_cast<std::size_t>(from)],
                      b = options_.devices[static_cast<std::size_t>(to)];
    if (a == b) return LinkKind::SameDevice;
    return options_.staged.has(a, b) || options_.indirect.has(a, b) ? LinkKind::Staged : LinkKind::Peer;
}

LinkKind MeshRunner::slowest_link(const std::vector<int>& members) const {
    LinkKind slowest = link_between(members.front(), members.front());
    for (const int from : members)
        for (const int to : members)
            slowest = std::max(slowest, link_between(from, to));
    return slowest;
}

void MeshRunner::set_vae_group(int members) {
    for (const auto& rank : ranks_)
        rank->context.groups()[static_cast<std::size_t>(ExchangeGroup::Vae)] = nullptr;
    if (members <= 1 && !options_.hooks.groups_of_one) return;
    const auto made = vae_groups_.find(members);
    if (made == vae_groups_.end()) {
        std::vector<int> first(static_cast<std::size_t>(members));
        std::iota(first.begin(), first.end(), 0);
        return make_group(ExchangeGroup::Vae, first);
    }
    made->second.front()->set_deadline(deadline_);
    for (std::size_t i = 0; i < made->second.size(); ++i)
        ranks_[i]->context.groups()[static_cast<std::size_t>(ExchangeGroup::Vae)] = made->second[i];
}

void MeshRunner::for_each_communicator(const std::function<void(Communicator&)>& function) {
    for (const auto& rank : ranks_)
        for (const auto& communicator : rank->context.groups())
            if (communicator) function(*communicator);
}

TelemetryWriter& MeshRunner::writer(int rank) {
    return ranks_[static_cast<std::size_t>(rank)]->writer;
}

void MeshRunner::begin_job(std::uint32_t job, int detail) {
    for (const auto& [group, sent] : sent_)
        sent->bytes = 0;
    for (const auto& rank : ranks_) {
        rank->ledger.reset();
        rank->context.scope() = {.job = job, .detail = detail};
    }
    checks_.on = options_.check != CheckCalls::Never;
    if (!options_.deadline) set_deadline(kFirstDeadline);
}

void MeshRunner::step_took(double seconds) {
    checks_.on = options_.check == CheckCalls::Always;
    if (options_.deadline) return;
    set_deadline(
        std::max(kShortestDeadline, std::chrono::milliseconds(static_cast<std::int64_t>(1e4 * seconds))));
}

void MeshRunner::set_deadline(std::chrono::milliseconds deadline) {
    deadline_ = deadline;
    for_each_communicator([deadline](Communicator& communicator) { communicator.set_deadline(deadline); });
}

std::map<std::string, std::uint64_t> MeshRunner::sent_bytes() const {
    std::map<std::string, std::uint64_t> bytes;
    for (const auto& [group, sent] : sent_)
        bytes[exchange_group_name(group)] = sent->bytes.load();
    return bytes;
}

std::vector<ExchangeRecord> MeshRunner::records() const {
    std::vector<ExchangeRecord> all;
    for (const auto& rank : ranks_) {
        const std::vector<ExchangeRecord> own = rank->ledger.records();
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

void MeshRunner::run(const std::function<void(RankContext&)>& function) {
    REELMESH_CHECK(usable_);
    std::mutex mutex;
    std::optional<Error> first;
    for (const auto& rank : ranks_) {
        rank->worker.start([&, member = rank.get()] {
            try {
                const RankDevice device(member->own_streams);
                member->context.clock().start();
                function(member->context);
                // Other threads read the results.
                device.synchronize();
                member->context.clock().settle();
            } catch (...) {
                const Error error = with_place(current_error(), member->context);
                member->settle_what_is_left();
                // Ranks that stop at the gate stop together; nobody is left waiting for them.
                const bool canceled = error.code == ErrorCode::Canceled;
                const std::lock_guard lock(mutex);
                if (!first || precedence(error) > precedence(*first)) first = error;
                if (canceled) return;
                for_each_communicator([&](Communicator& communicator) { communicator.abort(error); });
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
