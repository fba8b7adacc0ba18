// The configuration of one component, from JSON to checked values. Pure functions: any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

#include "request/model_card.h"

namespace reelmesh {

/// All throw BadConfig, ModelMismatch where values contradict each other, and UnsupportedModel; the file is
/// named.
WanTransformerConfig transformer_config(const nlohmann::json& config, const std::string& file);
WanVaeConfig vae_config(const nlohmann::json& config, const std::string& file);
T5Config text_encoder_config(const nlohmann::json& config, const std::string& file);
SchedulerConfig scheduler_config(const nlohmann::json& config, const std::string& file);

} // namespace reelmesh
