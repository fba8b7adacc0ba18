// Where finished frames go: a movie file or a folder of pictures. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/frame.h"
#include "engine/request.h"

namespace reelmesh {

struct SinkSpec {
    std::string target;        ///< the file (mp4), or the folder of pictures with or without ".png"
    bool exact_name = true;    ///< a taken name is refused; false: it becomes stem_2, stem_3 ...
    int width = 0, height = 0; ///< pixels
    FrameRate fps;
    std::int64_t frames = 0; ///< how many will come, exactly
    int crf = 19;
    std::string metadata_json;         ///< embedded job; "": none
    std::string prompt;                ///< for the comment line; "": none
    int threads = 1;                   ///< of the verifying decoder; the encoder uses a fixed number
    std::function<bool()> should_stop; ///< asked while finish() verifies, which then throws Canceled
};

struct WrittenMedia {
    std::string path;    ///< final name
    std::string encoder; ///< "libx264", "png"
    std::uint64_t bytes = 0;
    std::vector<std::string> notices; ///< e.g. a fallback encoder, one sentence each
};

class FrameSink {
public:
    virtual ~FrameSink() = default; ///< unfinished: nothing stays behind
    virtual void write(const Frame& frame) = 0;
    /// Completes, verifies by decoding, renames into place. An exact name that was taken meanwhile becomes
    /// stem_2 ..., with a notice. Throws DiskFull, VerifyFailed ...
    virtual WrittenMedia finish() = 0;
};

/// format: a key of the registry ("mp4", "png": a folder of pictures), else BadField.
/// Throws OutputExists, FolderMissing, NotWritable, EncoderMissing. An odd side is encoded as 4:4:4, since
/// 4:2:0 cannot hold it.
std::unique_ptr<FrameSink> make_frame_sink(const std::string& format, const SinkSpec& spec);

} // namespace reelmesh
