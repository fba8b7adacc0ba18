// What the user looks at, shared by mesh picture, device cards, timeline and overlays: one selected rank or
// link, one selected span of time. GUI thread.
#pragma once

#include <QObject>

#include <optional>

#include "engine/telemetry.h"

namespace reelmesh {

/// Nanoseconds of the telemetry clock, begin < end.
struct TimeRange {
    std::int64_t begin_ns = 0, end_ns = 0;
    bool operator==(const TimeRange&) const = default;
};

/// The collectives of one group of ranks.
struct LinkFocus {
    ExchangeGroup group = ExchangeGroup::Vae;
    int firstRank = 0; ///< of the group
    bool operator==(const LinkFocus&) const = default;
};

class ViewFocus : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    static constexpr int kNoRank = -1;

    int rank() const { return rank_; }
    const std::optional<LinkFocus>& link() const { return link_; }
    const std::optional<TimeRange>& range() const { return range_; }

    /// A rank ends the choice of a link, and the other way round; kNoRank ends both.
    void setRank(int rank);
    void setLink(const LinkFocus& link);
    void setRange(const std::optional<TimeRange>& range);
    void clear();

Q_SIGNALS:
    void changed();

private:
    void set(int rank, const std::optional<LinkFocus>& link);

    int rank_ = kNoRank;
    std::optional<LinkFocus> link_;
    std::optional<TimeRange> range_;
};

} // namespace reelmesh
