// A libnvidia-ml.so.1 without a driver. What it says stands in the text file that REELMESH_DRIVER_STUB names,
// read anew at every call: a word and its value a line; "gpu <bus id>" begins a device, the lines after it
// are about that one. A word that is not there: NOT_SUPPORTED. "lost_at n": from the n-th question on the
// device is lost, whatever is asked. "hang_ms n": every question takes that long. Built with
// REELMESH_STUB_OLD it is an older library: some functions do not exist.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

enum { kSuccess = 0, kInvalid = 2, kNotSupported = 3, kNotFound = 6, kTimeout = 10, kLost = 15 };

struct Values : std::map<std::string, std::string> {
    const char* text(const std::string& key) const {
        const auto found = find(key);
        return found == end() ? nullptr : found->second.c_str();
    }
    double number(const std::string& key, double otherwise) const {
        const char* value = text(key);
        return value ? std::atof(value) : otherwise;
    }
};
struct Script {
    Values library;
    std::vector<Values> gpus;
};

Script read_script() {
    Script script;
    const char* path = std::getenv("REELMESH_DRIVER_STUB");
    std::ifstream file(path ? path : "");
    for (std::string line; std::getline(file, line);) {
        const std::size_t gap = line.find(' ');
        const std::string key = line.substr(0, gap);
        const std::string value = gap == std::string::npos ? "" : line.substr(gap + 1);
        if (key == "gpu") script.gpus.emplace_back();
        (script.gpus.empty() ? script.library : script.gpus.back())[key] = value;
    }
    return script;
}

struct StubDevice {
    unsigned index;
    std::atomic<int> questions{0};
    std::atomic<bool> xid_told{false};
};
StubDevice devices[16];

using Handle = StubDevice*;

/// The device's lines, or a status other than success.
int ask(Handle device, Values& values) {
    const Script script = read_script();
    if (!device || device->index >= script.gpus.size()) return kInvalid;
    values = script.gpus[device->index];
    std::this_thread::sleep_for(std::chrono::milliseconds(int(values.number("hang_ms", 0))));
    const double lost_at = values.number("lost_at", 0);
    return lost_at > 0 && ++device->questions >= lost_at ? kLost : kSuccess;
}

template <class T>
int number(Handle device, const char* key, T* value) {
    Values values;
    if (const int status = ask(device, values)) return status;
    const char* text = values.text(key);
    if (!text) return kNotSupported;
    *value = static_cast<T>(std::strtoull(text, nullptr, 10));
    return kSuccess;
}

int copy_text(const char* text, char* to, unsigned size) {
    if (!text) return kNotSupported;
    std::snprintf(to, size, "%s", text);
    return kSuccess;
}

int text(Handle device, const char* key, char* to, unsigned size) {
    Values values;
    if (const int status = ask(device, values)) return status;
    return copy_text(values.text(key), to, size);
}

struct PciInfo {
    char legacy_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
};
struct Memory {
    unsigned long long total, free, used;
};
struct Memory2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
struct Utilization {
    unsigned gpu, memory;
};
struct FieldValue {
    unsigned field, scope;
    long long timestamp, latency_us;
    int type, status;
    unsigned long long value;
};
struct EventData {
    Handle device;
    unsigned long long type, data;
    unsigned gpu_instance, compute_instance;
};

} // namespace

#define STUB extern "C" __attribute__((visibility("default")))

