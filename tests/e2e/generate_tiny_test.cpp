// A whole job on a tiny model: what comes out, what is told on the way, what repeats.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/trace.h"
#include "support/engine_fixture.h"
#include "weights/tensor_io.h"

namespace reelmesh::testing {
namespace {

using GenerateTinyTest = EngineFixture;

at::Tensor latents_of(const std::string& path) {
    return read_tensor(path, "latents", {1, 16, -1, -1, -1});
}

TEST_F(GenerateTinyTest, WritesTheClipAndTellsEveryStep) {
    JobRequest request = tiny_request();
    request.output.path = path("clip.mp4");
    const JobOutcome outcome = run(request, {});
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
    EXPECT_EQ(outcome.last().report.output, path("clip.mp4"));
    EXPECT_EQ(outcome.last().report.frames, 5);
    EXPECT_EQ(outcome.frames.size(), 5U);
    ASSERT_EQ(outcome.steps.size(), 3U);
    for (int step = 0; step < 3; ++step) {
        const StepDone& done = outcome.steps[static_cast<std::size_t>(step)];
        EXPECT_EQ(done.step, step);
        EXPECT_EQ(done.steps, 3);
        EXPECT_EQ(done.rank_seconds.size(), 1U);
    }
    EXPECT_EQ(outcome.steps.back().sigma, 0);
    const PreviewClip clip = engine_.preview(outcome.job, 2);
    EXPECT_EQ(clip.step, 2);
    EXPECT_EQ(clip.frames.size(), 2U); // latent frames
    EXPECT_DOUBLE_EQ(clip.frames_per_second, 4);

    std::vector<Stage> stages;
    for (const JobStateChanged& state : outcome.states)
        if (stages.empty() || stages.back() != state.stage) stages.push_back(state.stage);
    EXPECT_EQ(stages, (std::vector<Stage>{Stage::None, Stage::Load, Stage::Text, Stage::Denoise,
                                          Stage::Decode, Stage::Write}));

    auto media = engine_.inspect(path("clip.mp4"), {}, InspectDetail::Summary).get();
    ASSERT_TRUE(media) << error_message(media.error());
    EXPECT_EQ(media->frames, 5);
    EXPECT_EQ(media->fps, (FrameRate{16, 1}));
    EXPECT_EQ(media->color, "bt709/bt709/bt709 limited");
    const auto job = job_from_json(media->job_json, "clip.mp4");
    ASSERT_TRUE(job) << error_message(job.error());
    EXPECT_EQ(job->prompt, request.prompt);
    EXPECT_EQ(job->seed, request.seed);
    EXPECT_EQ(job->guidance, 5.0);
}

TEST_F(GenerateTinyTest, SameJobGivesTheSameBytesAlsoAfterAnotherOne) {
    for (const char* sampler : {"unipc", "euler", "dpmpp_2m"}) {
        const auto bytes = [&](const std::string& name, std::uint64_t seed) {
            JobRequest request = tiny_request();
            request.sampler = sampler;
            request.seed = seed;
            request.output.path = path(sampler + name + ".mp4");
            RunOptions options;
            options.save_latents = path(sampler + name + ".safetensors");
            EXPECT_EQ(run(request, options).state, JobState::Done);
            return file_bytes(options.save_latents) + file_bytes(request.output.path);
        };
        const std::string first = bytes("a", 11), other = bytes("b", 12), again = bytes("c", 11);
        EXPECT_EQ(first, again) << sampler;
        EXPECT_NE(first, other) << sampler;
    }
}

TEST_F(GenerateTinyTest, StoredLatentsDecodeToTheSameClip) {
    RunOptions options = no_output();
    options.save_latents = path("latents.safetensors");
    options.save_frames = path("frames.safetensors");
    ASSERT_EQ(run(tiny_request(), options).state, JobState::Done);
    RunOptions decode_only = no_output();
    decode_only.from_latents = options.save_latents;
    decode_only.save_frames = path("again.safetensors");
    const JobOutcome outcome = run(tiny_request(), decode_only);
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
    EXPECT_TRUE(outcome.steps.empty());
    EXPECT_EQ(file_bytes(decode_only.save_frames), file_bytes(options.save_frames));
}

TEST_F(GenerateTinyTest, GivenEmbeddingsReplaceThePrompts) {
    RunOptions options = no_output();
    options.save_embeds = path("embeds.safetensors");
    options.save_latents = path("a.safetensors");
    ASSERT_EQ(run(tiny_request(), options).state, JobState::Done);
    JobRequest other = tiny_request();
    other.prompt = "something else altogether";
    RunOptions given = no_output();
    given.prompt_embeds = given.negative_embeds = options.save_embeds;
    given.save_latents = path("b.safetensors");
    ASSERT_EQ(run(other, given).state, JobState::Done);
    EXPECT_TRUE(latents_of(path("a.safetensors")).equal(latents_of(path("b.safetensors"))));
}

TEST_F(GenerateTinyTest, GuidanceIsTheOneTyped) {
    std::set<std::string> results;
    for (const double guidance : {1.0, 1.0001, 5.0, 7.5}) {
        JobRequest request = tiny_request();
        request.guidance = guidance;
        results.insert(saved_bytes(request, &RunOptions::save_latents));
    }
    EXPECT_EQ(results.size(), 4U);
}

TEST_F(GenerateTinyTest, AbsentEmptyAndBlankNegativePromptsAreOne) {
    std::set<std::string> results;
    for (const std::optional<std::string>& negative :
         {std::optional<std::string>{}, std::optional<std::string>{""}, std::optional<std::string>{" "},
          std::optional<std::string>{"\n"}}) {
        JobRequest request = tiny_request();
        request.negative_prompt = negative;
        results.insert(saved_bytes(request, &RunOptions::save_embeds));
    }
    EXPECT_EQ(results.size(), 1U);
}

TEST_F(GenerateTinyTest, RowsBehindThePromptAreZero) {
    for (const std::string& prompt : {std::string(), std::string("fox"), std::string(3000, 'a')}) {
        JobRequest request = tiny_request();
        request.prompt = prompt;
        RunOptions options = no_output();
        options.save_embeds = path("rows.safetensors");
        ASSERT_EQ(run(request, options).state, JobState::Done);
        const auto tokens = engine_.tokenize(request.model, prompt).get();
        ASSERT_TRUE(tokens);
        const at::Tensor rows = read_tensor(options.save_embeds, "prompt_embeds", {1, 512, 32}).squeeze(0);
        const auto count = static_cast<std::int64_t>(tokens->ids.size());
        EXPECT_EQ(rows.narrow(0, count, 512 - count).count_nonzero().item<std::int64_t>(), 0);
        EXPECT_GT(rows.narrow(0, 0, count).count_nonzero().item<std::int64_t>(), 0);
    }
}

TEST_F(GenerateTinyTest, RandomSeedIsDrawnOnceAndRepeats) {
    JobRequest request = tiny_request();
    request.seed.reset();
    RunOptions options = no_output();
    options.save_latents = path("first.safetensors");
    const JobOutcome outcome = run(request, options);
    request.seed = outcome.last().report.seed;
    EXPECT_LT(*request.seed, std::uint64_t{1} << 31);
    EXPECT_EQ(engine_.resolved(outcome.job)->seed, request.seed);
    options.save_latents = path("second.safetensors");
    run(request, options);
    EXPECT_EQ(file_bytes(path("first.safetensors")), file_bytes(path("second.safetensors")));
}

TEST_F(GenerateTinyTest, TraceHoldsEveryBlockOfEveryRank) {
    JobRequest request = tiny_request();
    request.mesh = "cfg2";
    RunOptions options = no_output();
    options.trace = path("trace.json");
    options.threads = 2;
    ASSERT_EQ(run(request, options).state, JobState::Done);
    const auto trace = nlohmann::json::parse(std::ifstream(options.trace));
    EXPECT_EQ(trace["otherData"]["dropped"], 0);
    int blocks = 0, exchanges = 0, chunks = 0, bytes = 0;
    for (const auto& event : trace["traceEvents"]) {
        const std::string name = event["name"];
        blocks += name.starts_with("block ");
        chunks += name.starts_with("vae chunk");
        exchanges += name == "cfg exchange";
        if (name != "cfg exchange") continue;
        const auto& about = event["args"];
        bytes += about["bytes"].get<int>();
        EXPECT_EQ(about["op"], "all_gather");
        EXPECT_EQ(about["group"], "cfg");
        EXPECT_EQ(about["bytes_received"], about["bytes"]);
        EXPECT_GE(about["wait_us"], 0);
        EXPECT_LE(about["wait_us"].get<double>() + about["transfer_us"].get<double>(),
                  event["dur"].get<double>() + 1);
    }
    EXPECT_EQ(blocks, 2 * 3 * 2); // ranks, steps, blocks
    EXPECT_EQ(exchanges, 2 * 3);
    EXPECT_EQ(bytes, 2 * 3 * 16 * 2 * 4 * 4 * 4);
    EXPECT_EQ(chunks, 2 * 2); // each rank its band
}

TEST_F(GenerateTinyTest, TraceFileHoldsWhatTheWindowWasTold) {
    for (const int detail : {0, 2}) {
        JobRequest request = tiny_request();
        request.mesh = "ulysses2";
        RunOptions options = no_output();
        options.trace = path("run.reeltrace");
        options.detail = detail;
        options.threads = 2;
        const JobOutcome outcome = run(request, options);
        ASSERT_EQ(outcome.state, JobState::Done);
        const Result<Trace> trace = read_trace(options.trace);
        ASSERT_TRUE(trace) << error_message(trace.error());
        EXPECT_EQ(trace->mesh, "ulysses2");
        EXPECT_EQ(trace->detail, detail);
        EXPECT_EQ(trace->dropped, 0U);
        EXPECT_EQ(trace->events.size(), outcome.telemetry.size());
        std::map<EventKind, int> count;
        for (const TelemetryEvent& event : trace->events)
            ++count[event.kind];
        EXPECT_EQ(count[EventKind::Step], 2 * 3);
        EXPECT_EQ(count[EventKind::Exchange] > 0, detail == 2);
        EXPECT_EQ(count[EventKind::Part] > 0, detail == 2);
        const TraceSpan span = trace_span(trace->events);
        const auto rows = trace_totals(trace->events, span.begin_ns, span.end_ns);
        ASSERT_FALSE(rows.empty());
        EXPECT_GT(rows.front().busy_ns, 0);
        EXPECT_EQ(rows.front().bytes > 0, detail == 2);
    }
}

TEST_F(GenerateTinyTest, TakenNameIsRefusedBeforeWork) {
    std::ofstream(path("taken.mp4")) << "mine";
    JobRequest request = tiny_request();
    request.output.path = path("taken.mp4");
    const Result<JobId> job = engine_.submit(request, {});
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().code, ErrorCode::OutputExists);
    EXPECT_EQ(file_bytes(path("taken.mp4")), "mine");
}

TEST_F(GenerateTinyTest, HugeRequestIsRefusedWithTheEstimate) {
    JobRequest request = tiny_request();
    request.width = request.height = 16384;
    request.frames = 1001;
    const Result<JobId> job = engine_.submit(request, no_output());
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().code, ErrorCode::MemoryTooSmall) << error_message(job.error());
    EXPECT_EQ(run(tiny_request()).state, JobState::Done);
}

} // namespace
} // namespace reelmesh::testing
