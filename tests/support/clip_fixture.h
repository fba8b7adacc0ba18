// The clip that a job makes, kept for comparison with another mesh's or another device's.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "request/mesh_shape.h"
#include "support/engine_fixture.h"
#include "support/golden.h"

namespace reelmesh::testing {

class ClipFixture : public EngineFixture {
protected:
    using EngineFixture::EngineFixture;

    struct Clip {
        JobReport report;
        at::Tensor latents; ///< of both steps; undefined: the job failed, which is told
        at::Tensor frames;
    };

    /// Of a job with two steps.
    Clip clip(const JobRequest& job) {
        RunOptions options = no_output();
        options.threads = 2;
        options.save_steps = path("steps.safetensors");
        options.save_frames = path("frames.safetensors");
        const JobOutcome outcome = run(job, options);
        EXPECT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
        if (outcome.state != JobState::Done) return {};
        return {outcome.last().report,
                at::stack(
                    {read_stored(options.save_steps, "step_00"), read_stored(options.save_steps, "step_01")}),
                read_stored(options.save_frames, "frames")};
    }

    /// Bounds: docs/tolerances.md.
    static void expect_one_rank_clip(const Clip& made, const MeshShape& shape, const Clip& alone) {
        EXPECT_EQ(made.report.mesh, mesh_text(shape));
        if (shape.ranks() == shape.degree(Axis::Cfg))
            EXPECT_TRUE(made.latents.equal(alone.latents));
        else
            EXPECT_LE(relative_l2(made.latents, alone.latents), 2e-5);
        EXPECT_LE((made.frames - alone.frames).abs().max().item<double>(), 1.0 / 255);
    }
};

} // namespace reelmesh::testing
