#include "device/gpus.h"

#include <algorithm>

#include "device/hardware_presets.h"

namespace reelmesh {
namespace {

constexpr int kFirstWithBf16 = 8; ///< compute capability

} // namespace

void add_gpus(HardwareSnapshot& snapshot, const std::vector<CudaDevice>& devices) {
    const auto first = static_cast<int>(snapshot.devices.size());
    for (const CudaDevice& device : devices) {
        const CardPreset card = card_preset(device.name);
        snapshot.devices.push_back({"cuda:" + std::to_string(device.index), device.name, device.total_bytes,
                                    device.free_bytes + device.own_bytes, device.major >= kFirstWithBf16,
                                    card.rates});
        const auto place = static_cast<int>(snapshot.devices.size()) - 1;
        for (int other = first; other < place; ++other) {
            const CudaDevice& from = devices[static_cast<std::size_t>(other - first)];
            LinkSummary link =
                device.reads_memory[static_cast<std::size_t>(from.index)] ? card.link : staged_link();
            link.from = other;
            link.to = place;
            snapshot.links.push_back(link);
        }
    }
}

HardwareSnapshot with_asked_gpus(HardwareSnapshot snapshot, const std::vector<std::string>& asked) {
    const auto names_gpu = [](const std::string& id) { return id.starts_with("cuda:"); };
    if (!snapshot.preset.empty() || std::none_of(asked.begin(), asked.end(), names_gpu)) return snapshot;
    const CudaBackend* backend = cuda_part().backend;
    if (!backend) return snapshot;
    std::vector<CudaDevice> devices = backend->devices();
    std::erase_if(devices, [&](const CudaDevice& device) {
        return std::find(asked.begin(), asked.end(), "cuda:" + std::to_string(device.index)) == asked.end();
    });
    add_gpus(snapshot, devices);
    return snapshot;
}

} // namespace reelmesh
