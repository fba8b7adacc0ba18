#include "support/fake_families.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>

#include "base/check.h"
#include "sampling/noise.h"

namespace reelmesh::testing {
namespace {

constexpr std::int64_t kWidth = 12, kTextTokens = 7, kTextWidth = 6;
constexpr int kBlocks = 3;

/// A fixed matrix [inputs, outputs] that keeps the size of what it multiplies.
at::Tensor matrix(std::uint64_t seed, std::int64_t inputs, std::int64_t outputs) {
    return noise(seed, NoisePurpose::Initial, 0, {inputs, outputs}) / std::sqrt(static_cast<double>(inputs));
}

/// Rows take up what they find in other rows.
class Attention {
public:
    explicit Attention(std::uint64_t seed)
        : query_(matrix(seed, kWidth, kWidth)), key_(matrix(seed + 1, kWidth, kWidth)),
          value_(matrix(seed + 2, kWidth, kWidth)) {}

    at::Tensor operator()(const at::Tensor& rows, const at::Tensor& others) const {
        const at::Tensor scores = at::matmul(at::matmul(rows, query_), at::matmul(others, key_).t());
        const at::Tensor weights = at::softmax(scores / std::sqrt(static_cast<double>(kWidth)), 1);
        return (rows + at::matmul(weights, at::matmul(others, value_))).tanh();
    }

private:
    at::Tensor query_, key_, value_;
};

std::vector<Attention> attentions(std::uint64_t first_seed, int count) {
    std::vector<Attention> list;
    for (int i = 0; i < count; ++i)
        list.emplace_back(first_seed + 10 * static_cast<std::uint64_t>(i));
    return list;
}

/// Into and out of the hidden width.
struct Projection {
    Projection(std::uint64_t seed, std::int64_t width)
        : in(matrix(seed, width, kWidth)), out(matrix(seed + 1, kWidth, width)) {}
    at::Tensor in, out;
};

at::Tensor time_code(double timestep) {
    return (at::arange(1, kWidth + 1, at::kFloat) * (timestep / 1000)).sin();
}

/// A run whose blocks a derived class fills in; it holds the projected text of each branch.
class FakeRun : public DiffusionRun {
public:
    FakeRun(const FamilyDescription& description, const std::vector<BranchContexts>& branches) {
        const at::Tensor text_in = matrix(1, kTextWidth, kWidth);
        for (const BranchContexts& contexts : branches)
            texts_.push_back(contexts.empty() ? at::Tensor()
                                              : at::matmul(contexts.front().to(at::kFloat), text_in));
        for (std::size_t i = 0; i < description.streams.size(); ++i)
            projections_.emplace_back(100 + 10 * i, description.streams[i].token_width());
    }

    std::vector<at::Tensor> velocity(const StepPoint& point, int branch,
                                     const std::vector<at::Tensor>& streams, RankContext& context) override {
        at::Tensor text = texts_.at(static_cast<std::size_t>(branch));
        REELMESH_CHECK(text.defined() && streams.size() == projections_.size());
        std::vector<at::Tensor> hidden;
        for (std::size_t i = 0; i < streams.size(); ++i)
            hidden.push_back(at::matmul(streams[i], projections_[i].in) + time_code(point.timestep));
        for (int block = 0; block < kBlocks; ++block) {
            const RankContext::Block claim(context, block, EventWork::Attention, branch);
            forward(block, hidden, text);
        }
        std::vector<at::Tensor> velocities;
        for (std::size_t i = 0; i < streams.size(); ++i)
            velocities.push_back(at::matmul(hidden[i], projections_[i].out));
        return velocities;
    }

private:
    virtual void forward(int block, std::vector<at::Tensor>& hidden, at::Tensor& text) const = 0;

    std::vector<at::Tensor> texts_;
    std::vector<Projection> projections_;
};

class JointRun final : public FakeRun {
public:
    using FakeRun::FakeRun;

private:
    void forward(int block, std::vector<at::Tensor>& hidden, at::Tensor& text) const override {
        const at::Tensor rows = at::cat({text, hidden.front()});
        const at::Tensor mixed = joint_.at(static_cast<std::size_t>(block))(rows, rows);
        text = mixed.narrow(0, 0, text.size(0));
        hidden.front() = mixed.narrow(0, text.size(0), hidden.front().size(0));
    }

