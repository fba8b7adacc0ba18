#include "comm/nccl/nccl_group.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <nccl.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "base/check.h"

// ProcessGroupNCCL's members depend on it.
static_assert(NCCL_MAJOR == 2 && NCCL_MINOR == 28, "LibTorch 2.11 is built with NCCL 2.28");

namespace reelmesh {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPoll{20};
/// A device may have blocks of computing in front of an exchange, however short the host's deadline is.
constexpr std::chrono::milliseconds kShortestDeviceDeadline{10'000};
constexpr std::chrono::seconds kConnectDeadline{60};
constexpr std::chrono::hours kNever{24 * 365};

/// Calls the function for every rank at once: NCCL's set-up and abort may wait for the other ranks.
std::vector<std::exception_ptr> on_all(int ranks, const std::function<void(int)>& function) {
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&, rank] {
            try {
                function(rank);
            } catch (...) {
                errors[static_cast<std::size_t>(rank)] = std::current_exception();
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    return errors;
}

/// NCCL moves bytes: every dtype, and nothing is computed.
std::vector<at::Tensor> as_bytes(const at::Tensor& tensor) {
    return {tensor.view({-1}).view(at::kByte)};
}

} // namespace

void disarm_process_groups() {
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "0"}, // no errors thrown on LibTorch's own threads
             {"TORCH_NCCL_BLOCKING_WAIT", "0"},
             {"TORCH_NCCL_ENABLE_MONITORING", "0"}, // its heartbeat monitor kills the process
             {"TORCH_NCCL_RETHROW_CUDA_ERRORS", "0"},
             {"TORCH_NCCL_PROPAGATE_ERROR", "0"},
             {"TORCH_NCCL_DESYNC_DEBUG", "0"},
             {"TORCH_NCCL_DUMP_ON_TIMEOUT", "0"},
             {"TORCH_FR_BUFFER_SIZE", "0"},
             {"TORCH_NCCL_USE_COMM_NONBLOCKING", "1"}, // what sends and receives go by
             {"TORCH_NCCL_NONBLOCKING_TIMEOUT", "60"}, // seconds
         })
        setenv(name, value, /*overwrite=*/1);
}

NcclGroup::NcclGroup(std::span<const int> devices, const PeerOptions& options)
    : devices_(devices.begin(), devices.end()), board_(size(), options), work_(devices.size()),
      deadline_(options.deadline) {
    std::vector<int> distinct = devices_;
    std::sort(distinct.begin(), distinct.end());
    REELMESH_CHECK(!distinct.empty());
    REELMESH_CHECK(std::adjacent_find(distinct.begin(), distinct.end()) == distinct.end());
    if (size() == 1) return;
    const auto store = c10::make_intrusive<c10d::HashStore>();
    store->setTimeout(kConnectDeadline);
    for (int rank = 0; rank < size(); ++rank) {
        const auto settings = c10d::ProcessGroupNCCL::Options::create();
        settings->config.blocking = 0; // an abort frees whoever waits
        settings->timeout = kNever;    // deadlines are ours
        ranks_.push_back(c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size(), settings));
    }
    for (const std::exception_ptr& error : on_all(size(), [this](int rank) { connect(rank); }))
        if (error) {
            abort_communicators();
            std::rethrow_exception(error);
        }
    watchdog_ = std::thread([this] { run_watchdog(); });
}

NcclGroup::~NcclGroup() {
    if (ranks_.empty()) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    watchdog_.join();
    if (board_.state()) return; // aborted by the watchdog before it ended
    // What was posted must be over; then an abort is the end that waits for nobody.
    on_all(size(), [this](int rank) {
        const c10::cuda::CUDAGuard guard(device(rank));
        c10::cuda::device_synchronize();
    });
    abort_communicators();
}

c10::Device NcclGroup::device(int rank) const {
    return {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(devices_[static_cast<std::size_t>(rank)])};
}

void NcclGroup::connect(int rank) {
    const c10::cuda::CUDAGuard guard(device(rank));
    auto& mine = *ranks_[static_cast<std::size_t>(rank)];
    mine.setBoundDeviceId(device(rank));
    mine.eagerConnectSingleDevice(device(rank));
    mine.getCommPtr(); // a non-blocking communicator is waited for at its first use
}

c10::intrusive_ptr<c10d::Work> NcclGroup::post(int rank, std::span<const PeerTransfer> transfers) {
    if (transfers.empty()) return nullptr;
    auto& mine = *ranks_[static_cast<std::size_t>(rank)];
    mine.startCoalescing();
    try {
        for (const PeerTransfer& transfer : transfers) {
            if (transfer.send.defined()) {
                std::vector<at::Tensor> bytes = as_bytes(transfer.send);
                mine.send(bytes, transfer.peer, /*tag=*/0);
            }
            if (transfer.receive.defined()) {
                std::vector<at::Tensor> bytes = as_bytes(transfer.receive);
                mine.recv(bytes, transfer.peer, /*tag=*/0);
            }
        }
    } catch (...) {
        // NCCL's group is the thread's: an open one would swallow the next call. The error is worth more
        // than what closing has to say.
        try {
            mine.endCoalescing();
        } catch (...) {
        }
        throw;
    }
    return mine.endCoalescing();
}

void NcclGroup::watch(int rank, c10::Event done, std::string operation) {
    const std::lock_guard lock(mutex_);
    DeviceWork& work = work_[static_cast<std::size_t>(rank)];
    work.done = std::move(done);
    work.since = Clock::now();
    work.operation = std::move(operation);
}

void NcclGroup::abort(const Error& error) {
    board_.abort(error);
    changed_.notify_all();
}

void NcclGroup::set_deadline(std::chrono::milliseconds deadline) {
    board_.set_deadline(deadline);
    const std::lock_guard lock(mutex_);
    deadline_ = deadline;
}

void NcclGroup::run_watchdog() {
    std::unique_lock lock(mutex_);
    while (!stopping_ && !board_.state()) {
        changed_.wait_for(lock, kPoll);
        if (const auto fault = find_fault()) board_.abort(*fault);
    }
    lock.unlock();
    if (board_.state()) abort_communicators();
}

std::optional<Error> NcclGroup::find_fault() {
    try {
        for (int rank = 0; rank < size(); ++rank) {
            if (ranks_[static_cast<std::size_t>(rank)]->getError() != c10d::ErrorType::SUCCESS)
                return make_error(ErrorCode::Internal,
                                  {{"reason", "NCCL reports an error on " + device(rank).str()}});
            DeviceWork& work = work_[static_cast<std::size_t>(rank)];
            if (!work.done) continue;
            if (work.done->query())
                work.done.reset();
            else if (Clock::now() - work.since > std::max(deadline_, kShortestDeviceDeadline))
                return make_error(ErrorCode::CommunicatorTimeout,
                                  {{"operation", work.operation}, {"missing", device(rank).str()}});
        }
    } catch (...) {
        return current_error(); // a device that cannot be asked is broken
    }
    return std::nullopt;
}

void NcclGroup::abort_communicators() {
    // Errors of a group that is given up help nobody: the first one is on the board.
    on_all(static_cast<int>(ranks_.size()), [this](int rank) {
        const c10::cuda::CUDAGuard guard(device(rank));
        ranks_[static_cast<std::size_t>(rank)]->abort();
    });
}

} // namespace reelmesh
