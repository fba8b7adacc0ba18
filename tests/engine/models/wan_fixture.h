// A loaded Wan transformer, driven as a run drives it, with reference inputs.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <utility>
#include <vector>

#include "models/token_layout.h"
#include "models/wan/transformer.h"
#include "models/wan/weight_names.h"
#include "ops/rotary_3d.h"
#include "request/model_card.h"
#include "support/golden.h"
#include "support/single_rank.h"

namespace reelmesh::testing {

/// What the reference gives a transformer: latents [C,T,H,W], times [1] or [tokens], text [tokens, width].
struct WanInput {
    at::Tensor latents, times, text;
};

class WanModelUnderTest {
public:
    WanModelUnderTest(WanTransformerConfig config, WeightMap weights, at::ScalarType dtype = at::kFloat)
        : config_(config), transformer_(config, std::move(weights), dtype) {}

    /// Any component folder of tests/data/goldens.
    static WanModelUnderTest golden(const std::string& model, const std::string& component = "transformer",
                                    at::ScalarType dtype = at::kFloat) {
        const ModelCard card = read_model_card(golden_path("models/" + model));
        return of_card(card, component, dtype);
    }
    static WanModelUnderTest of_card(const ModelCard& card, const std::string& component,
                                     at::ScalarType dtype) {
        const WanTransformerConfig& config =
            component == "transformer" ? card.transformer : card.transformer_2.value();
        const ComponentCard& files = card.component(component);
        return {config,
                load_component(files.folder, files.weights_stem, wan::transformer_weights(config), dtype),
                dtype};
    }

    const wan::Transformer& transformer() const { return transformer_; }
    const WanTransformerConfig& config() const { return config_; }

    std::array<std::int64_t, 3> grid(const at::Tensor& latents) const {
        return {latents.size(1) / config_.patch_size[0], latents.size(2) / config_.patch_size[1],
                latents.size(3) / config_.patch_size[2]};
    }
    /// A time for every token becomes distinct times and an index.
    static wan::TokenTimes token_times(const at::Tensor& times) {
        if (times.numel() == 1) return {times, {}};
        auto [values, index] = at::_unique(times, true, true);
        return {values, index};
    }

    /// Of [C,T,H,W]; phases undefined: those of the grid.
    at::Tensor velocity(const WanInput& input, at::Tensor phases = {}) const {
        const c10::InferenceMode inference;
        if (!phases.defined())
            phases = ops::rotary_3d_phases(grid(input.latents), config_.attention_head_dim);
        SingleRank rank;
        rank.context.enter(Stage::Denoise, 0, 0);
        const at::Tensor tokens = to_tokens(input.latents, config_.patch_size);
        const at::Tensor result = transformer_.velocity(
            tokens, token_times(input.times), phases, transformer_.project_context(input.text, rank.context),
            transformer_.make_buffers(SequenceSplit(tokens.size(0), rank.context), rank.context),
            rank.context, 0);
        std::vector<std::int64_t> shape = input.latents.sizes().vec();
        shape[0] = config_.out_channels;
        return from_tokens(result, shape, config_.patch_size);
    }

private:
    WanTransformerConfig config_;
    wan::Transformer transformer_;
};

} // namespace reelmesh::testing
