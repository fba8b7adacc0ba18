// What every model family must do: Wan on a tiny model, and the two fakes that keep the interface
// from hardening around it.
#include "models/family.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/check.h"
#include "mesh/mesh_runner.h"
#include "models/token_layout.h"
#include "sampling/guidance.h"
#include "sampling/noise.h"
#include "sampling/sampler.h"
#include "support/fake_families.h"
#include "support/single_rank.h"
#include "weights/component_files.h"

namespace reelmesh {
namespace {

using testing::SingleRank;
using Tensors = std::vector<at::Tensor>;

struct FamilyCase {
    std::string name;
    const Family& (*family)();
    ModelCard (*card)();
};

const FamilyCase kCases[]{
    {"wan", []() -> const Family& { return find_family("wan"); },
     [] { return read_model_card(std::string(REELMESH_TEST_DATA) + "/goldens/models/wan21-t2v"); }},
    {"fake_joint", testing::joint_attention_family, [] { return ModelCard(); }},
    {"fake_two_streams", testing::two_stream_family, [] { return ModelCard(); }},
};

JobRequest small_request() {
    JobRequest request;
    request.width = 48;
    request.height = 32;
    request.frames = 5;
    return request;
}

std::string as_text(const FamilyDescription& description) {
    std::ostringstream text;
    for (const LatentStream& stream : description.streams) {
        text << stream.name << ' ' << stream.clock;
        for (const auto size : stream.shape)
            text << ' ' << size;
        for (const auto size : stream.patch)
            text << ' ' << size;
        for (const auto size : stream.token_grid)
            text << ' ' << size;
    }
    for (const ContextInput& context : description.contexts)
        text << '\n'
             << context.name << ' ' << static_cast<int>(context.kind) << ' ' << context.tokens << ' '
             << context.width;
    for (const Expert& expert : description.experts)
        text << '\n' << expert.component << ' ' << expert.minimum_timestep << ' ' << expert.low_noise;
    text << '\n'
         << description.guidance_branches << ' ' << description.blocks << ' ' << description.text_encoder
         << ' ' << description.vae << ' ' << description.cost.multiply_adds << ' '
         << description.cost.activation_bytes << ' ' << description.cost.context_bytes;
    return text.str();
}

Tensors copies(const Tensors& tensors) {
    Tensors result;
    for (const at::Tensor& tensor : tensors)
        result.push_back(tensor.clone());
    return result;
}

bool same_bits(const Tensors& left, const Tensors& right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const at::Tensor& a, const at::Tensor& b) { return at::equal(a, b); });
}

class FamilyContractTest : public ::testing::TestWithParam<FamilyCase> {
protected:
    FamilyContractTest() {
        std::map<std::string, WeightMap> weights;
        for (const ComponentWeights& needs : family_.weights(card_)) {
            const ComponentCard& component = card_.component(needs.component);
            const auto files = ComponentFiles::open(component.folder, component.weights_stem);
            require_weights(needs.specs, *files);
            weights[needs.component] = load_weights(needs.specs, *files, {});
        }
        model_ = family_.load(card_, std::move(weights), at::kFloat);
    }

    /// Contexts of one branch, zero behind the first few tokens.
    BranchContexts contexts(int branch) const {
        BranchContexts made;
        for (const ContextInput& input : description_.contexts) {
            at::Tensor context = at::zeros({input.tokens, input.width}, at::kFloat);
            const std::int64_t used = 3 + branch;
            context.narrow(0, 0, used)
                .copy_(noise(50 + static_cast<std::uint64_t>(branch), NoisePurpose::Initial, 0,
                             {used, input.width}));
            made.push_back(context);
        }
        return made;
    }

    std::unique_ptr<DiffusionRun> prepare() const {
        SingleRank rank;
        std::vector<BranchContexts> branches;
        for (int branch = 0; branch < description_.guidance_branches; ++branch)
            branches.push_back(contexts(branch));
        return model_->prepare(description_, branches, rank.context);
    }

    Tensors noisy_streams(std::uint64_t seed) const {
        Tensors streams;
        for (const LatentStream& stream : description_.streams)
            streams.push_back(to_tokens(noise(seed++, NoisePurpose::Initial, 0, stream.shape), stream.patch));
        return streams;
    }

    static constexpr StepPoint kPoint{0, 900, 0.9, 0};

    Tensors velocity(DiffusionRun& run, int branch, const Tensors& streams) const {
        SingleRank rank;
        rank.context.enter(Stage::Denoise, 0, 0);
        return run.velocity(kPoint, branch, streams, rank.context);
    }

