// How fast ranks move bytes, always beside a plain copy of as many bytes in the same run, in turn.
//   collective_bench [--ranks 2] [--on cpu|one_gpu|all_gpus] [--backend peer|nccl] [--rounds 31]
// Prints {"cases":[...]}: microseconds until the slowest rank is done, median with minimum and maximum, for
// 1, 16, 64 MiB that a rank receives; ratio: median over the rounds of copy time by call time, 1 being the
// plain copy's speed. The plain copy runs on all ranks at once too, so what memory gives to all of them
// together is the measure.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "base/check.h"
#include "comm/parts.h"
#include "comm/peer/peer_communicator.h"
#include "device/cuda_backend.h"

// As in mesh/rank_thread.cpp.
extern "C" void omp_set_num_threads(int);

namespace reelmesh {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kHeads = 16, kHeadWidth = 64; ///< rows of 4 KiB, cut by heads in all_to_all
constexpr int kWarmUp = 3;

struct Options {
    int ranks = 2, rounds = 31;
    std::string on = "cpu", backend = "peer";
};

struct Span {
    Clock::time_point start, end;
};

/// What one rank works on: rows of all heads, as much again to receive.
struct RankData {
    Communicator* comm = nullptr;
    c10::Device device = at::kCPU;
    at::Tensor in, out;         ///< [rows, kHeads, kHeadWidth] float32
    at::Tensor copy_source;     ///< of the plain copy: on the next rank's device
    std::vector<Span> spans[2]; ///< by round: the call, the plain copy
};

struct Operation {
    const char* name;
    std::function<void(RankData&)> call;
};

void all_to_all(RankData& data) {
    Communicator& comm = *data.comm;
    // Each rank has its rows of all heads, and gets all rows of its heads.
    const Parts heads = parts_of(kHeads, comm.size());
    const std::int64_t rows = data.in.size(0);
    const std::int64_t own = heads.size(comm.rank());
    const std::vector<std::int64_t> row_sizes(static_cast<std::size_t>(comm.size()), rows);
    at::Tensor out = data.out.view({-1}).narrow(0, 0, rows * comm.size() * own * kHeadWidth);
    out = out.view({rows * comm.size(), own, kHeadWidth});
    comm.all_to_all(out, data.in, row_sizes, heads.sizes, 0, 1, {.purpose = ExchangePurpose::Qkv});
}

void all_gather(RankData& data) {
    Communicator& comm = *data.comm;
    const Parts rows = parts_of(data.out.size(0), comm.size());
    comm.all_gather(data.out, data.in.narrow(0, 0, rows.size(comm.rank())), rows.sizes, 0, {});
}

void send_recv(RankData& data) {
    Communicator& comm = *data.comm;
    const int next = (comm.rank() + 1) % comm.size();
    const int before = (comm.rank() + comm.size() - 1) % comm.size();
    std::vector<PeerTransfer> transfers{{next, data.in, data.out}};
    if (next != before) transfers = {{next, data.in, {}}, {before, {}, data.out}};
    comm.send_recv(transfers, {.purpose = ExchangePurpose::RingKv});
}

void all_reduce(RankData& data) {
    data.comm->all_reduce(data.out, ReduceOp::Sum, {.purpose = ExchangePurpose::TensorSum});
}

const Operation kOperations[] = {{"all_to_all", all_to_all},
                                 {"all_gather", all_gather},
                                 {"send_recv", send_recv},
                                 {"all_reduce", all_reduce}};

void plain_copy(RankData& data) {
    if (data.device.is_cpu())
        std::memcpy(data.out.data_ptr(), data.copy_source.data_ptr(), data.out.nbytes());
    else
        data.out.copy_(data.copy_source, /*non_blocking=*/true);
}

/// Lets all go within a microsecond or so: a woken thread is late by as long as a small exchange takes.
class StartLine {
public:
    explicit StartLine(int ranks) : ranks_(ranks) {}
    void arrive_and_wait() {
        const int round = round_.load();
        if (++arrived_ == ranks_) {
            arrived_ = 0;
            ++round_;
        }
        while (round_.load() == round)
            std::this_thread::yield();
    }

private:
    const int ranks_;
    std::atomic<int> arrived_{0}, round_{0};
};

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

/// Microseconds by round: from the first rank's start to the last one's end, so that ranks which the system
/// put on one core, one after the other, make both of the compared times longer.
std::vector<double> times_of(const std::vector<RankData>& ranks, int which) {
    std::vector<double> times;
    for (std::size_t round = 0; round < ranks.front().spans[which].size(); ++round) {
        Span all = ranks.front().spans[which][round];
        for (const RankData& rank : ranks) {
            all.start = std::min(all.start, rank.spans[which][round].start);
            all.end = std::max(all.end, rank.spans[which][round].end);
        }
        times.push_back(std::chrono::duration<double, std::micro>(all.end - all.start).count());
    }
    return times;
}

void run_rank(RankData& data, const RankData& next, const Operation& operation, std::int64_t bytes,
              const Options& options, StartLine& together) {
    const c10::InferenceMode inference;
    at::get_num_threads();
    omp_set_num_threads(std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / options.ranks));
    const c10::DeviceGuard guard(data.device);
    c10::OptionalStreamGuard stream;
    if (data.device.is_cuda())
        stream.reset_stream(
            c10::impl::VirtualGuardImpl(data.device.type()).getStreamFromGlobalPool(data.device));
    const std::int64_t rows = bytes / (kHeads * kHeadWidth * 4);
    data.in =
        at::full({rows, kHeads, kHeadWidth}, data.comm->rank(), at::TensorOptions().device(data.device));
    data.out = at::zeros_like(data.in);
    together.arrive_and_wait();
    data.copy_source = next.in;
    const auto timed = [&](const std::function<void(RankData&)>& function) {
        if (data.device.is_cuda()) stream.current_stream()->synchronize();
        together.arrive_and_wait();
        const auto start = Clock::now();
        function(data);
        if (data.device.is_cuda()) stream.current_stream()->synchronize();
        return Span{start, Clock::now()};
    };
    for (int round = -kWarmUp; round < options.rounds; ++round) {
        const Span call = timed(operation.call), copy = timed(plain_copy);
        if (round < 0) continue;
        data.spans[0].push_back(call);
        data.spans[1].push_back(copy);
    }
    together.arrive_and_wait(); // nobody's input goes while a neighbour copies it
}

