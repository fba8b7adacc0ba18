// Common machines by name, for plans of what is not here. Rates are what programs reach in practice. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/mesh_info.h"

namespace reelmesh {

/// "h100-nvlink", "cpu" ...
std::vector<std::string> machine_names();
/// "8xh100-nvlink"; without a number one device. Of "cpu" the number is that of cores. Throws BadField with
/// the known names.
HardwareSnapshot hardware_preset(const std::string& name);

/// What is known of a card, and of the links between such cards that read each other's memory.
struct CardPreset {
    DeviceRates rates;
    LinkSummary link;
};
/// By the name that the driver gives ("NVIDIA H100 80GB HBM3"); another card is taken for a middling one,
/// basis "assumed".
CardPreset card_preset(const std::string& name);
/// Between cards that only meet in the host's memory.
LinkSummary staged_link();

/// What a processor with so many cores is taken for until it has been measured; float32.
DeviceRates assumed_cpu_rates(int cores);
/// Between ranks that are threads of one process on the CPU, device index 0.
LinkSummary memory_link();

} // namespace reelmesh