    /// The whole loop as the pipeline runs it: branches, guidance and a sampler for each stream.
    Tensors denoise(DiffusionRun& run, std::string_view sampler, int steps) const {
        SingleRank rank;
        Tensors streams = noisy_streams(11);
        std::vector<std::unique_ptr<Sampler>> samplers;
        for (std::size_t i = 0; i < streams.size(); ++i)
            samplers.push_back(make_sampler(sampler, card_.scheduler, 3, steps));
        const Schedule& schedule = samplers.front()->schedule();
        for (int step = 0; step < steps; ++step) {
            const auto place = static_cast<std::size_t>(step);
            const StepPoint point{step, schedule.timesteps[place], schedule.sigmas[place], 0};
            rank.context.enter(Stage::Denoise, step, 0);
            const Tensors conditional = run.velocity(point, 0, streams, rank.context);
            rank.context.enter(Stage::Denoise, step, description_.blocks);
            const Tensors unconditional = run.velocity(point, 1, streams, rank.context);
            for (std::size_t i = 0; i < streams.size(); ++i)
                streams[i] = samplers[i]->step(guide(conditional[i], unconditional[i], 4), streams[i], step);
        }
        return streams;
    }

    const Family& family_ = GetParam().family();
    ModelCard card_ = GetParam().card();
    FamilyDescription description_ = family_.describe(card_, small_request());
    std::shared_ptr<const DiffusionModel> model_;
};

TEST_P(FamilyContractTest, DescribeIsPure) {
    const std::string first = as_text(description_);
    JobRequest larger = small_request();
    larger.width = 96;
    larger.frames = 9;
    EXPECT_NE(as_text(family_.describe(card_, larger)), first);
    EXPECT_EQ(as_text(family_.describe(card_, small_request())), first);
    EXPECT_EQ(family_.name(), GetParam().name);
}

TEST_P(FamilyContractTest, StreamsAndTokenGridsAgree) {
    ASSERT_FALSE(description_.streams.empty());
    const LatentStream& first = description_.streams.front();
    EXPECT_EQ(first.clock, 1);
    for (const LatentStream& stream : description_.streams) {
        SCOPED_TRACE(stream.name);
        ASSERT_EQ(stream.shape.size(), 4U);
        std::int64_t values = stream.shape[0];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            EXPECT_GE(stream.token_grid[axis], 1);
            EXPECT_EQ(stream.token_grid[axis] * stream.patch[axis], stream.shape[axis + 1]);
            values *= stream.shape[axis + 1];
        }
        EXPECT_EQ(stream.tokens() * stream.token_width(), values);
        EXPECT_EQ(static_cast<double>(stream.shape[1]), stream.clock * static_cast<double>(first.shape[1]));
    }
}

TEST_P(FamilyContractTest, DescriptionIsComplete) {
    EXPECT_GE(description_.blocks, 1);
    EXPECT_GE(description_.guidance_branches, 1);
    ASSERT_FALSE(description_.experts.empty());
    EXPECT_EQ(description_.experts.back().minimum_timestep, 0) << "some step would have no expert";
    for (const ContextInput& context : description_.contexts)
        EXPECT_GT(context.tokens * context.width, 0);
    EXPECT_GT(description_.cost.multiply_adds, 0);
    EXPECT_GT(description_.cost.activation_bytes, 0U);
    EXPECT_GT(description_.cost.context_bytes, 0U);
    EXPECT_FALSE(description_.text_encoder.empty());
    EXPECT_FALSE(description_.vae.empty());
}

TEST_P(FamilyContractTest, VelocitiesHaveTheStreamsForm) {
    const auto run = prepare();
    const Tensors streams = noisy_streams(1);
    for (int branch = 0; branch < description_.guidance_branches; ++branch) {
        const Tensors velocities = velocity(*run, branch, streams);
        ASSERT_EQ(velocities.size(), streams.size());
        for (std::size_t i = 0; i < streams.size(); ++i) {
            EXPECT_EQ(velocities[i].sizes(), streams[i].sizes());
            EXPECT_EQ(velocities[i].scalar_type(), at::kFloat);
            EXPECT_TRUE(at::isfinite(velocities[i]).all().item<bool>());
        }
    }
}

TEST_P(FamilyContractTest, SameInputGivesTheSameBitsAndNothingIsOverwritten) {
    const auto run = prepare();
    const Tensors streams = noisy_streams(1), kept = copies(streams);
    const Tensors first = velocity(*run, 0, streams), first_copy = copies(first);
    const Tensors other = velocity(*run, 1, noisy_streams(2));
    EXPECT_TRUE(same_bits(first, first_copy)) << "a later forward wrote into an earlier result";
    EXPECT_TRUE(same_bits(velocity(*run, 0, streams), first));
    EXPECT_TRUE(same_bits(velocity(*prepare(), 0, streams), first));
    EXPECT_TRUE(same_bits(streams, kept));
    EXPECT_FALSE(same_bits(other, first));
}

TEST_P(FamilyContractTest, ContextsTimesAndEveryStreamMatter) {
    const auto run = prepare();
    const Tensors streams = noisy_streams(1);
    const Tensors base = velocity(*run, 0, streams), branch = velocity(*run, 1, streams);
    SingleRank rank;
    rank.context.enter(Stage::Denoise, 0, 0);
    const Tensors later = run->velocity({0, 500, 0.5, 0}, 0, streams, rank.context);
    for (std::size_t i = 0; i < base.size(); ++i) {
        EXPECT_FALSE(at::equal(base[i], branch[i])) << i;
        EXPECT_FALSE(at::equal(base[i], later[i])) << i;
    }
    for (std::size_t changed = 0; changed < streams.size(); ++changed) {
        Tensors inputs = streams;
        inputs[changed] = inputs[changed] + 0.25;
        const Tensors moved = velocity(*run, 0, inputs);
        for (std::size_t i = 0; i < base.size(); ++i)
            EXPECT_FALSE(at::equal(base[i], moved[i])) << changed << i;
    }
}

