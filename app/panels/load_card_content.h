// What a card of the device panel says of one entry of the load model: words, figures, scales. Pure.
#pragma once

#include "models/device_load_model.h"
#include "widgets/load_card.h"

namespace reelmesh {

LoadCardContent loadCardContent(const LoadEntry& entry, const DeviceLoadModel& model, int selectedRank);

} // namespace reelmesh
