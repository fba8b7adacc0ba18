// What the window offers after an error: the next action that fits its code. The sentence itself
// comes from error_message(). Pure.
#pragma once

#include <vector>

#include "engine/error.h"

namespace reelmesh {

enum class NextAction { None, EditPrompt, AutomaticMesh, ChooseFolder, Retry };

NextAction nextAction(ErrorCode code);
/// Of a job that has failed, most helpful first, at most two.
std::vector<NextAction> nextActions(ErrorCode code);

} // namespace reelmesh
