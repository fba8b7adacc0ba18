// One picture, shared and immutable: the only form in which pixels leave the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace reelmesh {

enum class PixelFormat { Rgb8, Rgb16 };

struct Frame {
    int width = 0;
    int height = 0;
    PixelFormat format = PixelFormat::Rgb8;
    std::size_t stride = 0; ///< bytes from one row to the next
    std::shared_ptr<const std::byte[]> bytes;

    const std::uint8_t* row(int y) const {
        return reinterpret_cast<const std::uint8_t*>(bytes.get()) + static_cast<std::size_t>(y) * stride;
    }
};

/// The whole clip as it looks after a step, one frame a latent frame.
struct PreviewClip {
    int step = -1; ///< counted from 0; -1: none
    double frames_per_second = 0;
    std::vector<Frame> frames;
};

} // namespace reelmesh
