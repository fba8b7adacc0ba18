#include "vae/wan/frame_conv.h"

#include "base/check.h"
#include "ops/fixed_tiles.h"
#include "vae/wan/paged_tensor.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/repeat_interleave.h>
#include <ATen/ops/silu.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace reelmesh {
namespace {

void enlarge_row(float* output, const float* input, std::int64_t input_stride, std::int64_t num_pixels,
                 std::int64_t channels, std::int64_t enlarge) {
    const std::size_t num_bytes = static_cast<std::size_t>(channels) * sizeof(float);
    for (std::int64_t pixel = 0; pixel < num_pixels; ++pixel)
        for (std::int64_t copy = 0; copy < enlarge; ++copy, output += channels)
            std::memcpy(output, input + pixel * input_stride, num_bytes);
}

/// The neighbour's row, or zeros at the frame's own border; [count, width, channels].
at::Tensor border_rows(const at::Tensor& border, std::int64_t count, const at::Tensor& frame) {
    if (border.defined() && count > 0) return border.unsqueeze(0);
    return at::zeros({count, frame.size(1), frame.size(2)}, frame.options());
}

} // namespace

std::int64_t band_rows(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t width) {
    // A band of fewer products or pixels loses more than a tenth to the call and to rearranging the weights
    // (measured with 12 to 384 channels); a larger one leaves cores idle.
    constexpr std::int64_t kMinProducts = 8'000'000, kMinPixels = 256;
    const std::int64_t row_products = width * in * out * geometry.kernel * geometry.kernel;
    return std::max((kMinProducts + row_products - 1) / row_products, (kMinPixels + width - 1) / width);
}

std::uint64_t band_bytes(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t height,
                         std::int64_t width) {
    constexpr std::int64_t kLanes = 16; // channels are padded to whole vectors
    const auto padded = [](std::int64_t channels) { return (channels + kLanes - 1) / kLanes * kLanes; };
    const std::int64_t rows = std::min(height, band_rows(geometry, in, out, width));
    const std::int64_t tile = ((rows - 1) * geometry.stride + geometry.kernel) *
                              ((width - 1) * geometry.stride + geometry.kernel) * in;
    const std::int64_t weights = padded(in) * padded(out) * geometry.kernel * geometry.kernel;
    return static_cast<std::uint64_t>(tile + rows * width * out + weights) * sizeof(float);
}

void add_border(FrameInput& input, HaloBand* band) {
    if (!band) return;
    const auto row = [&](std::int64_t index) {
        const at::Tensor pixels = input.frame.select(0, index);
        return input.enlarge == 1 ? pixels.contiguous() : pixels.repeat_interleave(input.enlarge, 0);
    };
    input.border = band->exchange(row(0), row(input.frame.size(0) - 1));
}

at::Tensor normalised(const at::Tensor& rows, const at::Tensor& gamma, Activation activation) {
    const double root = std::sqrt(static_cast<double>(rows.size(-1)));
    const at::Tensor norm = rows.square().sum(-1, /*keepdim=*/true).sqrt_().clamp_min_(1e-12);
    at::Tensor result = rows.mul(norm.reciprocal_().mul_(root)).mul_(gamma);
    return activation == Activation::Silu ? at::silu_(result) : result;
}

FrameConv FrameConv::channels(std::int64_t first, std::int64_t count) const {
    return {weight_.narrow(0, first, count), bias_.narrow(0, first, count), geometry_, math_};
}

FrameConv::FrameConv(const at::Tensor& weight, const at::Tensor& bias, ConvGeometry geometry, FrameMath math)
    : weight_(weight.contiguous(at::MemoryFormat::ChannelsLast)), bias_(bias), geometry_(geometry),
      math_(weight.is_cpu() ? math : FrameMath::Tensors) {}

std::int64_t FrameConv::out_size(const FrameInput& input, int dim) const {
    return input.frame.size(dim) * input.enlarge / geometry_.stride;
}

void FrameConv::fill_tile(float* tile, const FrameInput& input, std::int64_t first_row, std::int64_t num_rows,
                          std::int64_t width) const {
    const at::Tensor& frame = input.frame;
    const std::int64_t channels = frame.size(2), pixels = frame.size(1);
    const std::int64_t left = geometry_.padding * channels;
    const std::int64_t filled = pixels * input.enlarge * channels;
    for (std::int64_t row = first_row; row < first_row + num_rows; ++row, tile += width * channels) {
        const bool above = row < 0, below = row >= frame.size(0) * input.enlarge;
        const at::Tensor& border = above ? input.border.above : input.border.below;
        if ((above || below) && !border.defined()) {
            std::fill_n(tile, width * channels, 0.0f);
            continue;
        }
        std::fill_n(tile, left, 0.0f);
        std::fill(tile + left + filled, tile + width * channels, 0.0f);
        const bool inside = !above && !below;
        const float* source = inside ? frame.const_data_ptr<float>() + row / input.enlarge * frame.stride(0)
                                     : border.const_data_ptr<float>();
        const std::int64_t stride = inside ? frame.stride(1) : channels;
        if (input.gamma.defined())
            normalise_row(tile + left, source, stride, input.gamma.const_data_ptr<float>(), pixels, channels,
                          input.activation);
        else if (inside)
            enlarge_row(tile + left, source, stride, pixels, channels, input.enlarge);
        else
            std::copy_n(source, filled, tile + left);
    }
}

