// What the window offers after an error: the next action that fits its code. The sentence itself
// comes from error_message(). Pure.
#pragma once

#include "engine/error.h"

namespace reelmesh {

enum class NextAction { None, EditPrompt, AutomaticMesh, ChooseFolder, Retry };

NextAction nextAction(ErrorCode code);

} // namespace reelmesh
