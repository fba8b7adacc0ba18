#include "weights/first_verdict.h"

#include "base/check.h"

#include <algorithm>

namespace reelmesh {

void FirstVerdict::note(ErrorCode code, std::initializer_list<ErrorArgument> arguments) {
    if (!takes(code)) return;
    row_ = row_of(code);
    error_ = make_error(code, arguments);
}

void FirstVerdict::throw_if_any() const {
    if (error_.code != ErrorCode::None) throw EngineException(error_);
}

std::size_t FirstVerdict::row_of(ErrorCode code) const {
    return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), code) - order_.begin());
}

} // namespace reelmesh
