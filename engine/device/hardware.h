// What this machine has, as of now: cores, memory with every limit on it, devices, and why there
// is no GPU. Any thread.
#pragma once

#include <cstdint>

#include "engine/mesh_info.h"

namespace reelmesh {

/// Cores by affinity and control group; memory the lowest of free RAM, control group and address-space limit.
HardwareSnapshot hardware_snapshot();

/// Resident bytes of this process now.
std::uint64_t resident_bytes();
/// Highest resident bytes since the last reset.
std::uint64_t peak_resident_bytes();
/// Hands memory that was freed back to the system: between stages, or one stage's leavings add to the next
/// one's peak.
void release_freed_memory();
/// Starts a new high-water mark. Where the kernel forbids it the old mark stays.
void reset_peak_resident_bytes();

} // namespace reelmesh
