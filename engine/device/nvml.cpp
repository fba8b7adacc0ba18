#include "device/nvml.h"

#include <dlfcn.h>
#include <string.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace reelmesh {
namespace {

// Layouts and numbers of NVML's binary interface, which its makers keep stable.
using Handle = struct nvmlDevice_st*;
using EventSet = struct nvmlEventSet_st*;
using Unsigned64 = unsigned long long;

enum Status : int {
    kSuccess = 0,
    kGpuIsLost = 15,
    kResetRequired = 16,
};

constexpr unsigned kTemperatureGpu = 0;
constexpr unsigned kClockSm = 1;
constexpr unsigned kPcieSent = 0, kPcieReceived = 1;
constexpr Unsigned64 kXidEvent = 0x8;
constexpr Unsigned64 kXidFallenOffTheBus = 79;
constexpr unsigned kNvlinkSentKib = 138, kNvlinkReceivedKib = 139;
constexpr unsigned kAllLinks = 0xFFFFFFFFU;
constexpr double kKib = 1024;
/// A counter read twice within less says nothing of a rate.
constexpr double kShortestRate_s = 0.01;

struct PciInfo {
    char legacy_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
};
struct Memory {
    Unsigned64 total, free, used;
};
struct Memory2 {
    unsigned version;
    Unsigned64 total, reserved, free, used;
};
constexpr unsigned kMemory2Version = sizeof(Memory2) | (2U << 24U);
struct Utilization {
    unsigned gpu, memory;
};
union FieldNumber {
    double real;
    unsigned word;
    unsigned long machine_word;
    Unsigned64 long_word;
};
enum FieldType : int { kReal = 0, kWord = 1, kMachineWord = 2, kLongWord = 3, kSignedLongWord = 4 };
struct FieldValue {
    unsigned field, scope;
    long long timestamp, latency_us;
    int type, status;
    FieldNumber value;
};
struct EventData {
    Handle device;
    Unsigned64 type, data;
    unsigned gpu_instance, compute_instance;
};

struct ThrottleReason {
    Unsigned64 bit;
    const char* words;
};
/// Idle (bit 0) slows nothing down that anyone waits for.
constexpr ThrottleReason kThrottleReasons[] = {
    {0x2, "application clocks"}, {0x4, "SW power cap"}, {0x8, "HW slowdown"},     {0x10, "sync boost"},
    {0x20, "SW thermal"},        {0x40, "HW thermal"},  {0x80, "HW power brake"}, {0x100, "display clocks"},
};

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double number_of(const FieldValue& field) {
    if (field.status != kSuccess) return kUnknown;
    switch (field.type) {
    case kReal: return field.value.real;
    case kWord: return field.value.word;
    case kMachineWord: return static_cast<double>(field.value.machine_word);
    case kLongWord:
    case kSignedLongWord: return static_cast<double>(field.value.long_word);
    default: return kUnknown;
    }
}

/// Bytes a second from two readings of a counter.
class Rate {
public:
    double next(double bytes, double now_s) {
        const double seconds = now_s - before_s_;
        const bool known = bytes >= before_ && seconds >= kShortestRate_s; // NaN compares false
        const double rate = known ? (bytes - before_) / seconds : kUnknown;
        before_ = bytes;
        before_s_ = now_s;
        return rate;
    }

private:
    double before_ = kUnknown, before_s_ = 0;
};

} // namespace

struct Nvml::Device {
    Handle handle = nullptr;
    DeviceLoad load; ///< names stay, figures are those of the last read
    Unsigned64 xid = 0;
    bool lost = false;
    Rate sent, received;
};

struct Nvml::Functions {
    template <class... A>
    using Call = int (*)(A...);

    void* library = nullptr;
    bool started = false;

