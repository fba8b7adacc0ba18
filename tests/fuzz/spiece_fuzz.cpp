// libFuzzer target: no bytes given as spiece.model may crash the check, or the library behind it.
#include "base/check.h"
#include "text/spiece_tokenizer.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const reelmesh::SpieceTokenizer tokenizer({reinterpret_cast<const char*>(data), size},
                                                  "spiece.model");
        tokenizer.tokenize("a  snow leopard \uFF21\u0301 \u732B", 16);
    } catch (const reelmesh::EngineException&) {
    }
    return 0;
}
