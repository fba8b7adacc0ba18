// A Wan transformer with the self-tests' weights, driven on meshes: velocities of the whole sequence, put
// together from the ranks, wherever they compute.
#pragma once

#include <ATen/ATen.h>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mesh/mesh_runner.h"
#include "models/wan/transformer.h"
#include "models/wan/weight_names.h"
#include "ops/rotary_3d.h"
#include "parallel/guidance_parallel.h"
#include "parallel/sequence_split.h"
#include "request/mesh_rules.h"
#include "support/golden.h"

namespace reelmesh::testing {

enum class Times { One, PerToken };

/// Two layers. feed: 840 has many divisors.
inline WanTransformerConfig two_layers(std::int64_t heads, std::int64_t head_dim = 12,
                                       std::int64_t feed = 840) {
    WanTransformerConfig config;
    config.num_attention_heads = heads;
    config.attention_head_dim = head_dim;
    config.in_channels = config.out_channels = 4;
    config.text_dim = 16;
    config.freq_dim = 32;
    config.ffn_dim = feed;
    config.num_layers = 2;
    config.patch_size = {1, 2, 2};
    config.cross_attn_norm = true;
    config.eps = 1e-6;
    return config;
}

class MeshedTransformer {
public:
    MeshedTransformer(const WanTransformerConfig& config, const std::array<std::int64_t, 3>& grid,
                      Times times = Times::One, at::ScalarType dtype = at::kFloat)
        : config_(config), dtype_(dtype), weights_(weights_of(config, dtype)), grid_(grid),
          tokens_(grid[0] * grid[1] * grid[2]) {
        latents_ = wave_input({tokens_, 16});
        for (const double start : {0.3, 1.1})
            texts_.push_back(wave_input({kTextTokens, config_.text_dim}, 0.17, start));
        if (times == Times::One) {
            times_ = {at::full({1}, 999.0F), {}};
        } else {
            // The first third of the tokens is clean.
            times_.values = at::tensor({0.0F, 640.0F});
            times_.index = at::arange(tokens_, at::kLong).ge(tokens_ / 3).to(at::kLong);
        }
    }

    std::int64_t tokens() const { return tokens_; }
    MeshLimits limits(int branches) const {
        return {tokens_, config_.num_attention_heads, config_.ffn_dim, 2, branches};
    }

    /// Velocities of the branches over the whole sequence, on the host.
    std::vector<at::Tensor> run(MeshRunner& mesh, int branches) {
        if (mesh.devices().empty()) load_on(at::kCPU);
        for (const c10::Device device : mesh.devices())
            load_on(device);
        std::vector<at::Tensor> whole;
        for (int branch = 0; branch < branches; ++branch)
            whole.push_back(at::full({tokens_, 16}, std::numeric_limits<float>::quiet_NaN()));
        mesh.run([&](RankContext& context) {
            const c10::Device device = context.device();
            const SequenceSplit split(tokens_, context);
            const auto own = [&](const at::Tensor& tensor) {
                return tensor.narrow(0, split.first(), split.count());
            };
            const auto share = transformers_.at(device.str())->share(context);
            const wan::TokenBuffers buffers = share->make_buffers(split, context);
            const at::Tensor phases =
                own(ops::rotary_3d_phases(grid_, config_.attention_head_dim)).to(device);
            wan::TokenTimes times = times_;
            if (times.index.defined()) times.index = own(times.index).to(device);
            std::map<int, std::vector<wan::KeysAndValues>> contexts;
            for (const int branch : branches_of_rank(branches, context))
                contexts[branch] =
                    share->project_context(texts_[static_cast<std::size_t>(branch)].to(device), context);
            context.enter(Stage::Denoise, 0, 0);
            const auto velocities =
                run_branches(branches, context, [&](int branch) -> std::vector<at::Tensor> {
                    context.enter(Stage::Denoise, 0, 100 * branch);
                    return {share->velocity(own(latents_).to(device), times, phases, contexts.at(branch),
                                            buffers, context, branch)};
                });
            for (int branch = 0; branch < branches; ++branch)
                if (context.coordinate(Axis::Tensor) == 0 && context.coordinate(Axis::Cfg) == 0)
                    own(whole[static_cast<std::size_t>(branch)])
                        .copy_(velocities[static_cast<std::size_t>(branch)][0]);
        });
        return whole;
    }

private:
    static constexpr std::int64_t kTextTokens = 7;

    static WeightMap weights_of(const WanTransformerConfig& config, at::ScalarType dtype) {
        const std::vector<WeightSpec> specs = wan::transformer_weights(config);
        WeightMap exact = filled_weights(specs), weights;
        for (const WeightSpec& spec : specs) {
            const at::Tensor values = exact.take(spec.name);
            weights.put(spec.name, spec.precision == WeightPrecision::Model ? values.to(dtype) : values);
        }
        return weights;
    }
    void load_on(c10::Device device) {
        std::unique_ptr<wan::Transformer>& transformer = transformers_[device.str()];
        if (!transformer)
            transformer = std::make_unique<wan::Transformer>(config_, weights_.on(device), dtype_);
    }

    WanTransformerConfig config_;
    at::ScalarType dtype_;
    WeightMap weights_;
    std::map<std::string, std::unique_ptr<wan::Transformer>> transformers_; ///< by device
    std::array<std::int64_t, 3> grid_;
    std::int64_t tokens_;
    at::Tensor latents_;
    std::vector<at::Tensor> texts_;
    wan::TokenTimes times_;
};

} // namespace reelmesh::testing
