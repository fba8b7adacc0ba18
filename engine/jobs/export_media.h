// Frames that are there already into a file, beside whatever job runs. Any thread.
#pragma once

#include <functional>

#include "engine/engine.h"

namespace reelmesh {

/// Throws BadField (frames that are none, or differ), OutputExists, FolderMissing, NotWritable, DiskFull,
/// EncoderMissing, Canceled ... Then nothing stays behind.
ExportReport run_export(const ExportRequest& request, ExportControl& control,
                        const std::function<bool()>& should_stop);

} // namespace reelmesh