at::Tensor FrameConv::by_tensors(const FrameInput& input) const {
    const std::int64_t height = input.frame.size(0) * input.enlarge,
                       width = input.frame.size(1) * input.enlarge, channels = input.frame.size(2),
                       times = input.enlarge;
    at::Tensor rows = input.frame;
    if (times > 1)
        rows = rows.unsqueeze(1)
                   .unsqueeze(3)
                   .expand({height / times, times, width / times, times, channels})
                   .reshape({height, width, channels});
    // Rows and columns that the kernel reads beyond the frame.
    const auto tile = [this](std::int64_t size) { return (size - 1) * geometry_.stride + geometry_.kernel; };
    const std::int64_t above = geometry_.padding, below = tile(out_size(input, 0)) - above - height;
    const std::int64_t left = geometry_.padding, right = tile(out_size(input, 1)) - left - width;
    const bool in_band = input.border.above.defined() || input.border.below.defined();
    if (in_band)
        rows = at::cat({border_rows(input.border.above, above, rows), rows,
                        border_rows(input.border.below, below, rows)});
    if (input.gamma.defined()) rows = normalised(rows, input.gamma, input.activation);
    rows = rows.permute({2, 0, 1}).unsqueeze(0);
    // The convolution adds zeros itself, the same on both sides; what is uneven is added here.
    std::int64_t zero_rows = in_band ? 0 : above, zero_columns = left;
    if (left != right || (!in_band && above != below)) {
        rows = at::constant_pad_nd(rows, {left, right, zero_rows, in_band ? 0 : below});
        zero_rows = zero_columns = 0;
    }
    return at::conv2d(rows, weight_, bias_, geometry_.stride, {zero_rows, zero_columns})
        .squeeze(0)
        .permute({1, 2, 0})
        .contiguous();
}

void FrameConv::run(const FrameInput& input, const OnRows& on_rows) const {
    REELMESH_CHECK(math_ == FrameMath::Rows);
    REELMESH_CHECK(input.frame.size(2) == weight_.size(1) && input.frame.stride(2) == 1);
    REELMESH_CHECK(!input.gamma.defined() || input.enlarge == 1);
    const std::int64_t height = out_size(input, 0), width = out_size(input, 1), channels = weight_.size(1);
    const std::int64_t rows = band_rows(geometry_, channels, out_channels(), width);
    const std::int64_t tile_width = (width - 1) * geometry_.stride + geometry_.kernel;
    ops::for_each_tile((height + rows - 1) / rows, [&](std::int64_t band) {
        const std::int64_t first = band * rows, num_rows = std::min(rows, height - first);
        const std::int64_t tile_rows = (num_rows - 1) * geometry_.stride + geometry_.kernel;
        const at::Tensor tile = at::empty({1, tile_rows, tile_width, channels}, at::kFloat);
        fill_tile(tile.mutable_data_ptr<float>(), input, first * geometry_.stride - geometry_.padding,
                  tile_rows, tile_width);
        const at::Tensor values = at::conv2d(tile.permute({0, 3, 1, 2}), weight_, bias_, geometry_.stride)
                                      .contiguous(at::MemoryFormat::ChannelsLast);
        on_rows(values.const_data_ptr<float>(), first, num_rows);
    });
}

at::Tensor FrameConv::run(const FrameInput& input, const at::Tensor& addend) const {
    if (math_ == FrameMath::Tensors) {
        at::Tensor values = by_tensors(input);
        return addend.defined() ? values.add_(addend) : values;
    }
    at::Tensor output = empty_paged({out_size(input, 0), out_size(input, 1), out_channels()});
    const std::int64_t row_values = output.stride(0);
    run(input, [&](const float* values, std::int64_t first_row, std::int64_t num_rows) {
        float* rows = output.mutable_data_ptr<float>() + first_row * row_values;
        std::copy_n(values, num_rows * row_values, rows);
        if (addend.defined())
            add_row(rows, addend.const_data_ptr<float>() + first_row * row_values, num_rows * row_values);
    });
    return output;
}

} // namespace reelmesh
