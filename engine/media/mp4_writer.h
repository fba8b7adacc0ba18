// One H.264 stream in an MP4 that starts at once in a browser (ftyp, moov, mdat) and carries the job. Nothing
// is at the final name before the whole file has been decoded again. One thread.
#pragma once

#include <string>
#include <vector>

#include "base/file_ops.h"
#include "media/frame_sink.h"
#include "media/movie_output.h"
#include "media/video_encoder.h"

namespace reelmesh {

class Mp4Writer : public FrameSink {
public:
    /// The first encoder that opens for this size is used. Throws OutputExists (exact name), EncoderMissing
    /// ...
    Mp4Writer(const SinkSpec& spec, const std::vector<std::string>& encoders);
    ~Mp4Writer() override;
    void write(const Frame& frame) override;
    WrittenMedia finish() override;

private:
    void open_encoder(const std::vector<std::string>& encoders);
    void open_container();
    void write_packet(AVPacket& packet);
    void complete_container();
    void verify() const;

    struct ContainerDeleter {
        void operator()(AVFormatContext* context) const { avformat_free_context(context); }
    };

    SinkSpec spec_;
    WrittenMedia written_;
    std::int64_t frames_ = 0;
    std::unique_ptr<VideoEncoder> encoder_;
    std::unique_ptr<PendingFile> file_;
    std::unique_ptr<MovieOutput> output_;
    std::unique_ptr<AVFormatContext, ContainerDeleter> container_;
};

} // namespace reelmesh
