// Loops over one row of a frame, compiled for several instruction sets. Plain memory; any thread. The result
// depends on the values alone, not on where a row starts or which thread has it.
#pragma once

#include <cstdint>

namespace reelmesh {

enum class Activation { None, Silu };

/// output[i, c] = act(input[i, c] / max(|input[i]|, 1e-12) * sqrt(channels) * gamma[c]). Input pixels lie
/// input_stride values apart, output pixels directly behind one another.
void normalise_row(float* output, const float* input, std::int64_t input_stride, const float* gamma,
                   std::int64_t num_pixels, std::int64_t channels, Activation activation);

/// The last step of a causal convolution over three frames. sums [pixel, 3, channels] is what this frame
/// gives to the frame two, one and none ahead. output = next + sums[2]; next = after + sums[1]; after =
/// sums[0].
void shift_history(float* output, float* next, float* after, const float* sums, std::int64_t num_pixels,
                   std::int64_t channels);

/// output += addend
void add_row(float* output, const float* addend, std::int64_t num_values);

} // namespace reelmesh
