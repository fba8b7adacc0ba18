// How a rank thread is set up: the one place that sets name, priority, inference mode and OpenMP
// thread count. Called first thing on the thread.
#pragma once

#include <string>

namespace reelmesh {

/// threads: OpenMP threads that LibTorch uses when called from this thread. Returns the guard's owner: keep
/// it alive for the life of the thread.
class RankThreadSetup {
public:
    RankThreadSetup(const std::string& name, int threads);
    ~RankThreadSetup();
    RankThreadSetup(const RankThreadSetup&) = delete;
    RankThreadSetup& operator=(const RankThreadSetup&) = delete;

private:
    struct Mode;
    Mode* mode_;
};

} // namespace reelmesh
