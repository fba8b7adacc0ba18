// Decorator: before data moves, all ranks of the group must have issued the same call; a
// difference is an error on every rank, naming both. For tests, debug builds and a job's first step.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace reelmesh {

/// Wraps all members of one group at once.
std::vector<std::shared_ptr<Communicator>>
make_checked_group(std::vector<std::shared_ptr<Communicator>> inner);

} // namespace reelmesh
