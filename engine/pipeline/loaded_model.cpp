#include "pipeline/loaded_model.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "base/check.h"
#include "pipeline/usable_devices.h"

namespace reelmesh {
namespace {

constexpr std::int64_t kWorthwhileWidth = 1024; ///< narrower models are bound by overheads, not by arithmetic

/// One component's files beside what is needed of them.
struct Component {
    const ComponentCard* card;
    std::vector<WeightSpec> specs;
    std::shared_ptr<const ComponentFiles> files;
};

const Family& family_of(const ModelCard& card) {
    return find_family(family_rules(card).family);
}

std::vector<ComponentWeights> needed_weights(const ModelCard& card, at::ScalarType dtype) {
    std::vector<ComponentWeights> needed;
    needed.push_back({"text_encoder", text_encoder_weights(card, dtype)});
    for (ComponentWeights& component : family_of(card).weights(card))
        needed.push_back(std::move(component));
    needed.push_back({"vae", vae_weights(card)});
    return needed;
}

std::vector<Component> open_components(const ModelCard& card, at::ScalarType dtype) {
    std::vector<Component> components;
    for (ComponentWeights& needed : needed_weights(card, dtype)) {
        const ComponentCard& component = card.component(needed.component);
        components.push_back({&component, std::move(needed.specs),
                              ComponentFiles::open(component.folder, component.weights_stem)});
    }
    return components;
}

std::unique_ptr<Tokenizer> open_tokenizer(const ModelCard& card) {
    std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(card.tokenizer_folder);
    if (tokenizer->vocabulary_size() > card.text_encoder.vocab_size)
        fail(ErrorCode::ModelMismatch,
             {{"file", card.tokenizer_folder},
              {"field", std::string("number of token ids")},
              {"found", tokenizer->vocabulary_size()},
              {"needed", "at most " + std::to_string(card.text_encoder.vocab_size)}});
    return tokenizer;
}

at::ScalarType precision_of(const std::string& component, WeightPrecision precision, at::ScalarType dtype) {
    return component == "vae" || precision == WeightPrecision::Float32 ? at::kFloat : dtype;
}

std::uint64_t num_elements(const WeightSpec& spec) {
    std::uint64_t count = 1;
    for (const std::int64_t size : spec.shape)
        count *= static_cast<std::uint64_t>(size);
    return count;
}

/// Size and time of every weight file: a model that was replaced on disk is another model.
std::string files_signature(const ModelCard& card) {
    std::string signature;
    for (const ComponentCard& component : card.components)
        for (const char* suffix : {".safetensors", ".safetensors.index.json"}) {
            struct stat status {};
            if (stat((component.folder + "/" + component.weights_stem + suffix).c_str(), &status) == 0)
                signature += "|" + std::to_string(status.st_size) + "," +
                             std::to_string(status.st_mtim.tv_sec) + "." +
                             std::to_string(status.st_mtim.tv_nsec);
        }
    return signature;
}

/// "blocks.0.attn1.to_q.weight" as "blocks.*.attn1.to_q.weight".
std::string name_pattern(const std::string& name) {
    std::string pattern;
    for (std::size_t at = 0; at < name.size(); ++at) {
        const bool starts =
            std::isdigit(static_cast<unsigned char>(name[at])) && (at == 0 || name[at - 1] == '.');
        if (!starts) {
            pattern += name[at];
            continue;
        }
        pattern += '*';
        while (at + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[at + 1])))
            ++at;
    }
    return pattern;
}

} // namespace

at::ScalarType resolve_dtype(const JobRequest& request, const ModelCard& card,
                             const HardwareSnapshot& hardware) {
    if (request.dtype == "bf16") return at::kBFloat16;
    if (request.dtype == "fp16") return at::kHalf;
    if (request.dtype == "fp32") return at::kFloat;
    const std::vector<int> usable = usable_devices(request, hardware);
    const bool fast = std::all_of(usable.begin(), usable.end(), [&](int index) {
        return hardware.devices[static_cast<std::size_t>(index)].fast_bf16;
    });
    return fast && card.transformer.width() >= kWorthwhileWidth ? at::kBFloat16 : at::kFloat;
}

std::string dtype_name(at::ScalarType dtype) {
    return dtype == at::kBFloat16 ? "bf16" : dtype == at::kHalf ? "fp16" : "fp32";
}

WeightBytes weight_bytes(const ModelCard& card, at::ScalarType dtype) {
    WeightBytes bytes;
    for (const ComponentWeights& component : needed_weights(card, dtype)) {
        const bool is_transformer = component.component.starts_with("transformer");
        for (const WeightSpec& spec : component.specs)
            (is_transformer && spec.name.starts_with("blocks.") ? bytes.blocks : bytes.others) +=
                num_elements(spec) *
                c10::elementSize(precision_of(component.component, spec.precision, dtype));
    }
    return bytes;
}

