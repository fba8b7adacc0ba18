#include "base/check.h"
#include "vae/video_vae.h"
#include "vae/wan/wan_vae.h"

#include <array>
#include <string_view>

namespace reelmesh {
namespace {

struct VaeKind {
    std::string_view class_name;
    std::vector<WeightSpec> (*weights)(const ModelCard& card);
    std::unique_ptr<VideoVae> (*load)(const ModelCard& card, WeightMap weights, FrameMath math);
};

std::vector<WeightSpec> wan_weights(const ModelCard& card) {
    SpecRecorder recorder;
    const WanVae without_values(recorder, card.vae);
    return recorder.specs();
}

std::unique_ptr<VideoVae> load_wan(const ModelCard& card, WeightMap weights, FrameMath math) {
    WeightTaker taker(weights, math);
    return std::make_unique<WanVae>(taker, card.vae);
}

constexpr std::array kKinds{VaeKind{"AutoencoderKLWan", wan_weights, load_wan}};

const VaeKind& kind_of(const ModelCard& card) {
    const ComponentCard& component = card.component("vae");
    std::string known;
    for (const VaeKind& kind : kKinds) {
        if (kind.class_name == component.class_name) return kind;
        known += (known.empty() ? "" : ", ") + std::string(kind.class_name);
    }
    fail(ErrorCode::UnsupportedModel,
         {{"file", component.folder}, {"found", component.class_name}, {"needed", known}});
}

} // namespace

std::vector<WeightSpec> vae_weights(const ModelCard& card) {
    return kind_of(card).weights(card);
}

std::unique_ptr<VideoVae> load_vae(const ModelCard& card, WeightMap weights, FrameMath math) {
    return kind_of(card).load(card, std::move(weights), math);
}

} // namespace reelmesh
