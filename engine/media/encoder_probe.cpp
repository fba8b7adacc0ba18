#include "media/encoder_probe.h"

#include "base/check.h"
#include "media/video_encoder.h"

namespace reelmesh {
namespace {

// Above the smallest picture that hardware encoders take.
constexpr int kProbeSide = 256;

EncoderSummary probe(const char* name) {
    try {
        VideoEncoder encoder({.name = name, .width = kProbeSide, .height = kProbeSide});
        const std::size_t stride = std::size_t{3} * kProbeSide;
        const Frame frame{kProbeSide, kProbeSide, PixelFormat::Rgb8, stride,
                          std::make_shared<std::byte[]>(stride * kProbeSide)};
        std::size_t bytes = 0;
        const auto count = [&bytes](const AVPacket& packet) {
            bytes += static_cast<std::size_t>(packet.size);
        };
        encoder.encode(frame, count);
        encoder.flush(count);
        return {name, bytes > 0, bytes > 0 ? "" : "no packet came out"};
    } catch (const EngineException& exception) {
        return {name, false, exception.error().text("reason")};
    }
}

} // namespace

const std::vector<EncoderSummary>& probe_encoders() {
    static const std::vector<EncoderSummary> encoders = {probe("libx264"), probe("h264_nvenc"),
                                                         probe("mpeg4")};
    return encoders;
}

} // namespace reelmesh
