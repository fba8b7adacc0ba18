#include "device/gpus.h"

#include "device/hardware_presets.h"

namespace reelmesh {
namespace {

constexpr int kFirstWithBf16 = 8; ///< compute capability

LinkSummary link_between(const CudaDevice& source, const CudaDevice& reader, const LinkSummary& preset,
                         int from, int to) {
    const auto peer = static_cast<std::size_t>(source.index);
    LinkSummary link = reader.reads_memory[peer] ? preset : staged_link();
    if (peer < reader.bytes_per_s.size() && reader.bytes_per_s[peer] > 0)
        link.bytes_per_s = reader.bytes_per_s[peer];
    link.from = from;
    link.to = to;
    return link;
}

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
            // Both ways, as measured: each way has a figure of its own.
            snapshot.links.push_back(link_between(from, device, card.link, other, place));
            snapshot.links.push_back(link_between(device, from, card.link, place, other));
        }
    }
}

} // namespace reelmesh