nlohmann::json measure(const std::vector<std::shared_ptr<Communicator>>& group,
                       const std::vector<c10::Device>& devices, const Operation& operation,
                       std::int64_t bytes, const Options& options) {
    std::vector<RankData> ranks(group.size());
    StartLine together(options.ranks);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        ranks[rank].comm = group[rank].get();
        ranks[rank].device = devices[rank];
    }
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        threads.emplace_back([&, rank] {
            run_rank(ranks[rank], ranks[(rank + 1) % ranks.size()], operation, bytes, options, together);
        });
    for (std::thread& thread : threads)
        thread.join();
    const std::vector<double> calls = times_of(ranks, 0), copies = times_of(ranks, 1);
    std::vector<double> ratios(calls.size());
    std::transform(copies.begin(), copies.end(), calls.begin(), ratios.begin(), std::divides<>());
    const auto [least, most] = std::minmax_element(calls.begin(), calls.end());
    const double copy = median(copies), ratio = median(ratios);
    return {{"name", options.backend + " " + operation.name + " on " + options.on},
            {"ranks", options.ranks},
            {"bytes", bytes},
            {"median_us", median(calls)},
            {"min_us", *least},
            {"max_us", *most},
            {"copy_median_us", copy},
            {"ratio", ratio}};
}

std::vector<c10::Device> devices_of(const Options& options) {
    if (options.on == "cpu")
        return std::vector(static_cast<std::size_t>(options.ranks), c10::Device(at::kCPU));
    std::vector<c10::Device> devices;
    for (int rank = 0; rank < options.ranks; ++rank)
        devices.emplace_back(at::kCUDA, static_cast<c10::DeviceIndex>(options.on == "all_gpus" ? rank : 0));
    return devices;
}

int run(Options options) {
    const bool gpu = options.on != "cpu";
    if (gpu && !cuda_part().backend) {
        std::cerr << "collective_bench: " << cuda_part().reason << "\n";
        return 3;
    }
    if (options.on == "all_gpus") options.ranks = static_cast<int>(cuda_part().backend->devices().size());
    if (options.ranks < 2) {
        std::cerr << "collective_bench: two ranks at least, this is " << options.ranks << "\n";
        return 3;
    }
    if (options.backend == "nccl" && cuda_part().backend->nccl_version().empty()) {
        std::cerr << "collective_bench: there is no NCCL\n";
        return 3;
    }
    std::vector<int> indices(static_cast<std::size_t>(options.ranks));
    std::iota(indices.begin(), indices.end(), 0);
    const auto group = options.backend == "nccl" ? cuda_part().backend->make_nccl_group(indices, {})
                                                 : make_peer_group(options.ranks);
    nlohmann::json cases = nlohmann::json::array();
    for (const Operation& operation : kOperations)
        for (const std::int64_t bytes : {1 * kMiB, 16 * kMiB, 64 * kMiB})
            cases.push_back(measure(group, devices_of(options), operation, bytes, options));
    std::cout << nlohmann::json{{"cases", cases}}.dump(1) << "\n";
    return 0;
}

} // namespace
} // namespace reelmesh

int main(int argc, char** argv) {
    reelmesh::Options options;
    const std::map<std::string, std::function<void(const std::string&)>> flags = {
        {"--ranks", [&](const std::string& value) { options.ranks = std::stoi(value); }},
        {"--rounds", [&](const std::string& value) { options.rounds = std::max(1, std::stoi(value)); }},
        {"--on", [&](const std::string& value) { options.on = value; }},
        {"--backend", [&](const std::string& value) { options.backend = value; }}};
    try {
        for (int i = 1; i < argc; i += 2) {
            const auto flag = flags.find(argv[i]);
            if (flag == flags.end() || i + 1 == argc) {
                std::cerr << "collective_bench: " << argv[i] << " is not a flag with a value\n";
                return 2;
            }
            flag->second(argv[i + 1]);
        }
        if (options.backend == "nccl" && options.on != "all_gpus") {
            std::cerr << "collective_bench: NCCL takes one rank a GPU, add --on all_gpus\n";
            return 2;
        }
        return reelmesh::run(options);
    } catch (const std::exception& error) {
        std::cerr << "collective_bench: " << error.what() << "\n";
        return 1;
    }
}
