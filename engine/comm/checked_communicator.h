// Decorator: before data moves, all ranks of the group must have issued the same call; a difference is an
// error on every rank, naming both. Results are poisoned beforehand, so that a part that nobody wrote shows.
// For tests, debug builds and a job's first step.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace reelmesh {

/// On or off for a whole group; changed only between calls, by the thread that owns all of its ranks.
struct CheckSwitch {
    bool on = true;
};

/// Wraps all members of one group at once. check_switch may be null: always on; else it must outlive them.
/// mesh_ranks: what reports call the members; empty: their numbers in the group.
std::vector<std::shared_ptr<Communicator>>
make_checked_group(std::vector<std::shared_ptr<Communicator>> inner,
                   const CheckSwitch* check_switch = nullptr, const std::vector<int>& mesh_ranks = {});

} // namespace reelmesh
