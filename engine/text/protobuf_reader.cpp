#include "text/protobuf_reader.h"

#include "base/check.h"

namespace reelmesh {
namespace {

constexpr int kMaxVarintBytes = 10;
constexpr std::uint64_t kMaxTag = 0xFFFFFFFF;

} // namespace

bool ProtobufReader::next(ProtobufField& field) {
    if (rest_.empty()) return false;
    const std::uint64_t tag = varint();
    if (tag > kMaxTag || tag >> 3 == 0) refuse("bad field number");
    field = {};
    field.number = static_cast<std::uint32_t>(tag >> 3);
    field.type = static_cast<WireType>(tag & 7);
    switch (field.type) {
    case WireType::Varint: field.integer = varint(); return true;
    case WireType::Fixed64: field.integer = fixed(8); return true;
    case WireType::Bytes: field.bytes = take(varint()); return true;
    case WireType::Fixed32: field.integer = fixed(4); return true;
    }
    refuse("group or bad wire type");
}

std::uint64_t ProtobufReader::varint() {
    std::uint64_t value = 0;
    for (int i = 0; i < kMaxVarintBytes; ++i) {
        const auto byte = static_cast<unsigned char>(take(1)[0]);
        value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
        if (byte < 0x80) return value;
    }
    refuse("varint of more than ten bytes");
}

std::uint64_t ProtobufReader::fixed(std::size_t num_bytes) {
    std::uint64_t value = 0;
    const std::string_view bytes = take(num_bytes);
    for (std::size_t i = 0; i < num_bytes; ++i)
        value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
}

std::string_view ProtobufReader::take(std::uint64_t num_bytes) {
    if (num_bytes > rest_.size()) refuse("a field ends behind its parent");
    const std::string_view taken = rest_.substr(0, num_bytes);
    rest_.remove_prefix(num_bytes);
    return taken;
}

void ProtobufReader::refuse(const char* reason) const {
    fail(ErrorCode::TokenizerSyntax, {{"file", file_}, {"reason", reason}});
}

} // namespace reelmesh
