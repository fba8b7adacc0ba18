// What two ranks of one thread each gain over one, strategy by strategy, beside what this machine could give
// at most: two runs of one thread that know nothing of each other. All in turn, so that a machine whose speed
// drifts tells the same; ratios are medians over rounds. Weights are random, nothing is read.
#pragma once

#include "engine/engine.h"

namespace reelmesh {

/// Cases cfg2, ulysses2, ring2, tp2, vae2 on one layer of a 12-head transformer and the decoder of Wan 2.1;
/// and exchange_1mib ... of plain peer reads beside memcpy. A few minutes. should_stop ends it early with
/// Canceled.
BenchReport bench_mesh(const std::function<bool()>& should_stop);

} // namespace reelmesh
