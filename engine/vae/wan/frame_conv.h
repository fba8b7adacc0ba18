// A 2-d convolution of one frame [height, width, channels] that reads its input through a normalisation or
// enlarged. On a CPU it hands its result on in bands of rows, so that neither is ever held as a whole; the
// bands depend on the shapes alone and each is computed by one thread: the result does not depend on how many
// threads there are. Elsewhere the same by tensor arithmetic over whole frames. Immutable; any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "parallel/halo_band.h"
#include "vae/frame_math.h"
#include "vae/wan/row_math.h"

namespace reelmesh {

/// How a convolution reads a frame. The frame's channels lie together; its pixels and rows may lie apart.
struct FrameInput {
    at::Tensor frame;                         ///< [height, width, channels] float32
    at::Tensor gamma;                         ///< [channels]; undefined: no normalisation
    Activation activation = Activation::None; ///< after the normalisation
    std::int64_t enlarge = 1;                 ///< each pixel stands for enlarge x enlarge
    BorderRows border; ///< of a band: as the convolution reads them, but not normalised yet
};

struct ConvGeometry {
    std::int64_t kernel = 3, stride = 1;
    std::int64_t padding = 1; ///< zeros above and to the left; below and to the right as many as are missing
};
inline constexpr ConvGeometry kSame{3, 1, 1}, kPointwise{1, 1, 0}, kHalving{3, 2, 0};

/// Adds the neighbours' rows to what a convolution of kernel 3 and padding 1 reads of a band; null: whole
/// frames.
void add_border(FrameInput& input, HaloBand* band);

/// The normalisation and activation of normalise_row(), of any device. rows [..., channels], gamma
/// [channels].
at::Tensor normalised(const at::Tensor& rows, const at::Tensor& gamma, Activation activation);

class FrameConv {
public:
    /// weight [out, in, kernel, kernel], bias [out]. Weights of another device than a CPU: always by tensors.
    FrameConv(const at::Tensor& weight, const at::Tensor& bias, ConvGeometry geometry,
              FrameMath math = FrameMath::Rows);
    /// Output channels [first, first + count) alone.
    FrameConv channels(std::int64_t first, std::int64_t count) const;

    std::int64_t out_channels() const { return weight_.size(0); }
    c10::Device device() const { return weight_.device(); }
    FrameMath math() const { return math_; }
    /// Rows and columns of the result.
    std::int64_t out_size(const FrameInput& input, int dim) const;

    /// The whole result [height, width, out] by tensor arithmetic.
    at::Tensor by_tensors(const FrameInput& input) const;
    /// Called by several threads, each with bands of its own: values [num_rows, width, out]. FrameMath::Rows.
    using OnRows = std::function<void(const float* values, std::int64_t first_row, std::int64_t num_rows)>;
    void run(const FrameInput& input, const OnRows& on_rows) const;
    /// The whole result [height, width, out], plus addend if that is defined.
    at::Tensor run(const FrameInput& input, const at::Tensor& addend = {}) const;

private:
    void fill_tile(float* tile, const FrameInput& input, std::int64_t first_row, std::int64_t num_rows,
                   std::int64_t width) const;

    at::Tensor weight_, bias_;
    ConvGeometry geometry_;
    FrameMath math_;
};

/// Rows of a band, and the most bytes that one thread needs for it beside the result: the input tile, the
/// band's values and what the convolution library takes to rearrange weights.
std::int64_t band_rows(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t width);
std::uint64_t band_bytes(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t height,
                         std::int64_t width);

} // namespace reelmesh