    std::vector<Attention> joint_ = attentions(1000, kBlocks);
};

class TwoStreamRun final : public FakeRun {
public:
    using FakeRun::FakeRun;

private:
    void forward(int block, std::vector<at::Tensor>& hidden, at::Tensor& text) const override {
        const auto layer = static_cast<std::size_t>(block);
        for (at::Tensor& rows : hidden)
            rows = prompt_[layer](own_[layer](rows, rows), text);
        const at::Tensor video = hidden[0];
        hidden[0] = cross_[layer](hidden[0], hidden[1]);
        hidden[1] = cross_[layer](hidden[1], video);
    }

    std::vector<Attention> own_ = attentions(2000, kBlocks), cross_ = attentions(3000, kBlocks),
                           prompt_ = attentions(4000, kBlocks);
};

template <class Run>
class FakeModel final : public DiffusionModel {
public:
    std::unique_ptr<DiffusionRun> prepare(const FamilyDescription& description,
                                          const std::vector<BranchContexts>& branches,
                                          RankContext&) const override {
        return std::make_unique<Run>(description, branches);
    }
};

LatentStream stream(std::string name, std::vector<std::int64_t> shape, std::array<std::int64_t, 3> patch,
                    double clock) {
    LatentStream made{std::move(name), std::move(shape), patch};
    for (std::size_t i = 0; i < 3; ++i)
        made.token_grid[i] = made.shape[i + 1] / patch[i];
    made.clock = clock;
    return made;
}

LatentStream video_stream(const JobRequest& request) {
    return stream("video", {4, (request.frames.value() - 1) / 4 + 1, *request.height / 8, *request.width / 8},
                  {1, 2, 2}, 1);
}

template <class Run>
class FakeFamily final : public Family {
public:
    using Streams = std::vector<LatentStream> (*)(const JobRequest&);
    FakeFamily(std::string_view name, Streams streams) : name_(name), streams_(streams) {}

    std::string_view name() const override { return name_; }

    FamilyDescription describe(const ModelCard&, const JobRequest& request) const override {
        FamilyDescription description;
        description.shape = {kWidth, 1, kWidth, kWidth, kBlocks};
        // In the joint one text rows stand beside the latents'; in the other they are attended to.
        (streams_(request).size() == 1 ? description.shape.joint_text_tokens : description.shape.text_tokens) =
            kTextTokens;
        description.streams = streams_(request);
        description.contexts = {{"text", ContextKind::Text, kTextTokens, kTextWidth}};
        description.experts = {{"transformer"}};
        description.blocks = kBlocks;
        std::int64_t tokens = kTextTokens;
        for (const LatentStream& latents : description.streams)
            tokens += latents.tokens();
        const auto rows = static_cast<double>(tokens), width = static_cast<double>(kWidth);
        description.cost.multiply_adds = kBlocks * rows * (3 * width * width + 2 * rows * width);
        description.cost.activation_bytes =
            static_cast<std::uint64_t>(tokens * (5 * kWidth + tokens)) * sizeof(float);
        description.cost.context_bytes = kTextTokens * kWidth * sizeof(float);
        description.text_encoder = "umt5";
        description.vae = "wan";
        return description;
    }

    std::vector<ComponentWeights> weights(const ModelCard&) const override { return {}; }

    std::shared_ptr<const DiffusionModel> load(const ModelCard&, std::map<std::string, WeightMap>,
                                               at::ScalarType) const override {
        return std::make_shared<FakeModel<Run>>();
    }

private:
    std::string_view name_;
    Streams streams_;
};

} // namespace

const Family& joint_attention_family() {
    static const FakeFamily<JointRun> family("fake_joint", [](const JobRequest& request) {
        return std::vector<LatentStream>{video_stream(request)};
    });
    return family;
}

const Family& two_stream_family() {
    static const FakeFamily<TwoStreamRun> family("fake_two_streams", [](const JobRequest& request) {
        const LatentStream video = video_stream(request);
        return std::vector<LatentStream>{video, stream("sound", {3, 2 * video.shape[1], 1, 1}, {2, 1, 1}, 2)};
    });
    return family;
}

} // namespace reelmesh::testing
