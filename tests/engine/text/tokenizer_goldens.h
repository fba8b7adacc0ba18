// The reference's cleaned texts and token ids (tests/data/goldens/components/tokenizer.json).
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <fstream>
#include <string>

namespace reelmesh::testing {

inline const nlohmann::json& tokenizer_goldens() {
    static const nlohmann::json kGoldens = [] {
        std::ifstream stream(REELMESH_TEST_DATA "/goldens/components/tokenizer.json");
        return nlohmann::json::parse(stream);
    }();
    return kGoldens;
}

/// Mis-decoded text, whose repair is left out.
inline bool is_exempt(std::size_t string_index) {
    return (string_index >= 148 && string_index <= 152) || (string_index >= 154 && string_index <= 157);
}

inline std::string tokenizer_folder(const std::string& model) {
    return REELMESH_TEST_DATA "/goldens/models/" + model + "/tokenizer";
}

} // namespace reelmesh::testing
