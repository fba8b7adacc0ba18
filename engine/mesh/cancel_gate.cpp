#include "mesh/cancel_gate.h"

#include <algorithm>

namespace reelmesh {

bool CancelGate::claim(const GatePoint& point) {
    const std::lock_guard lock(mutex_);
    if (canceled_ && point > limit_) return false;
    highest_ = std::max(highest_, point);
    return true;
}

void CancelGate::cancel() {
    const std::lock_guard lock(mutex_);
    if (canceled_) return;
    canceled_ = true;
    limit_ = highest_;
}

bool CancelGate::canceled() const {
    const std::lock_guard lock(mutex_);
    return canceled_;
}

void CancelGate::reset() {
    const std::lock_guard lock(mutex_);
    highest_ = limit_ = {};
    canceled_ = false;
}

} // namespace reelmesh
