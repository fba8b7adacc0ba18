#include "weights/tensor_io.h"

#include "base/check.h"
#include "base/file_ops.h"
#include "weights/convert.h"
#include "weights/dtype.h"
#include "weights/safetensors.h"

#include <ATen/Functions.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace reelmesh {
namespace {

constexpr std::size_t kAlignment = 8;
constexpr std::uint64_t kPieceBytes = 4u << 20;

struct WritableType {
    at::ScalarType type;
    const char* dtype;
};
constexpr WritableType kWritableTypes[] = {
    {at::kFloat, "F32"}, {at::kDouble, "F64"},    {at::kLong, "I64"},
    {at::kInt, "I32"},   {at::kBFloat16, "BF16"}, {at::kHalf, "F16"},
};

const char* stored_name(at::ScalarType type) {
    for (const WritableType& row : kWritableTypes)
        if (row.type == type) return row.dtype;
    fail(ErrorCode::Internal, {{"reason", std::string("no stored type for ") + c10::toString(type)}});
}

bool shape_fits(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& needed) {
    return std::equal(shape.begin(), shape.end(), needed.begin(), needed.end(),
                      [](std::int64_t have, std::int64_t need) { return need == -1 || have == need; });
}

/// The length word and the header, padded so that the data begins at a multiple of eight.
std::string header_text(const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    std::uint64_t begin = 0;
    for (const auto& [name, tensor] : tensors) {
        REELMESH_CHECK(tensor.device().is_cpu() && !header.contains(name));
        const std::uint64_t end = begin + tensor.nbytes();
        header[name] = {{"dtype", stored_name(tensor.scalar_type())},
                        {"shape", tensor.sizes().vec()},
                        {"data_offsets", std::array{begin, end}}};
        begin = end;
    }
    std::string text = header.dump();
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
    std::string length;
    for (std::size_t index = 0; index < kAlignment; ++index)
        length += static_cast<char>(static_cast<std::uint64_t>(text.size()) >> 8 * index & 0xFF);
    return length + text;
}

} // namespace

at::Tensor read_tensor(const std::string& path, const std::string& key,
                       const std::vector<std::int64_t>& shape) {
    const SafetensorsFile file(path);
    const auto refuse = [&](const std::string& found, const std::string& needed) {
        fail(ErrorCode::TensorFileMismatch,
             {{"file", path}, {"tensor", key}, {"found", found}, {"needed", needed}});
    };
    const auto found = file.tensors().find(key);
    if (found == file.tensors().end()) refuse("absent", shape_text(shape));
    const TensorEntry& entry = found->second;
    if (!shape_fits(entry.shape, shape) || entry.num_bytes() == 0)
        refuse(shape_text(entry.shape), shape_text(shape));
    const auto stored_type = readable_type(entry.dtype);
    if (!stored_type) refuse(entry.dtype, "F32, BF16, F16 or F64");

    at::Tensor tensor = at::empty(entry.shape, at::TensorOptions().dtype(at::kFloat));
    float* destination = tensor.mutable_data_ptr<float>();
    std::vector<char> staging(std::min(kPieceBytes, entry.num_bytes()));
    for (std::uint64_t offset = 0; offset < entry.num_bytes(); offset += staging.size()) {
        const std::uint64_t num_bytes = std::min<std::uint64_t>(staging.size(), entry.num_bytes() - offset);
        const std::size_t count = num_bytes / c10::elementSize(*stored_type);
        file.read(entry, offset, staging.data(), num_bytes);
        convert_elements(staging.data(), *stored_type, destination, at::kFloat, count);
        destination += count;
    }
    return tensor;
}

void write_tensors(const std::string& path, const std::vector<std::pair<std::string, at::Tensor>>& tensors) {
    PendingFile file(path, "tensors");
    const std::string header = header_text(tensors);
    file.write(header.data(), header.size());
    for (const auto& [name, tensor] : tensors) {
        const at::Tensor whole = tensor.contiguous();
        file.write(whole.const_data_ptr(), whole.nbytes());
    }
    file.commit_replacing();
}

} // namespace reelmesh
