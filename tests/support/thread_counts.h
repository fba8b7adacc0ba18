// Runs the same computation with different OpenMP teams.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

// LibTorch's own run time; its header comes with the compiler, which is not told -fopenmp.
extern "C" void omp_set_num_threads(int);

namespace reelmesh::testing {

/// Bit-equal for one, two and three threads.
template <class F>
void expect_same_for_all_thread_counts(F&& compute) {
    const int before = at::get_num_threads();
    omp_set_num_threads(1);
    const at::Tensor alone = compute();
    for (const int threads : {2, 3}) {
        omp_set_num_threads(threads);
        EXPECT_TRUE(alone.equal(compute())) << threads << " threads";
    }
    omp_set_num_threads(before);
}

} // namespace reelmesh::testing
