// What NVIDIA's management library says of this machine's GPUs, in the order of nvidia-smi (PCI). The library
// is opened at run time, its prototypes are declared by hand: nothing of NVIDIA's is needed to build. Every
// figure is optional: what library or device does not offer is NaN. Nothing throws. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/events.h"

namespace reelmesh {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

/// What tells the reasons for "no GPU" apart.
struct DriverFacts {
    std::string driver;                 ///< "550.90.07"; "": the library is not there or does not start
    int cuda_major = 0, cuda_minor = 0; ///< the newest that the driver can run; 0: unknown
    std::string failure;                ///< why the library does not start, in its words
    std::vector<std::string> gpus;      ///< "NVIDIA H200"; nvidia-smi order
    std::vector<std::string> lost;      ///< those that answer no more, with the reason
};

/// Reading the PCIe counters takes 20 ms each: not at every turn.
enum class PcieRead { Skip, Measure };

class Nvml {
public:
    explicit Nvml(const std::string& library = kNvmlLibrary);
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// As of the last read().
    DriverFacts facts() const;
    /// Of every GPU. One that is lost is not asked again; its entry says why. Skip repeats the PCIe figures
    /// of the last measurement.
    std::vector<DeviceLoad> read(PcieRead pcie);

private:
    struct Functions;
    struct Device;

    void list_devices();
    void watch_faults();
    void collect_faults();
    void read(Device& device, PcieRead pcie);
    void read_links(Device& device);

    std::unique_ptr<Functions> functions_;
    std::string driver_, failure_;
    int cuda_version_ = 0; ///< 1000 * major + 10 * minor
    void* faults_ = nullptr;
    std::vector<Device> devices_;
};

} // namespace reelmesh