TEST_P(FamilyContractTest, ClaimsItsBlocksInRisingOrder) {
    const auto run = prepare();
    SingleRank rank;
    rank.context.enter(Stage::Denoise, 2, 0);
    run->velocity(kPoint, 1, noisy_streams(1), rank.context);
    std::vector<TelemetryEvent> events;
    rank.writer.drain(events);
    std::erase_if(events, [](const TelemetryEvent& event) { return event.kind != EventKind::Block; });
    ASSERT_EQ(std::ssize(events), description_.blocks);
    for (int block = 0; block < description_.blocks; ++block) {
        const TelemetryEvent& event = events[static_cast<std::size_t>(block)];
        EXPECT_EQ(event.block, block);
        EXPECT_EQ(event.step, 2);
        EXPECT_EQ(event.detail, 1);
        EXPECT_LE(event.start_ns, event.end_ns);
        if (block > 0) {
            EXPECT_LE(events[static_cast<std::size_t>(block - 1)].end_ns, event.start_ns);
        }
    }
}

TEST_P(FamilyContractTest, StopsAtTheGatesLimitAndGoesOnAfterwards) {
    const auto run = prepare();
    const Tensors streams = noisy_streams(1), kept = copies(streams);
    const Tensors expected = velocity(*run, 0, streams);
    const auto stopped = [&](RankContext& context) {
        const auto result = catch_errors([&] { return run->velocity(kPoint, 0, streams, context); });
        if (!result) {
            EXPECT_EQ(result.error().code, ErrorCode::Canceled);
        }
        return !result;
    };
    SingleRank rank;
    rank.context.enter(Stage::Denoise, 0, 0);
    EXPECT_FALSE(stopped(rank.context));
    rank.gate.cancel();
    // The highest point claimed is the last block: the same forward still fits, one point further does not.
    EXPECT_FALSE(stopped(rank.context));
    rank.context.enter(Stage::Denoise, 0, 1);
    EXPECT_TRUE(stopped(rank.context));
    rank.context.enter(Stage::Denoise, 1, 0);
    EXPECT_TRUE(stopped(rank.context));
    EXPECT_TRUE(same_bits(streams, kept));
    rank.gate.reset();
    EXPECT_TRUE(same_bits(run->velocity(kPoint, 0, streams, rank.context), expected));
}

TEST_P(FamilyContractTest, OneBranchARankGivesTheBitsOfOneRank) {
    const Tensors streams = noisy_streams(1);
    std::vector<Tensors> alone(2), apart(2);
    MeshRunner single(MeshOptions{.shape = parse_mesh("single"), .threads = 1});
    single.run([&](RankContext& context) {
        const auto run = prepare();
        for (int branch = 0; branch < 2; ++branch) {
            context.enter(Stage::Denoise, 0, branch * description_.blocks);
            alone[static_cast<std::size_t>(branch)] = run->velocity(kPoint, branch, streams, context);
        }
    });
    MeshRunner mesh(MeshOptions{.shape = parse_mesh("cfg2"), .threads = 2});
    mesh.run([&](RankContext& context) {
        const int branch = context.coordinate(Axis::Cfg);
        std::vector<BranchContexts> own(2);
        own[static_cast<std::size_t>(branch)] = contexts(branch);
        const auto run = model_->prepare(description_, own, context);
        context.enter(Stage::Denoise, 0, 0);
        apart[static_cast<std::size_t>(branch)] = run->velocity(kPoint, branch, streams, context);
    });
    EXPECT_TRUE(same_bits(alone[0], apart[0]));
    EXPECT_TRUE(same_bits(alone[1], apart[1]));
}

TEST_P(FamilyContractTest, DenoisesEveryStreamWithEverySampler) {
    const auto run = prepare();
    const Tensors start = noisy_streams(11);
    for (const auto sampler : sampler_names()) {
        SCOPED_TRACE(sampler);
        const Tensors result = denoise(*run, sampler, 4);
        EXPECT_TRUE(same_bits(denoise(*run, sampler, 4), result));
        for (std::size_t i = 0; i < result.size(); ++i) {
            const LatentStream& stream = description_.streams[i];
            EXPECT_TRUE(at::isfinite(result[i]).all().item<bool>());
            EXPECT_GT((result[i] - start[i]).abs().max().item<double>(), 1e-3);
            EXPECT_EQ(from_tokens(result[i], stream.shape, stream.patch).sizes(),
                      at::IntArrayRef(stream.shape));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, FamilyContractTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

} // namespace
} // namespace reelmesh
