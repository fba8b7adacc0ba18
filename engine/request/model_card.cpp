#include "request/model_card.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "base/regular_file.h"
#include "request/component_config.h"
#include "request/config_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace reelmesh {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

enum class Presence { Needed, Optional };

struct ComponentRow {
    const char* name;
    std::vector<std::string> classes;
    const char* weights_stem; ///< "": no weights
    Presence presence = Presence::Needed;
};

/// In loading order.
const std::vector<ComponentRow>& component_rows() {
    static const std::vector<ComponentRow> rows = {
        {"scheduler",
         {"UniPCMultistepScheduler", "FlowMatchEulerDiscreteScheduler", "DPMSolverMultistepScheduler"},
         ""},
        {"tokenizer", {"T5TokenizerFast", "T5Tokenizer"}, ""},
        {"text_encoder", {"UMT5EncoderModel"}, "model"},
        {"transformer", {"WanTransformer3DModel"}, "diffusion_pytorch_model"},
        {"transformer_2", {"WanTransformer3DModel"}, "diffusion_pytorch_model", Presence::Optional},
        {"vae", {"AutoencoderKLWan"}, "diffusion_pytorch_model"},
    };
    return rows;
}

/// The class of ["library", "Class"]; "" where the component is absent or [null, null].
std::string class_of(const json& index, const char* name, const std::string& file) {
    const auto entry = index.find(name);
    if (entry == index.end()) return {};
    const bool is_pair = entry->is_array() && entry->size() == 2;
    if (is_pair && (*entry)[0].is_null() && (*entry)[1].is_null()) return {};
    if (!is_pair || !(*entry)[0].is_string() || !(*entry)[1].is_string())
        ConfigReader(index, file).refuse(name, "a library and a class, or null twice");
    return (*entry)[1].get<std::string>();
}

/// Keys of components name folders; one that leads elsewhere is refused even if nobody would open it.
void check_component_names(const json& index, const std::string& file) {
    for (const auto& [key, value] : index.items())
        if (value.is_array()) check_file_name(file, key);
}

void read_components(ModelCard& card, const json& index, const std::string& file) {
    for (const char* name : {"image_encoder", "image_processor"})
        if (!class_of(index, name, file).empty()) refuse_model(file, "image conditioning", {"WanPipeline"});
    for (const ComponentRow& row : component_rows()) {
        const std::string found = class_of(index, row.name, file);
        if (found.empty() && row.presence == Presence::Optional) continue;
        if (std::find(row.classes.begin(), row.classes.end(), found) == row.classes.end())
            refuse_model(file, found.empty() ? std::string(row.name) + " being absent" : excerpt(found),
                         row.classes);
        card.components.push_back({row.name, found, card.folder + "/" + row.name, row.weights_stem});
    }
}

/// Contradictions between components, each with both numbers.
void cross_check(const ModelCard& card) {
    const auto require_same = [&](const char* component, const char* field, std::int64_t found,
                                  std::int64_t needed) {
        require_equal(card.folder + "/" + component + "/config.json", field, found, needed);
    };
    const WanTransformerConfig& first = card.transformer;
    require_same("transformer", "out_channels", first.out_channels, first.in_channels);
    require_same("vae", "z_dim", card.vae.z_dim, first.in_channels);
    require_same("text_encoder", "d_model", card.text_encoder.d_model, first.text_dim);
    if (!card.transformer_2) return;
    const WanTransformerConfig& second = *card.transformer_2;
    const auto same = [&](const char* field, std::int64_t WanTransformerConfig::*member) {
        require_same("transformer_2", field, second.*member, first.*member);
    };
    same("num_attention_heads", &WanTransformerConfig::num_attention_heads);
    same("attention_head_dim", &WanTransformerConfig::attention_head_dim);
    same("in_channels", &WanTransformerConfig::in_channels);
    same("out_channels", &WanTransformerConfig::out_channels);
    same("text_dim", &WanTransformerConfig::text_dim);
    same("freq_dim", &WanTransformerConfig::freq_dim);
    same("ffn_dim", &WanTransformerConfig::ffn_dim);
    same("num_layers", &WanTransformerConfig::num_layers);
    same("rope_max_seq_len", &WanTransformerConfig::rope_max_seq_len);
    for (std::size_t axis = 0; axis < first.patch_size.size(); ++axis)
        require_same("transformer_2", "patch_size", second.patch_size[axis], first.patch_size[axis]);
    require_same("transformer_2", "cross_attn_norm", second.cross_attn_norm, first.cross_attn_norm);
    if (!(second == first))
        fail(ErrorCode::ModelMismatch, {{"file", card.folder + "/transformer_2/config.json"},
                                        {"field", "eps"},
                                        {"found", second.eps},
                                        {"needed", first.eps}});
}

std::string absolute_folder(const std::string& folder) {
    std::error_code error;
    const fs::path path = fs::absolute(folder, error).lexically_normal();
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) fail(ErrorCode::FileMissing, {{"file", folder}});
    if (status.type() != fs::file_type::directory && status.type() != fs::file_type::none)
        fail(ErrorCode::NotAModel,
             {{"file", folder}, {"found", "a file"}, {"needed", "choose the model's folder"}});
    const std::string text = path.string();
    return text.size() > 1 && text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

} // namespace

const ComponentCard& ModelCard::component(const std::string& name) const {
    const auto found = std::find_if(components.begin(), components.end(),
                                    [&](const ComponentCard& component) { return component.name == name; });
    if (found == components.end()) fail(ErrorCode::Internal, {{"reason", "no component " + name}});
    return *found;
}

ModelCard read_model_card(const std::string& folder) {
    ModelCard card;
    card.folder = absolute_folder(folder);
    const std::string index_file = card.folder + "/model_index.json";
    const json index = read_config(index_file);
    const ConfigReader reader(index, index_file);
    check_component_names(index, index_file);
    card.pipeline = reader.text("_class_name", "");
    if (card.pipeline == "WanImageToVideoPipeline")
        refuse_model(index_file, "image conditioning", {"WanPipeline"});
    if (card.pipeline != "WanPipeline")
        refuse_model(index_file, card.pipeline.empty() ? "no _class_name" : excerpt(card.pipeline),
                     {"WanPipeline"});
    read_components(card, index, index_file);
    card.boundary_ratio = reader.optional_number("boundary_ratio", {0.0, 1.0});
    card.expand_timesteps = reader.boolean("expand_timesteps", false);

    const auto read_part = [&](const char* component, auto&& checked, const char* name = "config.json") {
        const std::string file = card.component(component).folder + "/" + name;
        return checked(read_config(file), file);
    };
    card.scheduler = read_part("scheduler", scheduler_config, "scheduler_config.json");
    card.text_encoder = read_part("text_encoder", text_encoder_config);
    card.transformer = read_part("transformer", transformer_config);
    const auto is_second = [](const ComponentCard& component) { return component.name == "transformer_2"; };
    if (std::any_of(card.components.begin(), card.components.end(), is_second))
        card.transformer_2 = read_part("transformer_2", transformer_config);
    card.vae = read_part("vae", vae_config);
    card.tokenizer_folder = card.component("tokenizer").folder;
    cross_check(card);
    std::erase_if(card.components,
                  [](const ComponentCard& component) { return component.weights_stem.empty(); });
    return card;
}

} // namespace reelmesh
