// Small clips for the media tests, and how they are written.
#pragma once

#include <functional>
#include <string>

#include "media/frame_sink.h"

namespace reelmesh::testing {

using Pixel = std::function<std::uint16_t(int frame, int x, int y, int channel)>;

inline Frame make_frame(int width, int height, PixelFormat format, int index, const Pixel& pixel) {
    const std::size_t sample = format == PixelFormat::Rgb16 ? 2 : 1;
    // Longer rows than needed: the stride has to be obeyed.
    const std::size_t stride = (static_cast<std::size_t>(width) * 3 + 5) * sample;
    auto bytes = std::make_shared<std::byte[]>(stride * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
        auto* row = bytes.get() + static_cast<std::size_t>(y) * stride;
        for (int x = 0; x < width; ++x)
            for (int channel = 0; channel < 3; ++channel) {
                const std::uint16_t value = pixel(index, x, y, channel);
                const std::size_t at = static_cast<std::size_t>(x * 3 + channel);
                if (sample == 2)
                    reinterpret_cast<std::uint16_t*>(row)[at] = value;
                else
                    row[at] = static_cast<std::byte>(value);
            }
    }
    return {width, height, format, stride, bytes};
}

/// Moves, so that packets differ.
inline std::uint16_t moving_pattern(int frame, int x, int y, int channel) {
    return static_cast<std::uint16_t>((x * 5 + y * 3 + frame * 11 + channel * 70) & 255);
}

inline SinkSpec clip_spec(const std::string& target, int width, int height, std::int64_t frames) {
    SinkSpec spec;
    spec.target = target;
    spec.width = width;
    spec.height = height;
    spec.frames = frames;
    return spec;
}

inline WrittenMedia write_all_frames(FrameSink& sink, const SinkSpec& spec,
                                     const Pixel& pixel = moving_pattern,
                                     PixelFormat format = PixelFormat::Rgb8) {
    for (int index = 0; index < spec.frames; ++index)
        sink.write(make_frame(spec.width, spec.height, format, index, pixel));
    return sink.finish();
}

inline WrittenMedia write_clip(const SinkSpec& spec, const std::string& format = "mp4") {
    return write_all_frames(*make_frame_sink(format, spec), spec);
}

} // namespace reelmesh::testing
