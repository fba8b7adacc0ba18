// Frames as PNG files stem_00001.png ... in a folder of their own, 8 or 16 bits as they come, each with the
// job. The folder appears when all of them have been written and read again. One thread.
#pragma once

#include <string>

#include "base/pending_folder.h"
#include "media/frame_sink.h"

namespace reelmesh {

class ImageSequence : public FrameSink {
public:
    /// The folder is the target without ".png". Throws OutputExists (exact name), FolderMissing ...
    explicit ImageSequence(const SinkSpec& spec);
    void write(const Frame& frame) override;
    WrittenMedia finish() override;

private:
    std::string file_name(std::int64_t number) const;
    void verify() const;

    SinkSpec spec_;
    std::string target_;
    WrittenMedia written_;
    std::int64_t frames_ = 0;
    PendingFolder folder_;
};

} // namespace reelmesh
