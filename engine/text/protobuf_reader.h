// Walks the fields of one protobuf message without a schema, never beyond its end. Pure; belongs to one
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reelmesh {

enum class WireType { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct ProtobufField {
    std::uint32_t number = 0;
    WireType type = WireType::Varint;
    std::uint64_t integer = 0; ///< Varint, Fixed64, Fixed32
    std::string_view bytes;    ///< Bytes
};

class ProtobufReader {
public:
    /// file is for messages; both must outlive the reader.
    ProtobufReader(std::string_view message, const std::string& file) : rest_(message), file_(file) {}

    /// False at the end. Throws TokenizerSyntax for bad wire types, groups, field number 0, varints of more
    /// than ten bytes and lengths beyond the message.
    bool next(ProtobufField& field);

private:
    std::uint64_t varint();
    std::uint64_t fixed(std::size_t num_bytes);
    std::string_view take(std::uint64_t num_bytes);
    [[noreturn]] void refuse(const char* reason) const;

    std::string_view rest_;
    const std::string& file_;
};

} // namespace reelmesh
