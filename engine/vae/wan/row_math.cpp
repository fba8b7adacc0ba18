#include "vae/wan/row_math.h"

#include <bit>
#include <cmath>

// Function versions are chosen by the loader before a sanitizer's run time is ready.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(REELMESH_SANITIZED)
#define REELMESH_VERSIONS __attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default")))
#else
#define REELMESH_VERSIONS
#endif

namespace reelmesh {
namespace {

/// e^x within 2 ulp; beyond the range of normal floats the nearest that is in it, NaN stays NaN. Written out
/// since std::exp keeps a loop from being vectorised, and vector libraries treat a loop's remainder
/// differently.
inline float exponential(float x) {
    constexpr float kLog2E = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
    constexpr float kRounder =
        12582912.0f; // 1.5 * 2^23: adding it leaves the rounded integer in the low bits
    x = x < -87.0f ? -87.0f : x;
    x = x > 87.0f ? 87.0f : x;
    const float shifted = x * kLog2E + kRounder;
    const float whole = shifted - kRounder;
    const float rest = (x - whole * kLn2High) - whole * kLn2Low;
    // Cephes' minimax polynomial for e^rest on |rest| <= ln2 / 2.
    float p = 1.9875691500e-4f;
    p = p * rest + 1.3981999507e-3f;
    p = p * rest + 8.3334519073e-3f;
    p = p * rest + 4.1665795894e-2f;
    p = p * rest + 1.6666665459e-1f;
    p = p * rest + 5.0000001201e-1f;
    p = p * rest * rest + rest + 1.0f;
    return p * std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) + 127u) << 23);
}

} // namespace

REELMESH_VERSIONS
void normalise_row(float* output, const float* input, std::int64_t input_stride, const float* gamma,
                   std::int64_t num_pixels, std::int64_t channels, Activation activation) {
    const float root = std::sqrt(static_cast<float>(channels));
    for (std::int64_t pixel = 0; pixel < num_pixels; ++pixel) {
        const float* in = input + pixel * input_stride;
        float* out = output + pixel * channels;
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t c = 0; c < channels; ++c)
            squares += in[c] * in[c];
        const float norm = std::sqrt(squares);
        const float scale = root / (norm < 1e-12f ? 1e-12f : norm);
#pragma omp simd
        for (std::int64_t c = 0; c < channels; ++c)
            out[c] = in[c] * scale * gamma[c];
    }
    if (activation == Activation::None) return;
#pragma omp simd
    for (std::int64_t i = 0; i < num_pixels * channels; ++i)
        output[i] = output[i] / (1.0f + exponential(-output[i]));
}

REELMESH_VERSIONS
void shift_history(float* output, float* next, float* after, const float* sums, std::int64_t num_pixels,
                   std::int64_t channels) {
    for (std::int64_t pixel = 0; pixel < num_pixels; ++pixel) {
        const float* in = sums + pixel * 3 * channels;
        const std::int64_t at = pixel * channels;
#pragma omp simd
        for (std::int64_t c = 0; c < channels; ++c) {
            output[at + c] = next[at + c] + in[2 * channels + c];
            next[at + c] = after[at + c] + in[channels + c];
            after[at + c] = in[c];
        }
    }
}

REELMESH_VERSIONS
void add_row(float* output, const float* addend, std::int64_t num_values) {
#pragma omp simd
    for (std::int64_t i = 0; i < num_values; ++i)
        output[i] += addend[i];
}

} // namespace reelmesh
