#include "device_load_model.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

/// Known as soon as one of two is.
double sumOfKnown(double a, double b) {
    if (std::isnan(a)) return b;
    return std::isnan(b) ? a : a + b;
}

double linkRate(const DeviceLoad& load) {
    const double nvlink = sumOfKnown(load.nvlink_rx_bytes_per_s, load.nvlink_tx_bytes_per_s);
    return std::isnan(nvlink) ? sumOfKnown(load.pcie_rx_bytes_per_s, load.pcie_tx_bytes_per_s) : nvlink;
}

struct Recorder {
    LoadEntry& entry;
    std::int64_t time_ns;
    void operator()(LoadQuantity quantity, double value) const {
        entry.histories[static_cast<std::size_t>(quantity)].add(time_ns, value);
    }
};

} // namespace

void DeviceLoadModel::add(const LoadSample& sample) {
    if (sample.time_ns <= lastTime_ns_) return;
    const std::int64_t period_ns = sample.time_ns - lastTime_ns_;
    if (hasSample() && period_ns <= LoadHistory::kGap_ns) samplesPerSecond_ = period_ns < 600'000'000 ? 4 : 1;
    lastTime_ns_ = sample.time_ns;
    driver_ = QString::fromStdString(sample.driver);
    noGpuReason_ = QString::fromStdString(sample.no_gpu_reason);
    arrange(sample);

    std::size_t at = 0;
    for (const DeviceLoad& device : sample.devices) {
        LoadEntry& entry = entries_[at++];
        entry.device = device;
        const Recorder record{entry, sample.time_ns};
        record(LoadQuantity::Busy, device.utilization);
        record(LoadQuantity::Memory, device.memory_used_bytes);
        record(LoadQuantity::Power, device.power_w);
        record(LoadQuantity::Heat, device.temperature_c);
        record(LoadQuantity::Clock, device.sm_mhz);
        record(LoadQuantity::Link, linkRate(device));
    }
    for (const RankLoad& rank : sample.ranks) {
        LoadEntry& entry = entries_[at++];
        entry.rankLoad = rank;
        const Recorder record{entry, sample.time_ns};
        record(LoadQuantity::Busy, rank.threads > 0 ? rank.cores / rank.threads : kUnknown);
        record(LoadQuantity::Cores, rank.cores);
    }
    LoadEntry& entry = entries_[at];
    const MachineLoad& machine = sample.machine;
    entry.machine = machine;
    const Recorder record{entry, sample.time_ns};
    record(LoadQuantity::Busy, machine.cores > 0 ? machine.cores_busy / machine.cores : kUnknown);
    record(LoadQuantity::Cores, machine.process_cores);
    record(LoadQuantity::Memory, machine.limit_bytes - machine.available_bytes);
    record(LoadQuantity::Resident, machine.resident_bytes);
    record(LoadQuantity::Free, machine.available_bytes);
    record(LoadQuantity::Pressure, machine.memory_pressure);
    Q_EMIT changed();
}

void DeviceLoadModel::arrange(const LoadSample& sample) {
    std::vector<LoadEntry> wanted;
    for (std::size_t i = 0; i < sample.devices.size(); ++i) {
        LoadEntry& entry = wanted.emplace_back();
        entry.number = static_cast<int>(i);
        entry.device.id = sample.devices[i].id;
    }
    for (const RankLoad& rank : sample.ranks) {
        LoadEntry& entry = wanted.emplace_back();
        entry.kind = LoadEntry::Kind::Rank;
        entry.number = entry.rank = rank.rank;
    }
    wanted.emplace_back().kind = LoadEntry::Kind::Machine;

    const auto same = [](const LoadEntry& a, const LoadEntry& b) {
        return a.kind == b.kind && a.number == b.number;
    };
    if (std::equal(wanted.begin(), wanted.end(), entries_.begin(), entries_.end(), same)) return;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        // What was there before keeps its minute.
        for (LoadEntry& old : entries_)
            if (same(old, wanted[i])) wanted[i] = std::move(old);
        wanted[i].index = static_cast<int>(i);
    }
    entries_ = std::move(wanted);
    assignRanks();
    Q_EMIT entriesChanged();
}

void DeviceLoadModel::setRanks(const QStringList& devices, const QStringList& places) {
    if (devices_ == devices && places_ == places) return;
    devices_ = devices;
    places_ = places;
    assignRanks();
    Q_EMIT changed();
}

void DeviceLoadModel::assignRanks() {
    for (LoadEntry& entry : entries_)
        if (entry.kind == LoadEntry::Kind::Gpu)
            entry.rank = static_cast<int>(devices_.indexOf(QString::fromStdString(entry.device.id)));
}

void DeviceLoadModel::apply(const JobStateChanged& event) {
    const bool begins = event.state == JobState::Running && event.stage == Stage::Load && !event.stopping;
    if (!begins && event.state != JobState::Done) return;
    if (begins) energyAtStart_j_.clear();
    for (LoadEntry& entry : entries_) {
        if (entry.kind != LoadEntry::Kind::Gpu) continue;
        const auto gpu = static_cast<std::size_t>(entry.number);
        if (begins)
            energyAtStart_j_.push_back(entry.device.energy_j);
        else if (gpu < energyAtStart_j_.size())
            entry.videoEnergy_j = entry.device.energy_j - energyAtStart_j_[gpu];
    }
}

} // namespace reelmesh
