// What the stub of libnvidia-ml.so.1 says (driver_stub/nvml_stub.cpp), for the life of the object.
#pragma once

#include <stdlib.h>

#include <string>

#include "support/scratch_folder.h"

namespace reelmesh::testing {

class DriverScript {
public:
    explicit DriverScript(const std::string& text) {
        set(text);
        ::setenv("REELMESH_DRIVER_STUB", (folder_ / "script").c_str(), 1);
    }
    ~DriverScript() { ::unsetenv("REELMESH_DRIVER_STUB"); }
    DriverScript(const DriverScript&) = delete;
    DriverScript& operator=(const DriverScript&) = delete;

    void set(const std::string& text) { write_file(folder_ / "script", text); }

private:
    ScratchFolder folder_;
};

inline constexpr const char* kTwoGpus = R"(driver 550.90.07
cuda 12040
gpu 00000000:AB:00.0
name NVIDIA H100
uuid GPU-b
utilization 99
memory_total 85899345920
memory_used 36077725286
power 648000
power_limit 700000
energy 5000000
temperature 83
clock 1590
clock_max 1980
throttle 33
pcie_generation 5
pcie_width 16
pcie_sent 2000
pcie_received 1000
nvlink_sent 1000
nvlink_received 2000
gpu 00000000:18:00.0
name NVIDIA A2
uuid GPU-a
utilization 0
memory_total 1000
memory_used 10
)";

} // namespace reelmesh::testing
