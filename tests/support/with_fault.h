// Breaks the simulated GPUs of this process for a while (simulated_gpus/broken.h).
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace reelmesh::testing {

class WithFault {
public:
    explicit WithFault(const char* name) { set(name); }
    ~WithFault() { set(""); }
    WithFault(const WithFault&) = delete;
    WithFault& operator=(const WithFault&) = delete;

private:
    static void set(const char* name) {
        void* part = dlopen(REELMESH_SIMULATED_GPUS, RTLD_NOW | RTLD_NOLOAD);
        ASSERT_NE(part, nullptr) << "the simulated GPUs were not opened yet";
        reinterpret_cast<void (*)(const char*)>(dlsym(part, "reelmesh_break_simulated_gpus"))(name);
        dlclose(part);
    }
};

} // namespace reelmesh::testing
