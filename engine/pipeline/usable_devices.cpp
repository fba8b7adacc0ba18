#include "pipeline/usable_devices.h"

namespace reelmesh {

std::vector<int> usable_devices(const JobRequest& request, const HardwareSnapshot& hardware) {
    const auto& devices = hardware.devices;
    std::vector<int> usable;
    for (const std::string& asked : request.devices)
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (devices[i].id == asked) usable.push_back(static_cast<int>(i));
    if (!usable.empty()) return usable;
    for (std::size_t i = 0; i < devices.size(); ++i)
        if (!is_cpu(devices[i])) usable.push_back(static_cast<int>(i));
    if (usable.empty()) usable.push_back(0);
    return usable;
}

} // namespace reelmesh
