#include "support/simulated_gpus/broken.h"

#include <atomic>
#include <cstdlib>
#include <iterator>

namespace reelmesh::testing {
namespace {

Broken named(std::string_view name) {
    constexpr std::string_view kNames[] = {"", "hang", "corrupt", "wrong", "full", "lost", "nopeer", "held"};
    for (std::size_t i = 0; i < std::size(kNames); ++i)
        if (kNames[i] == name) return static_cast<Broken>(i);
    return Broken::Nothing;
}

/// As the environment says, until a test says otherwise.
std::atomic<Broken>& fault() {
    static std::atomic<Broken> current = [] {
        const char* name = std::getenv("REELMESH_SIMULATED_FAULT");
        return named(name ? name : "");
    }();
    return current;
}

} // namespace

bool is_broken(Broken what) {
    return fault() == what;
}

void set_broken(std::string_view name) {
    fault() = named(name);
}

} // namespace reelmesh::testing

/// For tests, which are no part of the library that the engine opens.
extern "C" __attribute__((visibility("default"))) void reelmesh_break_simulated_gpus(const char* fault) {
    reelmesh::testing::set_broken(fault);
}
