// A tokenizer.json of a dozen pieces, to be varied by tests.
#pragma once

#include <nlohmann/json.hpp>

namespace reelmesh::testing {

inline nlohmann::json small_tokenizer() {
    return nlohmann::json::parse(R"({
        "added_tokens": [
            {"id": 0, "content": "<pad>", "special": true, "normalized": false},
            {"id": 1, "content": "</s>", "special": true, "normalized": false}],
        "normalizer": null,
        "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"Sequence": {"id": "A", "type_id": 0}},
                       {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}},
        "model": {"type": "Unigram", "unk_id": 2, "vocab": [
            ["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["\u2581", -2.0], ["\u2581a", -3.0], ["a", -4.0],
            ["b", -4.0], ["ab", -7.5], ["abc", -9.0], ["c", -4.5]]}})");
}

} // namespace reelmesh::testing
