#include "device/hardware_presets.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/excerpt.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr int kMostDevices = 64;
constexpr double kLaunch_s = 5e-6;
constexpr double kDriverShare = 0.02; ///< of a card's memory that is never free

struct CardRow {
    std::string_view name, card;
    std::uint64_t gib;
    double gemm_flops, attention_flops, memory_bytes_per_s; ///< bf16
    std::string_view link;
    double link_bytes_per_s, latency_s;
};

constexpr CardRow kCards[] = {
    {"h100-nvlink", "NVIDIA H100 SXM", 80, 600e12, 400e12, 3.35e12, "nvlink", 300e9, 10e-6},
    {"h200-nvlink", "NVIDIA H200", 141, 600e12, 400e12, 4.8e12, "nvlink", 300e9, 10e-6},
    {"a100-nvlink", "NVIDIA A100 SXM", 80, 240e12, 180e12, 2.0e12, "nvlink", 200e9, 10e-6},
    {"h100-pcie", "NVIDIA H100 PCIe", 80, 450e12, 300e12, 2.0e12, "pcie", 50e9, 15e-6},
    {"rtx4090-pcie", "NVIDIA GeForce RTX 4090", 24, 150e12, 130e12, 1.0e12, "staged", 10e9, 30e-6},
    {"rtx5090", "NVIDIA GeForce RTX 5090", 32, 200e12, 170e12, 1.79e12, "staged", 20e9, 30e-6},
    {"l40s", "NVIDIA L40S", 48, 200e12, 150e12, 0.86e12, "pcie", 22e9, 15e-6},
};

constexpr std::string_view kCpu = "cpu";
constexpr double kCoreFlops = 80e9, kCoreAttentionFlops = 60e9, kCoreBytesPerSecond = 10e9;
constexpr std::uint64_t kGibPerCore = 16;

[[noreturn]] void fail_unknown(const std::string& name) {
    fail(ErrorCode::BadField, {{"field", std::string("hardware")},
                               {"found", "\"" + excerpt(name) + "\""},
                               {"needed", "a number from 1 to " + std::to_string(kMostDevices) +
                                              ", x and a known machine, as in 8xh100-nvlink"},
                               {"nearest", machine_names()}});
}

HardwareSnapshot cpu_machine(int cores) {
    HardwareSnapshot machine;
    machine.cores = cores;
    machine.total_bytes = machine.available_bytes = kGibPerCore * kGiB * static_cast<std::uint64_t>(cores);
    machine.devices.push_back({"cpu", std::to_string(cores) + " cores", machine.total_bytes,
                               machine.available_bytes, false, assumed_cpu_rates(cores)});
    machine.devices.front().rates.basis = "preset";
    machine.links.push_back(memory_link());
    machine.no_gpu_reason = "The machine is a preset without GPUs.";
    return machine;
}

CardPreset preset_of(const CardRow& row) {
    return {{row.gemm_flops, row.attention_flops, row.memory_bytes_per_s, kLaunch_s, "preset"},
            {0, 0, std::string(row.link), row.link_bytes_per_s, row.latency_s}};
}

HardwareSnapshot card_machine(const CardRow& row, int count) {
    HardwareSnapshot machine;
    machine.cores = 16 * count;
    const std::uint64_t bytes = row.gib * kGiB;
    machine.total_bytes = machine.available_bytes = 2 * bytes * static_cast<std::uint64_t>(count);
    const CardPreset card = preset_of(row);
    for (int i = 0; i < count; ++i) {
        const auto taken = static_cast<std::uint64_t>(static_cast<double>(bytes) * kDriverShare);
        machine.devices.push_back(
            {"cuda:" + std::to_string(i), std::string(row.card), bytes, bytes - taken, true, card.rates});
        for (int j = 0; j < i; ++j) {
            LinkSummary& link = machine.links.emplace_back(card.link);
            link.from = j;
            link.to = i;
        }
    }
    return machine;
}

} // namespace

CardPreset card_preset(const std::string& name) {
    constexpr std::string_view kMaker = "NVIDIA ", kSlot = " PCIe", kModule = " SXM";
    const bool is_slot = name.find(kSlot) != std::string::npos;
    for (const CardRow& row : kCards) {
        std::string_view model = row.card.substr(kMaker.size());
        // Of a card that is made in both forms the driver names the slot alone.
        const bool of_slot = model.ends_with(kSlot), of_module = model.ends_with(kModule);
        if (of_slot) model.remove_suffix(kSlot.size());
        if (of_module) model.remove_suffix(kModule.size());
        const bool other_form = (of_slot && !is_slot) || (of_module && is_slot);
        if (name.find(model) != std::string::npos && !other_form) return preset_of(row);
    }
    return {{100e12, 80e12, 0.8e12, kLaunch_s, "assumed"}, {0, 0, "pcie", 20e9, 15e-6}};
}

LinkSummary staged_link() {
    return {0, 0, "staged", 10e9, 30e-6};
}

DeviceRates assumed_cpu_rates(int cores) {
    return {kCoreFlops * cores, kCoreAttentionFlops * cores, kCoreBytesPerSecond * cores, kLaunch_s,
            "assumed"};
}

LinkSummary memory_link() {
    return {0, 0, "memory", kCoreBytesPerSecond, 5e-6};
}

std::vector<std::string> machine_names() {
    std::vector<std::string> names;
    for (const CardRow& row : kCards)
        names.emplace_back(row.name);
    names.emplace_back(kCpu);
    return names;
}

HardwareSnapshot hardware_preset(const std::string& name) {
    int count = 1;
    std::string_view machine = name;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), count);
    if (failure == std::errc()) {
        machine.remove_prefix(static_cast<std::size_t>(end - name.data()));
        if (!machine.starts_with('x')) fail_unknown(name);
        machine.remove_prefix(1);
    }
    if (count < 1 || count > kMostDevices) fail_unknown(name);
    const auto row = std::find_if(std::begin(kCards), std::end(kCards),
                                  [&](const CardRow& card) { return card.name == machine; });
    if (row == std::end(kCards) && machine != kCpu) fail_unknown(name);
    HardwareSnapshot preset = machine == kCpu ? cpu_machine(count) : card_machine(*row, count);
    preset.preset = name;
    return preset;
}

} // namespace reelmesh