void describe_weights(const ModelCard& card, at::ScalarType dtype, InspectReport& report) {
    for (const Component& component : open_components(card, dtype)) {
        const WeightCheck check = check_weights(component.specs, *component.files);
        const std::string prefix = component.card->name + ": ";
        for (const std::string& problem : check.problems)
            report.missing.push_back(prefix + problem);
        for (const std::string& name : check.unmatched)
            report.unmatched.push_back(prefix + name);
        for (const std::string& file : component.files->surplus_files())
            report.unmatched.push_back(prefix + "file " + file);
        report.components.push_back({component.card->name, component.card->class_name, check.parameters,
                                     component.files->file_bytes(), component.files->stored_dtype()});
        const std::string usual =
            dtype_name(precision_of(component.card->name, WeightPrecision::Model, dtype));
        report.dtype_map.emplace_back(component.card->name + ".*", usual);
        std::set<std::pair<std::string, std::string>> exceptions;
        for (const WeightSpec& spec : component.specs) {
            const std::string name = dtype_name(precision_of(component.card->name, spec.precision, dtype));
            if (name != usual) exceptions.emplace(component.card->name + "." + name_pattern(spec.name), name);
        }
        report.dtype_map.insert(report.dtype_map.end(), exceptions.begin(), exceptions.end());
    }
    open_tokenizer(card);
}

const DeviceModel& LoadedModel::on(c10::Device device) const {
    const auto found = devices.find(device.str());
    REELMESH_CHECK(found != devices.end());
    return found->second;
}

namespace {

struct DeviceOrder {
    bool operator()(c10::Device a, c10::Device b) const {
        return std::pair(a.type(), a.index()) < std::pair(b.type(), b.index());
    }
};
using DeviceSet = std::set<c10::Device, DeviceOrder>;

DeviceSet distinct(const std::vector<c10::Device>& devices) {
    if (devices.empty()) return {c10::Device(at::kCPU)};
    return {devices.begin(), devices.end()};
}

/// A whole model whose every weight is known to be there.
struct CheckedModel {
    std::vector<Component> components;
    std::unique_ptr<Tokenizer> tokenizer;
};

CheckedModel check_model(const ModelCard& card, at::ScalarType dtype) {
    CheckedModel checked{open_components(card, dtype), open_tokenizer(card)};
    for (const Component& component : checked.components)
        require_weights(component.specs, *component.files);
    return checked;
}

std::shared_ptr<const LoadedModel> load_checked(const ModelCard& card, CheckedModel checked,
                                                at::ScalarType dtype, const LoadSettings& settings) {
    auto model = std::make_shared<LoadedModel>();
    model->card = card;
    model->family = &family_of(card);
    model->dtype = dtype;
    model->tokenizer = std::move(checked.tokenizer);

    double total = 0;
    for (const Component& component : checked.components)
        total += static_cast<double>(component.files->file_bytes());
    double before = 0;
    std::map<c10::Device, std::map<std::string, WeightMap>, DeviceOrder> weights;
    for (const Component& component : checked.components) {
        LoadOptions options;
        options.model_dtype = precision_of(component.card->name, WeightPrecision::Model, dtype);
        options.threads = settings.threads;
        options.should_stop = settings.should_stop;
        options.progress = [&](std::uint64_t done, std::uint64_t) {
            settings.progress(before + static_cast<double>(done), total);
        };
        // The host holds one component at a time, unless ranks compute on it.
        const WeightMap loaded = load_weights(component.specs, *component.files, options);
        for (const c10::Device device : distinct(settings.devices))
            weights[device][component.card->name] = loaded.on(device);
        before += static_cast<double>(component.files->file_bytes());
    }
    for (auto& [device, components] : weights) {
        const auto take = [&](const std::string& name) {
            return std::move(components.extract(name).mapped());
        };
        DeviceModel& on_device = model->devices[device.str()];
        on_device.text_encoder = load_text_encoder(card, take("text_encoder"), dtype);
        on_device.vae = load_vae(card, take("vae"));
        on_device.diffusion = model->family->load(card, std::move(components), dtype);
        // Weights were rearranged on this thread's stream; ranks read them on their own.
        if (!device.is_cpu()) c10::impl::VirtualGuardImpl(device.type()).getStream(device).synchronize();
    }
    return model;
}

} // namespace

std::shared_ptr<const LoadedModel> ModelCache::get(const ModelCard& card, at::ScalarType dtype,
                                                   const LoadSettings& settings) {
    const std::lock_guard lock(mutex_);
    std::string key = card.folder + "|" + dtype_name(dtype) + files_signature(card);
    for (const c10::Device device : distinct(settings.devices))
        key += "|" + device.str();
    if (model_ && key == key_) return model_;
    CheckedModel checked = check_model(card, dtype);
    model_.reset();
    decode_seconds_per_pixel_ = 0;
    model_ = load_checked(card, std::move(checked), dtype, settings);
    key_ = key;
    return model_;
}

} // namespace reelmesh
