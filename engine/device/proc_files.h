// Figures of this machine and process out of /proc and /sys/fs/cgroup. What is not there is nullopt. Any
// thread; nothing throws.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace reelmesh::proc {

inline constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::string first_line(const std::string& path);
/// Value of "Key:  123 kB" in bytes; 0 if absent.
std::uint64_t kib_field(const std::string& path, const std::string& key);
/// A control group's number; "max" or absent: unlimited.
std::uint64_t group_limit(const std::string& file);
/// By affinity and control group.
int usable_cores();
/// RAM, or the control group's limit if that is lower.
std::uint64_t memory_limit();
/// RAM that can be had without swapping, the control group's limits included.
std::uint64_t available_memory();
/// Share of the last 10 s that some task stood still for memory, 0 ... 1; of the control group if it tells.
std::optional<double> memory_pressure();

} // namespace reelmesh::proc
