// Safetensors files made by hand, right or wrong, and a second reader to compare ours with.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include <nlohmann/json.hpp>

#include "support/scratch_folder.h"

namespace reelmesh::testing {

inline std::string length_word(std::uint64_t value) {
    std::string bytes(8, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(value & 0xFF);
        value >>= 8;
    }
    return bytes;
}

inline std::string safetensors_bytes(const std::string& header, std::size_t data_bytes) {
    return length_word(header.size()) + header + std::string(data_bytes, '\1');
}

/// {"a": {"dtype": ..., ...}} of one tensor.
inline std::string one_tensor(const std::string& dtype, const std::string& shape,
                              const std::string& offsets) {
    return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

/// Bytes of one tensor, read the simple way.
inline std::string plain_tensor_bytes(const std::string& file, const std::string& tensor) {
    const std::string bytes = read_file(file);
    std::uint64_t header_bytes = 0;
    std::memcpy(&header_bytes, bytes.data(), sizeof header_bytes);
    const auto header = nlohmann::json::parse(bytes.substr(8, header_bytes));
    const std::size_t begin = header.at(tensor).at("data_offsets").at(0),
                      end = header.at(tensor).at("data_offsets").at(1);
    return bytes.substr(8 + header_bytes + begin, end - begin);
}

} // namespace reelmesh::testing
