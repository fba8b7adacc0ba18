#include "weights/safetensors.h"

#include "base/check.h"

#include <algorithm>
#include <array>

namespace reelmesh {
namespace {

constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kStartBytes = 512;

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t index = kLengthBytes; index-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[index]);
    return value;
}

} // namespace

std::uint64_t safetensors_header_bytes(std::string_view start, std::uint64_t file_bytes,
                                       const std::string& file) {
    if (start.size() < kLengthBytes)
        fail(ErrorCode::Truncated,
             {{"file", file}, {"needed_bytes", kLengthBytes}, {"found_bytes", file_bytes}});
    const std::uint64_t header_bytes = little_endian(start);
    if (header_bytes > kMaxHeaderBytes) {
        // Text read as a length is always this large, while a true length may look like white space and a
        // bracket.
        refuse_foreign_content(file, start);
        fail(ErrorCode::HeaderTooLong,
             {{"file", file}, {"found_bytes", header_bytes}, {"needed_bytes", kMaxHeaderBytes}});
    }
    const std::uint64_t needed_bytes = kLengthBytes + header_bytes;
    if (needed_bytes > file_bytes)
        fail(ErrorCode::Truncated,
             {{"file", file}, {"needed_bytes", needed_bytes}, {"found_bytes", file_bytes}});
    return header_bytes;
}

SafetensorsFile::SafetensorsFile(const std::string& path) : file_(path) {
    std::array<char, kStartBytes> start{};
    const std::size_t start_bytes = std::min(kStartBytes, file_.size_bytes());
    file_.read_at(0, start.data(), start_bytes);
    const std::uint64_t header_bytes =
        safetensors_header_bytes({start.data(), start_bytes}, file_.size_bytes(), path);
    std::string header(header_bytes, '\0');
    file_.read_at(kLengthBytes, header.data(), header.size());
    data_offset_ = kLengthBytes + header_bytes;
    tensors_ = parse_safetensors_header(header, file_.size_bytes() - data_offset_, path, &metadata_);
}

void SafetensorsFile::read(const TensorEntry& entry, std::uint64_t offset, void* destination,
                           std::size_t num_bytes) const {
    REELMESH_CHECK(offset <= entry.num_bytes() && num_bytes <= entry.num_bytes() - offset);
    file_.read_at(data_offset_ + entry.begin + offset, destination, num_bytes);
}

} // namespace reelmesh
