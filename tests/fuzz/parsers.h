// The parsers of untrusted files as functions of bytes, for fuzzing and for the replay of the corpus. Each
// throws the verdict.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "request/component_config.h"
#include "request/config_reader.h"
#include "telemetry/trace_file.h"
#include "weights/safetensors.h"
#include "weights/weight_index.h"

namespace reelmesh::testing {

inline void read_safetensors(std::string_view bytes) {
    constexpr std::size_t kLengthBytes = 8, kStartBytes = 512;
    const std::uint64_t header_bytes =
        safetensors_header_bytes(bytes.substr(0, kStartBytes), bytes.size(), "model.safetensors");
    std::map<std::string, std::string> metadata;
    parse_safetensors_header(bytes.substr(kLengthBytes, header_bytes),
                             bytes.size() - kLengthBytes - header_bytes, "model.safetensors", &metadata);
}

inline void read_index(std::string_view bytes) {
    parse_weight_index(bytes, "index.json");
}

/// A component's configuration, recognised by its keys.
inline void read_component_config(std::string_view bytes) {
    const std::string file = "config.json";
    const nlohmann::json config = parse_config(bytes, file);
    if (config.contains("num_attention_heads"))
        transformer_config(config, file);
    else if (config.contains("z_dim"))
        vae_config(config, file);
    else if (config.contains("d_model"))
        text_encoder_config(config, file);
    else
        scheduler_config(config, file);
}

inline Trace read_trace_bytes(std::string_view bytes) {
    const auto read = [bytes](std::uint64_t offset, void* destination, std::size_t size) {
        if (offset > bytes.size() || size > bytes.size() - offset) std::abort();
        std::memcpy(destination, bytes.data() + offset, size);
    };
    return parse_trace(read, bytes.size(), "run.reeltrace");
}

} // namespace reelmesh::testing
