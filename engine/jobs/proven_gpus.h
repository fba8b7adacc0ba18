// The GPUs that ranks may compute on: those of this machine that passed the self-test, which runs once an
// engine, at the first call. Any thread; who comes while it runs waits for it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "base/log.h"
#include "engine/mesh_info.h"
#include "mesh/gpu_self_test.h"

namespace reelmesh {

class ProvenGpus {
public:
    /// should_stop: ends a test early, which then finds nothing.
    ProvenGpus(Log& log, std::function<bool()> should_stop)
        : log_(log), should_stop_(std::move(should_stop)) {}

    /// Appends them to the machine, with their memory as of now, and what was found wrong.
    void add_to(HardwareSnapshot& machine);
    /// Pairs that exchange through the host, and those whose copies the driver takes there.
    GpuPairs staged();
    GpuPairs indirect();

private:
    const GpuFindings& findings();

    Log& log_;
    const std::function<bool()> should_stop_;
    std::mutex mutex_; // guards findings_
    std::optional<GpuFindings> findings_;
};

} // namespace reelmesh
