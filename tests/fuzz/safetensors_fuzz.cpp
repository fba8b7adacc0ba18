// libFuzzer target: no bytes given as a weight file may crash or hang the reader.
#include "base/check.h"
#include "fuzz/parsers.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        reelmesh::testing::read_safetensors({reinterpret_cast<const char*>(data), size});
    } catch (const reelmesh::EngineException&) {
    }
    return 0;
}
