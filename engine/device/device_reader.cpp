#include "device/device_reader.h"

#include <pthread.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace reelmesh {

namespace {

using Clock = std::chrono::steady_clock;

} // namespace

struct DeviceReader::Shared {
    const std::string library;
    std::mutex mutex; // guards all below but the thread
    std::condition_variable changed;
    bool asked = false, ending = false, ended = false;
    PcieRead pcie = PcieRead::Skip;
    Clock::time_point asked_at;
    DeviceReading reading;
    std::thread thread;
};

DeviceReader::DeviceReader(std::string library)
    : shared_(new Shared{.library = std::move(library),
                         .mutex = {},
                         .changed = {},
                         .asked_at = {},
                         .reading = {},
                         .thread = {}}) {
    shared_->thread = std::thread([shared = shared_] { loop(shared); });
}

DeviceReader::~DeviceReader() {
    std::unique_lock lock(shared_->mutex);
    shared_->ending = true;
    shared_->changed.notify_all();
    const bool ended = shared_->changed.wait_for(lock, kPatience, [this] { return shared_->ended; });
    lock.unlock();
    if (ended)
        shared_->thread.join();
    else
        // Inside a driver that does not return: joining would hang whoever quits.
        shared_->thread.detach();
}

DeviceReading DeviceReader::read(PcieRead pcie, std::chrono::milliseconds wait) {
    Shared& shared = *shared_;
    std::unique_lock lock(shared.mutex);
    if (!shared.asked) {
        shared.asked = true;
        shared.pcie = pcie;
        shared.asked_at = Clock::now();
        shared.changed.notify_all();
    }
    if (shared.changed.wait_for(lock, wait, [&] { return !shared.asked; })) return shared.reading;
    DeviceReading reading = shared.reading;
    const auto silent = Clock::now() - shared.asked_at;
    if (silent < kPatience) return reading;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silent).count();
    const std::string words = "the driver has not answered for " + std::to_string(seconds) + " s";
    reading.driver.lost.clear();
    for (DeviceLoad& device : reading.devices) {
        DeviceLoad gone;
        gone.id = device.id;
        gone.name = device.name;
        gone.bus_id = device.bus_id;
        gone.uuid = device.uuid;
        gone.lost = words;
        device = gone;
        reading.driver.lost.push_back(gone.name + " at " + gone.bus_id + ": " + words);
    }
    return reading;
}

void DeviceReader::loop(const std::shared_ptr<Shared>& shared) {
    pthread_setname_np(pthread_self(), "gpu load");
    std::unique_ptr<Nvml> nvml;
    std::unique_lock lock(shared->mutex);
    while (true) {
        shared->changed.wait(lock, [&] { return shared->asked || shared->ending; });
        if (shared->ending) break;
        const PcieRead pcie = shared->pcie;
        lock.unlock();
        DeviceReading reading;
        if (!nvml) nvml = std::make_unique<Nvml>(shared->library);
        reading.devices = nvml->read(pcie);
        reading.driver = nvml->facts();
        lock.lock();
        shared->reading = std::move(reading);
        shared->asked = false;
        shared->changed.notify_all();
    }
    lock.unlock();
    nvml.reset();
    lock.lock();
    shared->ended = true;
    shared->changed.notify_all();
}

} // namespace reelmesh
