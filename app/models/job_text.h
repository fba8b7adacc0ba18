// How figures of a job are written: times, sizes. Pure.
#pragma once

#include <QString>

#include "engine/request.h"

namespace reelmesh {

/// "0:29", "4:07", from ten minutes on "12 min", "2 h 05 min"; below 0: "–".
QString clockText(double seconds);
/// "832×480×81"; "–" for what is not known yet.
QString sizeText(const JobRequest& request);
/// The prompt on one line; "(no prompt)" for an empty one.
QString promptLine(const JobRequest& request);

} // namespace reelmesh
