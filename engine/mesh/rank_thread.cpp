#include "mesh/rank_thread.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    // LibTorch sets the count once a thread, at its first parallel region; ours must come after.
    at::init_num_threads();
    at::parallel_for(0, 2, 1, [](std::int64_t, std::int64_t) {});
    omp_set_num_threads(threads);
}

RankThreadSetup::~RankThreadSetup() { delete mode_; }

} // namespace reelmesh
