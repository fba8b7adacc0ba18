// One frame as a PNG file that carries the job, 8 or 16 bits as it comes. One thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "media/frame_sink.h"

namespace reelmesh {

/// The whole file, with the comment and the job of the specification in it.
std::vector<unsigned char> encode_png(const Frame& frame, const SinkSpec& spec);

class PngPicture : public FrameSink {
public:
    /// For exactly one frame. Throws OutputExists (exact name), FolderMissing ...
    explicit PngPicture(const SinkSpec& spec);
    void write(const Frame& frame) override;
    WrittenMedia finish() override;

private:
    SinkSpec spec_;
    std::vector<unsigned char> png_;
};

} // namespace reelmesh
