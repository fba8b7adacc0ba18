// A model ready to run: every part checked before the first byte of weights is copied, then
// loaded. Immutable, shared by ranks and jobs.
#pragma once

#include <ATen/core/ScalarType.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "models/family.h"
#include "request/model_card.h"
#include "text/text_encoder.h"
#include "text/tokenizer.h"
#include "vae/video_vae.h"

namespace reelmesh {

/// The networks with their weights on one device; shared by its ranks.
struct DeviceModel {
    std::unique_ptr<TextEncoder> text_encoder;
    std::shared_ptr<const DiffusionModel> diffusion;
    std::unique_ptr<VideoVae> vae;
};

struct LoadedModel {
    ModelCard card;
    const Family* family = nullptr;
    at::ScalarType dtype = at::kFloat;
    std::unique_ptr<Tokenizer> tokenizer;
    std::map<std::string, DeviceModel> devices; ///< by "cpu", "cuda:0"; at least one

    /// What a rank of that device computes with; Internal error where it was not loaded.
    const DeviceModel& on(c10::Device device) const;
};

/// fp32, bf16, fp16 as they are; auto: bf16 where the device multiplies it fast and the model is wide enough
/// to gain.
at::ScalarType resolve_dtype(const JobRequest& request, const ModelCard& card,
                             const HardwareSnapshot& hardware);
std::string dtype_name(at::ScalarType dtype);

/// Bytes of all weights in memory.
struct WeightBytes {
    std::uint64_t blocks = 0; ///< of the transformer's blocks: what tensor parallelism splits
    std::uint64_t others = 0;
    std::uint64_t total() const { return blocks + others; }
};
WeightBytes weight_bytes(const ModelCard& card, at::ScalarType dtype);

/// Headers, names and shapes of every component, and the tokenizer; nothing is copied. Fills components,
/// missing, unmatched and dtype_map of the report; throws only when a file is no weights file at all.
void describe_weights(const ModelCard& card, at::ScalarType dtype, InspectReport& report);

struct LoadSettings {
    int threads = 1;
    std::vector<c10::Device> devices; ///< of the ranks, any order, repeats allowed; empty: the CPU
    std::function<bool()> should_stop;
    std::function<void(double done_bytes, double total_bytes)> progress;
};

/// Keeps the last model between jobs. Any thread; who asks while another loads waits for it.
class ModelCache {
public:
    /// The cached model if folder, precision, devices and files are the same. Otherwise the new one is
    /// checked first, then the old one released, then the new one loaded: a refused model leaves the old one
    /// in place. Throws WeightMismatch, ModelMismatch (more token ids than embedding rows), the readers'
    /// verdicts, Canceled.
    std::shared_ptr<const LoadedModel> get(const ModelCard& card, at::ScalarType dtype,
                                           const LoadSettings& settings);

    /// Measured on the cached model, per pixel of decoded video; 0: not yet. Forgotten with the model.
    double decode_seconds_per_pixel() const {
        const std::lock_guard lock(mutex_);
        return decode_seconds_per_pixel_;
    }
    void remember_decode_speed(double seconds_per_pixel) {
        const std::lock_guard lock(mutex_);
        decode_seconds_per_pixel_ = seconds_per_pixel;
    }

private:
    mutable std::mutex mutex_; // guards all below
    std::string key_;
    double decode_seconds_per_pixel_ = 0;
    std::shared_ptr<const LoadedModel> model_;
};

} // namespace reelmesh
