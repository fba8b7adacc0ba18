// libFuzzer target: no bytes given as tokenizer.json may crash the reader, or the tokenizer it makes.
#include "base/check.h"
#include "text/tokenizer_json.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto tokenizer =
            reelmesh::parse_tokenizer_json({reinterpret_cast<const char*>(data), size}, "tokenizer.json");
        tokenizer->tokenize("a  snow\tleopard \uFF21\u0301 \u732B <extra_id_0></s>", 16);
    } catch (const reelmesh::EngineException&) {
    }
    return 0;
}
