#include "sampling/noise.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/check.h"
#include "sampling/philox.h"

namespace reelmesh {
namespace {

double unit_interval(std::uint32_t word) {
    return (word + 0.5) / 4294967296.0;
}

/// Box-Muller on each pair of a block's words.
std::array<float, 4> normal_block(std::uint64_t seed, NoisePurpose purpose, std::uint32_t step,
                                  std::uint64_t block) {
    const auto words = philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                               static_cast<std::uint32_t>(purpose), step},
                              {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    std::array<float, 4> values;
    for (std::size_t i = 0; i < 4; i += 2) {
        const double radius = std::sqrt(-2 * std::log(unit_interval(words[i])));
        const double angle = 2 * std::numbers::pi * unit_interval(words[i + 1]);
        values[i] = static_cast<float>(radius * std::cos(angle));
        values[i + 1] = static_cast<float>(radius * std::sin(angle));
    }
    return values;
}

} // namespace

at::Tensor noise_slice(std::uint64_t seed, NoisePurpose purpose, std::uint32_t step, std::uint64_t first,
                       std::int64_t count) {
    REELMESH_CHECK(count >= 0);
    at::Tensor values = at::empty({count}, at::kFloat);
    float* out = values.mutable_data_ptr<float>();
    const std::uint64_t end = first + static_cast<std::uint64_t>(count);
    for (std::uint64_t position = first; position < end;) {
        const auto block = normal_block(seed, purpose, step, position / 4);
        const std::uint64_t stop = std::min(end, position / 4 * 4 + 4);
        for (; position < stop; ++position)
            *out++ = block[position % 4];
    }
    return values;
}

at::Tensor noise(std::uint64_t seed, NoisePurpose purpose, std::uint32_t step,
                 const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    return noise_slice(seed, purpose, step, 0, count).view(shape);
}

} // namespace reelmesh
