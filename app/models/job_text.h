// How figures of a job are written: times, sizes, meshes. Pure.
#pragma once

#include <QString>

#include "engine/request.h"

namespace reelmesh {

/// "0:29", "4:07", from ten minutes on "12 min", "2 h 05 min"; below 0: "–".
QString clockText(double seconds);
/// "832×480×81"; "–" for what is not known yet.
QString sizeText(const JobRequest& request);
/// "cfg2,ulysses4" as "CFG 2 × U 4", "single" as "1 rank", "auto" as it is.
QString meshLabel(const std::string& mesh);
/// The prompt on one line; "(no prompt)" for an empty one.
QString promptLine(const JobRequest& request);

} // namespace reelmesh
