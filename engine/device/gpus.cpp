#include "device/gpus.h"

#include <cmath>

#include "device/hardware_presets.h"

namespace reelmesh {
namespace {

/// A figure that is near enough is kept: what is measured differs from run to run, and with it would the mesh
/// that is chosen. Another one is taken to a power of two.
double settled_rate(double preset, double measured) {
    constexpr double kNear = 2;
    if (measured <= 0 || (measured < preset * kNear && measured > preset / kNear)) return preset;
    return std::exp2(std::round(std::log2(measured)));
}

/// Unlike cards have the slower one's link.
LinkSummary link_between(const CudaDevice& source, const CudaDevice& reader, int from, int to) {
    const auto peer = static_cast<std::size_t>(source.index);
    const LinkSummary one = card_preset(source.name).link, other = card_preset(reader.name).link;
    LinkSummary link = !reader.reads_memory[peer]            ? staged_link()
                       : one.bytes_per_s < other.bytes_per_s ? one
                                                             : other;
    if (peer < reader.bytes_per_s.size())
        link.bytes_per_s = settled_rate(link.bytes_per_s, reader.bytes_per_s[peer]);
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
                                    device.free_bytes + device.own_bytes, device.fast_bf16(), card.rates});
        const auto place = static_cast<int>(snapshot.devices.size()) - 1;
        for (int other = first; other < place; ++other) {
            const CudaDevice& from = devices[static_cast<std::size_t>(other - first)];
            // Both ways, as measured: each way has a figure of its own.
            snapshot.links.push_back(link_between(from, device, other, place));
            snapshot.links.push_back(link_between(device, from, place, other));
        }
    }
}

} // namespace reelmesh
