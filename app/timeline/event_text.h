// An event in words and numbers, as tooltip, details and accessible text show it. GUI thread.
#pragma once

#include <QString>

#include <utility>
#include <vector>

#include "models/trace_view.h"

namespace reelmesh {

/// "125.8 MB", "2.1 kB": powers of ten, as rates are.
QString bytesText(std::uint64_t bytes);
/// "170 GB/s"; "–" for NaN.
QString transferRateText(double bytesPerSecond);

/// "all-to-all qkv"; "self attention".
QString eventTitle(const TelemetryEvent& event);
/// Label and value, in the order that they are shown.
std::vector<std::pair<QString, QString>> eventRows(const TelemetryEvent& event, const TraceView& view);
/// Title and rows as lines.
QString eventText(const TelemetryEvent& event, const TraceView& view);

} // namespace reelmesh
