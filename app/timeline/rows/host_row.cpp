#include "host_row.h"

#include <QCoreApplication>

namespace reelmesh {
namespace {

constexpr int kHeight = 23;

} // namespace

HostRow::HostRow()
    : stages_(-1, TraceTrack::Compute, 2, 12, LabelMode::Names),
      encoder_(-1, TraceTrack::Copy, 15, 6, LabelMode::None) {}

int HostRow::height() const {
    return kHeight;
}

TimelineRow::Head HostRow::head(const TraceView&) const {
    return {.name = QCoreApplication::translate("Timeline", "Host"),
            .remark = QCoreApplication::translate("Timeline", "text, load, save")};
}

std::vector<DrawBand> HostRow::prepare(const PrepareInput& input) const {
    return {stages_.prepare(input), encoder_.prepare(input)};
}

std::vector<LaneKey> HostRow::lanesAt(const TraceView& view, int y) const {
    return y < encoder_.top() ? stages_.lanes(view) : encoder_.lanes(view);
}

std::pair<int, int> HostRow::placeOf(const TraceView&, const LaneKey& key) const {
    if (key.rank != -1) return {0, 0};
    const StreamRow& stream = key.kind == EventKind::Encode ? encoder_ : stages_;
    return {stream.top(), stream.height()};
}

} // namespace reelmesh