STUB int nvmlInit_v2() {
    for (unsigned i = 0; i < 16; ++i) {
        devices[i].index = i;
        devices[i].questions = 0;
        devices[i].xid_told = false;
    }
    return int(read_script().library.number("init", 0));
}
STUB int nvmlShutdown() {
    return kSuccess;
}
STUB const char* nvmlErrorString(int status) {
    switch (status) {
    case kLost: return "GPU is lost";
    case 9: return "Driver Not Loaded";
    case 18: return "Driver/library version mismatch";
    default: return "Unknown Error";
    }
}
STUB int nvmlSystemGetDriverVersion(char* version, unsigned size) {
    return copy_text(read_script().library.text("driver"), version, size);
}
STUB int nvmlSystemGetCudaDriverVersion_v2(int* version) {
    *version = int(read_script().library.number("cuda", 0));
    return kSuccess;
}
STUB int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = unsigned(read_script().gpus.size());
    return kSuccess;
}
STUB int nvmlDeviceGetHandleByIndex_v2(unsigned index, Handle* device) {
    *device = &devices[index];
    return kSuccess;
}
STUB int nvmlDeviceGetHandleByPciBusId_v2(const char* id, Handle* device) {
    const Script script = read_script();
    for (unsigned i = 0; i < script.gpus.size(); ++i)
        if (script.gpus[i].at("gpu") == id) {
            *device = &devices[i];
            return kSuccess;
        }
    return kNotFound;
}
STUB int nvmlDeviceGetPciInfo_v3(Handle device, PciInfo* info) {
    return text(device, "gpu", info->id, sizeof(info->id));
}
STUB int nvmlDeviceGetName(Handle device, char* name, unsigned size) {
    return text(device, "name", name, size);
}
STUB int nvmlDeviceGetUUID(Handle device, char* uuid, unsigned size) {
    return text(device, "uuid", uuid, size);
}
#ifndef REELMESH_STUB_OLD
STUB int nvmlDeviceGetMemoryInfo_v2(Handle device, Memory2* memory) {
    if (memory->version != (sizeof(Memory2) | (2U << 24U))) return kInvalid;
    if (const int status = number(device, "memory_total", &memory->total)) return status;
    return number(device, "memory_used", &memory->used);
}
STUB int nvmlDeviceGetCurrentClocksEventReasons(Handle device, unsigned long long* reasons) {
    return number(device, "throttle", reasons);
}
STUB int nvmlDeviceGetTotalEnergyConsumption(Handle device, unsigned long long* millijoule) {
    return number(device, "energy", millijoule);
}
STUB int nvmlDeviceGetFieldValues(Handle device, int count, FieldValue* fields) {
    for (int i = 0; i < count; ++i) {
        fields[i].type = 3;
        fields[i].status = number(device,
                                  fields[i].field == 138   ? "nvlink_sent"
                                  : fields[i].field == 139 ? "nvlink_received"
                                                           : "",
                                  &fields[i].value);
        if (fields[i].status == kLost) return kLost;
    }
    return kSuccess;
}
#endif
STUB int nvmlDeviceGetMemoryInfo(Handle device, Memory* memory) {
    if (const int status = number(device, "memory_total", &memory->total)) return status;
    return number(device, "memory_used", &memory->used);
}
STUB int nvmlDeviceGetCurrentClocksThrottleReasons(Handle device, unsigned long long* reasons) {
    return number(device, "throttle", reasons);
}
STUB int nvmlDeviceGetUtilizationRates(Handle device, Utilization* utilization) {
    return number(device, "utilization", &utilization->gpu);
}
STUB int nvmlDeviceGetPowerUsage(Handle device, unsigned* milliwatt) {
    return number(device, "power", milliwatt);
}
STUB int nvmlDeviceGetEnforcedPowerLimit(Handle device, unsigned* milliwatt) {
    return number(device, "power_limit", milliwatt);
}
STUB int nvmlDeviceGetTemperature(Handle device, unsigned, unsigned* degrees) {
    return number(device, "temperature", degrees);
}
STUB int nvmlDeviceGetClockInfo(Handle device, unsigned, unsigned* mhz) {
    return number(device, "clock", mhz);
}
STUB int nvmlDeviceGetMaxClockInfo(Handle device, unsigned, unsigned* mhz) {
    return number(device, "clock_max", mhz);
}
STUB int nvmlDeviceGetCurrPcieLinkGeneration(Handle device, unsigned* generation) {
    return number(device, "pcie_generation", generation);
}
STUB int nvmlDeviceGetCurrPcieLinkWidth(Handle device, unsigned* width) {
    return number(device, "pcie_width", width);
}
STUB int nvmlDeviceGetPcieThroughput(Handle device, unsigned counter, unsigned* kib) {
    return number(device, counter == 0 ? "pcie_sent" : "pcie_received", kib);
}
STUB int nvmlEventSetCreate(void** set) {
    *set = devices;
    return kSuccess;
}
STUB int nvmlEventSetFree(void*) {
    return kSuccess;
}
STUB int nvmlDeviceRegisterEvents(Handle, unsigned long long, void*) {
    return kSuccess;
}
STUB int nvmlEventSetWait_v2(void*, EventData* event, unsigned) {
    const Script script = read_script();
    for (unsigned i = 0; i < script.gpus.size(); ++i) {
        const char* xid = script.gpus[i].text("xid");
        if (!xid || devices[i].xid_told.exchange(true)) continue;
        *event = {&devices[i], 0x8, std::strtoull(xid, nullptr, 10), 0, 0};
        return kSuccess;
    }
    return kTimeout;
}