    Call<> init = nullptr, shutdown = nullptr;
    const char* (*error_string)(int) = nullptr;
    Call<char*, unsigned> driver_version = nullptr;
    Call<int*> cuda_version = nullptr;
    Call<unsigned*> count = nullptr;
    Call<unsigned, Handle*> handle_by_index = nullptr;
    Call<const char*, Handle*> handle_by_bus_id = nullptr;
    Call<Handle, PciInfo*> pci_info = nullptr;
    Call<Handle, char*, unsigned> name = nullptr, uuid = nullptr;
    Call<Handle, Memory2*> memory2 = nullptr;
    Call<Handle, Memory*> memory = nullptr;
    Call<Handle, Utilization*> utilization = nullptr;
    Call<Handle, unsigned*> power = nullptr, power_limit = nullptr, pcie_generation = nullptr,
                            pcie_width = nullptr;
    Call<Handle, Unsigned64*> energy = nullptr, throttle = nullptr;
    Call<Handle, unsigned, unsigned*> temperature = nullptr, clock = nullptr, max_clock = nullptr,
                                      pcie_throughput = nullptr;
    Call<Handle, int, FieldValue*> fields = nullptr;
    Call<EventSet*> make_events = nullptr;
    Call<EventSet> free_events = nullptr;
    Call<Handle, Unsigned64, EventSet> register_events = nullptr;
    Call<EventSet, EventData*, unsigned> wait_events = nullptr;

