// Where a job's file will be, decided and probed before any work.
#pragma once

#include <string>

#include "engine/engine.h"

namespace reelmesh {

struct OutputTarget {
    std::string format; ///< "mp4", "png"
    std::string path;
    bool exact_name = true; ///< false: path's stem gets a counter if it is taken
};

/// request is complete. A full file name must be free, or is counted on: OutputExists. A folder, or nothing
/// (the videos folder of the user, made if need be), gets a name from date, seed and prompt. Throws BadField
/// (unknown ending), FolderMissing, NotWritable, DiskFull, NameTooLong.
OutputTarget resolve_output(const JobRequest& request, TakenName taken_name = TakenName::Refuse);

} // namespace reelmesh
