#include "request/job_aliases.h"

namespace reelmesh {
namespace {

template <class Meaning>
struct Alias {
    std::string_view name;
    Meaning meaning;
};

constexpr Alias<std::string_view> kKeys[] = {
    {"cfg", "guidance"},
    {"guidance_scale", "guidance"},
    {"guidance2_scale", "guidance2"},
    {"sample_guide_scale", "guidance"},
    {"size", "size"},
    {"resolution", "size"},
    {"frame_num", "frames"},
    {"video_length", "frames"},
    {"length", "frames"},
    {"sample_steps", "steps"},
    {"num_inference_steps", "steps"},
    {"infer_steps", "steps"},
    {"flow_shift", "shift"},
    {"sample_shift", "shift"},
    {"sample_solver", "sampler"},
    {"base_seed", "seed"},
    {"noise_seed", "seed"},
    {"switch_threshold", "boundary"},
};

constexpr Alias<Axis> kAxisKeys[] = {
    {"ulysses_size", Axis::Ulysses}, {"ulysses_degree", Axis::Ulysses}, {"seq_p_size", Axis::Ulysses},
    {"ring_size", Axis::Ring},       {"cfg_degree", Axis::Cfg},         {"cfg_p_size", Axis::Cfg},
};

constexpr Alias<std::string_view> kSamplers[] = {{"dpm++", "dpmpp_2m"}};

template <class Meaning, std::size_t Count>
std::optional<Meaning> look_up(const Alias<Meaning> (&table)[Count], std::string_view name) {
    for (const Alias<Meaning>& alias : table)
        if (alias.name == name) return alias.meaning;
    return std::nullopt;
}

} // namespace

std::string_view key_of_alias(std::string_view alias) {
    return look_up(kKeys, alias).value_or("");
}

std::optional<Axis> axis_of_alias(std::string_view alias) {
    return look_up(kAxisKeys, alias);
}

std::string_view sampler_of_alias(std::string_view name) {
    return look_up(kSamplers, name).value_or(name);
}

} // namespace reelmesh
