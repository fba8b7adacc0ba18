#include "models/wan/weight_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace reelmesh::wan {

namespace {

// The reference keeps a weight in float32 when a dotted part of its name is one of these.
constexpr std::array<std::string_view, 5> kFloat32Parts{"time_embedder", "scale_shift_table", "norm1",
                                                        "norm2", "norm3"};

WeightPrecision precision_of(std::string_view name) {
    while (!name.empty()) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        if (std::ranges::find(kFloat32Parts, name.substr(0, dot)) != kFloat32Parts.end())
            return WeightPrecision::Float32;
        name.remove_prefix(std::min(dot + 1, name.size()));
    }
    return WeightPrecision::Model;
}

class SpecList {
public:
    void add(const std::string& name, std::vector<std::int64_t> shape) {
        specs_.push_back({name, std::move(shape), precision_of(name), ""});
    }
    void add_linear(const std::string& name, std::int64_t out, std::int64_t in) {
        add(name + ".weight", {out, in});
        add(name + ".bias", {out});
    }
    void add_attention(const std::string& name, std::int64_t width) {
        for (const char* part : {".to_q", ".to_k", ".to_v", ".to_out.0"})
            add_linear(name + part, width, width);
        add(name + ".norm_q.weight", {width});
        add(name + ".norm_k.weight", {width});
    }
    std::vector<WeightSpec> take() { return std::move(specs_); }

private:
    std::vector<WeightSpec> specs_;
};

} // namespace

std::vector<WeightSpec> transformer_weights(const WanTransformerConfig& config) {
    const std::int64_t width = config.width();
    const auto [pt, ph, pw] = config.patch_size;
    SpecList list;
    list.add("patch_embedding.weight", {width, config.in_channels, pt, ph, pw});
    list.add("patch_embedding.bias", {width});
    list.add_linear("condition_embedder.time_embedder.linear_1", width, config.freq_dim);
    list.add_linear("condition_embedder.time_embedder.linear_2", width, width);
    list.add_linear("condition_embedder.time_proj", 6 * width, width);
    list.add_linear("condition_embedder.text_embedder.linear_1", width, config.text_dim);
    list.add_linear("condition_embedder.text_embedder.linear_2", width, width);
    list.add("scale_shift_table", {1, 2, width});
    list.add_linear("proj_out", config.out_channels * pt * ph * pw, width);
    for (std::int64_t layer = 0; layer < config.num_layers; ++layer) {
        const std::string block = "blocks." + std::to_string(layer) + ".";
        list.add(block + "scale_shift_table", {1, 6, width});
        list.add_attention(block + "attn1", width);
        list.add_attention(block + "attn2", width);
        if (config.cross_attn_norm) {
            list.add(block + "norm2.weight", {width});
            list.add(block + "norm2.bias", {width});
        }
        list.add_linear(block + "ffn.net.0.proj", config.ffn_dim, width);
        list.add_linear(block + "ffn.net.2", width, config.ffn_dim);
    }
    return list.take();
}

} // namespace reelmesh::wan
