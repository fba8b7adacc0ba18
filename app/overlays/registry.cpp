#include "overlays/memory_overlay.h"
#include "overlays/shard_overlay.h"
#include "overlays/step_overlay.h"
#include "overlays/traffic_overlay.h"

namespace reelmesh {

std::vector<std::unique_ptr<Overlay>> makeOverlays(const RunOverview& run) {
    std::vector<std::unique_ptr<Overlay>> overlays;
    overlays.push_back(std::make_unique<StepOverlay>(run));
    overlays.push_back(std::make_unique<TrafficOverlay>(run));
    overlays.push_back(std::make_unique<MemoryOverlay>(run));
    // Last: its chips give way to the others'.
    overlays.push_back(std::make_unique<ShardOverlay>(run));
    return overlays;
}

} // namespace reelmesh
