#include "degree_box.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr int kMost = 4096;

} // namespace

DegreeBox::DegreeBox(QWidget* parent) : QSpinBox(parent) {
    setRange(1, kMost);
}

void DegreeBox::setLegalValues(const QList<int>& values) {
    if (values == legal_) return;
    legal_ = values;
    // The arrows may have become possible or not.
    update();
}

int DegreeBox::next(int value, int direction) const {
    if (direction > 0) {
        const auto above = std::upper_bound(legal_.begin(), legal_.end(), value);
        return above == legal_.end() ? value : *above;
    }
    const auto from = std::lower_bound(legal_.begin(), legal_.end(), value);
    return from == legal_.begin() ? value : *std::prev(from);
}

void DegreeBox::stepBy(int steps) {
    int target = value();
    for (int i = 0; i < std::abs(steps); ++i)
        target = next(target, steps);
    setValue(target);
}

QAbstractSpinBox::StepEnabled DegreeBox::stepEnabled() const {
    StepEnabled enabled = StepNone;
    if (next(value(), 1) != value()) enabled |= StepUpEnabled;
    if (next(value(), -1) != value()) enabled |= StepDownEnabled;
    return enabled;
}

} // namespace reelmesh
