// Peak memory of a job on a mesh. Never below what is measured, at most a quarter above. Pure.
#pragma once

#include <vector>

#include "engine/plan.h"
#include "pipeline/communication.h"
#include "pipeline/plan_subject.h"

namespace reelmesh {

/// Of the whole process where all ranks share the processor; fills what each rank adds into shares.
MemoryEstimate process_memory(const PlanSubject& subject, const WorkSplit& split,
                              const HardwareSnapshot& hardware, int threads, std::vector<RankShare>& shares);

/// What a tensor-parallel rank keeps of the blocks' weights: all, as views of the one model that a process
/// loads, or its share alone.
enum class BlockWeights { Whole, Share };

/// Of a GPU that holds one rank alone, weights included; stages: that layers are dealt to, each keeping the
/// keys and values of its own.
MemoryEstimate device_memory(const PlanSubject& subject, const WorkSplit& split, int rank, int stages = 1,
                             BlockWeights blocks = BlockWeights::Share);

} // namespace reelmesh
