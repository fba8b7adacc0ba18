// Reads the GPUs on a thread of its own ("gpu load"): a driver whose device dropped out may not come back
// from a call. Whoever asks waits a bounded time and then gets the figures there are, or devices that say
// that they do not answer. One thread asks; the library is opened at the first question.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "device/nvml.h"

namespace reelmesh {

struct DeviceReading {
    std::vector<DeviceLoad> devices;
    DriverFacts driver;
};

class DeviceReader {
public:
    explicit DeviceReader(std::string library = kNvmlLibrary);
    /// Waits for the driver at most kPatience, then leaves the thread to it: it holds nothing of this object.
    ~DeviceReader();
    DeviceReader(const DeviceReader&) = delete;
    DeviceReader& operator=(const DeviceReader&) = delete;

    static constexpr std::chrono::milliseconds kPatience{2000};

    /// Asks for new figures and waits for them; later ones come with the next call.
    DeviceReading read(PcieRead pcie, std::chrono::milliseconds wait);

private:
    struct Shared;
    static void loop(const std::shared_ptr<Shared>& shared);

    std::shared_ptr<Shared> shared_;
};

} // namespace reelmesh
