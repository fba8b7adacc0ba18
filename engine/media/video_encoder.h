// RGB frames to packets of one codec: BT.709 limited range, 4:2:0 where the sides are even, 4:4:4 else.
// The packets depend on frames and settings alone, not on time or number of cores. One thread.
#pragma once

#include <functional>
#include <string>

#include "engine/frame.h"
#include "engine/request.h"
#include "media/libav_support.h"

namespace reelmesh {

struct EncoderSettings {
    std::string name; ///< libx264, h264_nvenc, mpeg4
    int width = 0, height = 0;
    FrameRate fps;
    int crf = 19; ///< 0 ... 51, mapped to each encoder's own scale
};

class VideoEncoder {
public:
    using PacketSink = std::function<void(AVPacket&)>;

    /// Throws EncoderFailed with the library's words.
    explicit VideoEncoder(const EncoderSettings& settings);

    /// Packets have pts, dts and duration in time_base().
    void encode(const Frame& frame, const PacketSink& sink);
    void flush(const PacketSink& sink);

    AVRational time_base() const { return context_->time_base; }
    const AVCodecContext& context() const { return *context_; }
    const std::string& name() const { return settings_.name; }

private:
    void send(const AVFrame* frame, const PacketSink& sink);
    void open_scaler(PixelFormat format);

    EncoderSettings settings_;
    LibavPtr<AVCodecContext> context_;
    LibavPtr<SwsContext> scaler_;
    PixelFormat scaled_format_ = PixelFormat::Rgb8;
    LibavPtr<AVFrame> picture_;
    LibavPtr<AVPacket> packet_;
};

} // namespace reelmesh
