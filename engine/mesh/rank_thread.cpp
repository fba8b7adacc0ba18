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
    // LibTorch sets the count when it is first asked on a thread; ours must come after.
    at::get_num_threads();
    omp_set_num_threads(threads);
}

RankThreadSetup::~RankThreadSetup() {
    delete mode_;
}

} // namespace reelmesh