    explicit Functions(const std::string& file) : library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) {
        if (!library) return;
        find(init, "nvmlInit_v2");
        find(shutdown, "nvmlShutdown");
        find(error_string, "nvmlErrorString");
        find(driver_version, "nvmlSystemGetDriverVersion");
        find(cuda_version, "nvmlSystemGetCudaDriverVersion_v2");
        find(count, "nvmlDeviceGetCount_v2");
        find(handle_by_index, "nvmlDeviceGetHandleByIndex_v2");
        find(handle_by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
        find(pci_info, "nvmlDeviceGetPciInfo_v3");
        find(name, "nvmlDeviceGetName");
        find(uuid, "nvmlDeviceGetUUID");
        find(memory2, "nvmlDeviceGetMemoryInfo_v2");
        find(memory, "nvmlDeviceGetMemoryInfo");
        find(utilization, "nvmlDeviceGetUtilizationRates");
        find(power, "nvmlDeviceGetPowerUsage");
        find(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
        find(energy, "nvmlDeviceGetTotalEnergyConsumption");
        find(temperature, "nvmlDeviceGetTemperature");
        find(clock, "nvmlDeviceGetClockInfo");
        find(max_clock, "nvmlDeviceGetMaxClockInfo");
        find(throttle, "nvmlDeviceGetCurrentClocksEventReasons");
        if (!throttle) find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
        find(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
        find(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
        find(pcie_throughput, "nvmlDeviceGetPcieThroughput");
        find(fields, "nvmlDeviceGetFieldValues");
        find(make_events, "nvmlEventSetCreate");
        find(free_events, "nvmlEventSetFree");
        find(register_events, "nvmlDeviceRegisterEvents");
        find(wait_events, "nvmlEventSetWait_v2");
    }
    ~Functions() {
        if (started && shutdown) shutdown();
        if (library) dlclose(library);
    }
    Functions(const Functions&) = delete;
    Functions& operator=(const Functions&) = delete;

    template <class F>
    void find(F& function, const char* symbol) {
        function = reinterpret_cast<F>(dlsym(library, symbol));
    }

    std::string words(int status) const {
        const char* text = error_string ? error_string(status) : nullptr;
        return text ? text : "NVML status " + std::to_string(status);
    }

    /// Marks the device when it is gone. False: the figure is not to be had.
    template <class F, class... A>
    static bool ask(Device& device, F function, A... arguments) {
        if (device.lost || !function) return false;
        const int status = function(device.handle, arguments...);
        device.lost = status == kGpuIsLost || status == kResetRequired;
        return status == kSuccess;
    }

    template <class F, class... A>
    static double ask_number(Device& device, double unit, F function, A... arguments) {
        unsigned value = 0;
        return ask(device, function, arguments..., &value) ? value * unit : kUnknown;
    }
};

Nvml::Nvml(const std::string& library) : functions_(std::make_unique<Functions>(library)) {
    Functions& nvml = *functions_;
    if (!nvml.library) {
        failure_ = library + " was not found";
        return;
    }
    const int status = nvml.init ? nvml.init() : -1;
    if (status != kSuccess) {
        failure_ = nvml.init ? nvml.words(status) : library + " has no nvmlInit_v2";
        return;
    }
    nvml.started = true;
    std::array<char, 96> text{};
    driver_ = "unknown";
    if (nvml.driver_version && nvml.driver_version(text.data(), text.size() - 1) == kSuccess)
        driver_ = text.data();
    if (!nvml.cuda_version || nvml.cuda_version(&cuda_version_) != kSuccess) cuda_version_ = 0;
    list_devices();
    watch_faults();
}

Nvml::~Nvml() {
    if (faults_ && functions_->free_events) functions_->free_events(static_cast<EventSet>(faults_));
}

void Nvml::list_devices() {
    const Functions& nvml = *functions_;
    unsigned count = 0;
    if (!nvml.count || !nvml.handle_by_index || nvml.count(&count) != kSuccess) return;
    for (unsigned index = 0; index < count; ++index) {
        Device device;
        const int status = nvml.handle_by_index(index, &device.handle);
        device.lost = status != kSuccess;
        device.load.name = "NVIDIA GPU";
        PciInfo pci{};
        if (Functions::ask(device, nvml.pci_info, &pci)) {
            device.load.bus_id = std::string(pci.id, strnlen(pci.id, sizeof(pci.id)));
            // The handle of a place on the bus stays right when devices are numbered anew.
            Handle same = nullptr;
            if (nvml.handle_by_bus_id && nvml.handle_by_bus_id(device.load.bus_id.c_str(), &same) == kSuccess)
                device.handle = same;
        }
        std::array<char, 96> text{};
        if (Functions::ask(device, nvml.name, text.data(), unsigned(text.size() - 1)))
            device.load.name = text.data();
        if (Functions::ask(device, nvml.uuid, text.data(), unsigned(text.size() - 1)))
            device.load.uuid = text.data();
        if (status != kSuccess) device.load.lost = nvml.words(status);
        devices_.push_back(std::move(device));
    }
    std::ranges::stable_sort(devices_, [](const Device& a, const Device& b) {
        return strcasecmp(a.load.bus_id.c_str(), b.load.bus_id.c_str()) < 0;
    });
    for (std::size_t i = 0; i < devices_.size(); ++i)
        devices_[i].load.id = "cuda:" + std::to_string(i);
}

void Nvml::watch_faults() {
    const Functions& nvml = *functions_;
    EventSet set = nullptr;
    if (!nvml.make_events || !nvml.register_events || !nvml.wait_events || nvml.make_events(&set) != kSuccess)
        return;
    faults_ = set;
    for (Device& device : devices_)
        Functions::ask(device, nvml.register_events, kXidEvent, set);
}

void Nvml::collect_faults() {
    if (!faults_) return;
    EventData event{};
    // A flood of faults may not keep the figures waiting.
    constexpr int kMostAtOnce = 64;
    for (int i = 0; i < kMostAtOnce; ++i) {
        if (functions_->wait_events(static_cast<EventSet>(faults_), &event, 0) != kSuccess) return;
        if (event.type != kXidEvent) continue;
        for (Device& device : devices_) {
            if (device.handle != event.device) continue;
            device.xid = event.data;
            if (event.data == kXidFallenOffTheBus) device.lost = true;
        }
    }
}

std::vector<DeviceLoad> Nvml::read(PcieRead pcie) {
    std::vector<DeviceLoad> loads;
    if (!functions_->started) return loads;
    collect_faults();
    for (Device& device : devices_) {
        read(device, pcie);
        loads.push_back(device.load);
    }
    return loads;
}

void Nvml::read(Device& device, PcieRead pcie) {
    const Functions& nvml = *functions_;
    const DeviceLoad before = device.load;
    DeviceLoad& load = device.load;
    load = {};
    load.id = before.id;
    load.name = before.name;
    load.bus_id = before.bus_id;
    load.uuid = before.uuid;
    const DeviceLoad names = load;

    Utilization utilization{};
    if (Functions::ask(device, nvml.utilization, &utilization)) load.utilization = utilization.gpu / 100.0;
    Memory2 memory2{};
    memory2.version = kMemory2Version;
    Memory memory{};
    if (Functions::ask(device, nvml.memory2, &memory2)) {
        load.memory_used_bytes = static_cast<double>(memory2.used);
        load.memory_total_bytes = static_cast<double>(memory2.total);
    } else if (Functions::ask(device, nvml.memory, &memory)) {
        load.memory_used_bytes = static_cast<double>(memory.used);
        load.memory_total_bytes = static_cast<double>(memory.total);
    }
    load.power_w = Functions::ask_number(device, 1e-3, nvml.power);
    load.power_limit_w = Functions::ask_number(device, 1e-3, nvml.power_limit);
    Unsigned64 value = 0;
    if (Functions::ask(device, nvml.energy, &value)) load.energy_j = static_cast<double>(value) * 1e-3;
    load.temperature_c = Functions::ask_number(device, 1, nvml.temperature, kTemperatureGpu);
    load.sm_mhz = Functions::ask_number(device, 1, nvml.clock, kClockSm);
    load.sm_max_mhz = Functions::ask_number(device, 1, nvml.max_clock, kClockSm);
    if (Functions::ask(device, nvml.throttle, &value))
        for (const ThrottleReason& reason : kThrottleReasons)
            if (value & reason.bit) load.throttle.emplace_back(reason.words);
    load.pcie_generation = Functions::ask_number(device, 1, nvml.pcie_generation);
    load.pcie_width = Functions::ask_number(device, 1, nvml.pcie_width);
    load.pcie_rx_bytes_per_s = before.pcie_rx_bytes_per_s;
    load.pcie_tx_bytes_per_s = before.pcie_tx_bytes_per_s;
    if (pcie == PcieRead::Measure) {
        load.pcie_rx_bytes_per_s = Functions::ask_number(device, kKib, nvml.pcie_throughput, kPcieReceived);
        load.pcie_tx_bytes_per_s = Functions::ask_number(device, kKib, nvml.pcie_throughput, kPcieSent);
    }
    read_links(device);

    if (!device.lost) return;
    // What was read of it before it went belongs to no moment.
    const std::string words = before.lost.empty() ? nvml.words(kGpuIsLost) : before.lost;
    load = names;
    load.lost = words;
    if (device.xid != 0 && words.find("Xid") == std::string::npos)
        load.lost += " (Xid " + std::to_string(device.xid) + ")";
}

void Nvml::read_links(Device& device) {
    std::array<FieldValue, 2> fields{};
    fields[0].field = kNvlinkSentKib;
    fields[1].field = kNvlinkReceivedKib;
    for (FieldValue& field : fields)
        field.scope = kAllLinks;
    if (!Functions::ask(device, functions_->fields, static_cast<int>(fields.size()), fields.data())) return;
    const double now_s = seconds_now();
    device.load.nvlink_tx_bytes_per_s = device.sent.next(number_of(fields[0]) * kKib, now_s);
    device.load.nvlink_rx_bytes_per_s = device.received.next(number_of(fields[1]) * kKib, now_s);
}

DriverFacts Nvml::facts() const {
    DriverFacts facts;
    facts.driver = driver_;
    facts.cuda_major = cuda_version_ / 1000;
    facts.cuda_minor = cuda_version_ % 1000 / 10;
    facts.failure = failure_;
    for (const Device& device : devices_) {
        facts.gpus.push_back(device.load.name);
        if (device.lost)
            facts.lost.push_back(
                device.load.name + (device.load.bus_id.empty() ? "" : " at " + device.load.bus_id) + ": " +
                (device.load.lost.empty() ? functions_->words(kGpuIsLost) : device.load.lost));
    }
    return facts;
}

} // namespace reelmesh
