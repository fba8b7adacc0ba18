#include "mesh/rank_thread.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <exception>
#include <mutex>

// The run time is LibTorch's own; its headers come with the compiler, which is not told -fopenmp.
extern "C" void omp_set_num_threads(int);

namespace reelmesh {

struct RankThreadSetup::Mode {
    c10::InferenceMode guard;
};

RankThreadSetup::RankThreadSetup(const std::string& name, int threads) : mode_(new Mode) {
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
    // Nice is a thread's own on Linux: the window stays ahead of computing.
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 5);
    // LibTorch sets the count when it is first asked on a thread; ours must come after.
    at::get_num_threads();
    omp_set_num_threads(threads);
}

RankThreadSetup::~RankThreadSetup() {
    delete mode_;
}

void set_exact_arithmetic() {
    static std::once_flag once;
    std::call_once(once, [] {
        at::Context& context = at::globalContext();
        context.setAllowTF32CuDNN(false);
        context.setAllowTF32CuBLAS(false);
        context.setDeterministicCuDNN(true);
        context.setBenchmarkCuDNN(false);
        context.setAllowBF16ReductionCuBLAS(false);
        context.setAllowFP16ReductionCuBLAS(false);
    });
}

CurrentStream::CurrentStream(c10::Stream stream)
    : previous_(c10::impl::VirtualGuardImpl(stream.device_type()).exchangeStream(stream)) {}

CurrentStream::~CurrentStream() {
    c10::impl::VirtualGuardImpl(previous_.device_type()).exchangeStream(previous_);
}

RankDevice::RankDevice(const RankStreams& streams) {
    if (streams.empty()) return;
    set_exact_arithmetic();
    own_ = streams.front();
    device_.reset_device(own_->device());
    for (const c10::Stream& stream : streams)
        current_.push_back(std::make_unique<CurrentStream>(stream));
}

RankDevice::~RankDevice() {
    try {
        synchronize();
    } catch (const std::exception&) {
    }
}

void RankDevice::synchronize() const {
    if (own_) own_->synchronize();
}

} // namespace reelmesh
