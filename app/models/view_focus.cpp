#include "view_focus.h"

namespace reelmesh {

void ViewFocus::setRank(int rank) {
    set(rank, std::nullopt);
}

void ViewFocus::setLink(const LinkFocus& link) {
    set(kNoRank, link);
}

void ViewFocus::setRange(const std::optional<TimeRange>& range) {
    if (range_ == range) return;
    range_ = range;
    Q_EMIT changed();
}

void ViewFocus::clear() {
    set(kNoRank, std::nullopt);
    setRange(std::nullopt);
}

void ViewFocus::set(int rank, const std::optional<LinkFocus>& link) {
    if (rank_ == rank && link_ == link) return;
    rank_ = rank;
    link_ = link;
    Q_EMIT changed();
}

} // namespace reelmesh
