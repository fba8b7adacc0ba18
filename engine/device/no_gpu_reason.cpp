#include "device/no_gpu_reason.h"

#include <exception>
#include <sstream>

namespace reelmesh {
namespace {

constexpr const char* kOnCpu = "; ranks run on the CPU.";

/// The oldest driver that runs a CUDA version: NVIDIA's table of minor version compatibility.
struct NeededDriver {
    int cuda_major;
    const char* driver;
};
constexpr NeededDriver kNeededDrivers[] = {{11, "450.80"}, {12, "525.60"}, {13, "580.65"}};

std::string needed_driver(int cuda_major) {
    for (const NeededDriver& needed : kNeededDrivers)
        if (needed.cuda_major == cuda_major)
            return ", which needs driver " + std::string(needed.driver) + " or newer";
    return "";
}

/// "13.0" -> 13; 0: unknown.
int major_of(const std::string& version) {
    int major = 0;
    std::istringstream(version) >> major;
    return major;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

std::string number_of_gpus(std::size_t count) {
    return count == 1 ? "the GPU" : "all " + std::to_string(count) + " GPUs";
}

std::string lost(const DriverFacts& driver) {
    return joined(driver.lost) + std::string(kOnCpu);
}

bool shows_gpus(const CudaBackend& backend) {
    try {
        return !backend.devices().empty();
    } catch (const std::exception&) {
        // A device that drops out makes every later call fail; the reason then is what the driver says.
        return false;
    }
}

} // namespace

std::string no_gpu_reason(const CudaPart& part, const DriverFacts& driver, const char* visible) {
    const bool all_lost = !driver.gpus.empty() && driver.lost.size() == driver.gpus.size();
    if (part.missing == CudaPart::Missing::Devices) {
        const int needed = major_of(part.cuda_version);
        if (driver.cuda_major > 0 && driver.cuda_major < needed)
            return "NVIDIA driver " + driver.driver + " is too old: it runs CUDA " +
                   std::to_string(driver.cuda_major) + "." + std::to_string(driver.cuda_minor) +
                   ", this build is of CUDA " + part.cuda_version + needed_driver(needed) + kOnCpu;
        if (all_lost) return lost(driver);
        if (visible)
            return "CUDA_VISIBLE_DEVICES=" + std::string(*visible ? visible : "\"\"") + " hides " +
                   (driver.gpus.empty() ? "all GPUs" : number_of_gpus(driver.gpus.size())) + kOnCpu;
        if (!driver.lost.empty()) return lost(driver);
    }
    if (!part.backend) return part.reason;
    if (all_lost) return lost(driver);
    if (driver.gpus.empty() && !shows_gpus(*part.backend))
        return "An NVIDIA driver is here, but it shows no GPU" + std::string(kOnCpu);
    return "";
}

} // namespace reelmesh
