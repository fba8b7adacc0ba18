#include "weights/tensor_io.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "weights/safetensors.h"
#include "weights/safetensors_bytes.h"

namespace reelmesh::testing {
namespace {

TEST(TensorIoTest, WrittenFilesAreExactAndPadded) {
    const ScratchFolder folder;
    const at::Tensor transposed = at::arange(6, at::kFloat).view({2, 3}).t();
    write_tensors(folder / "x.safetensors", {{"z", transposed}, {"scalar", at::scalar_tensor(7, at::kLong)}});
    const std::string bytes = read_file(folder / "x.safetensors");
    std::string header = R"({"z":{"dtype":"F32","shape":[3,2],"data_offsets":[0,24]},)"
                         R"("scalar":{"dtype":"I64","shape":[],"data_offsets":[24,32]}})";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const float values[] = {0, 3, 1, 4, 2, 5};
    const std::int64_t scalar = 7;
    std::string data(sizeof values + sizeof scalar, '\0');
    std::memcpy(data.data(), values, sizeof values);
    std::memcpy(data.data() + sizeof values, &scalar, sizeof scalar);
    EXPECT_EQ(bytes, length_word(header.size()) + header + data);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"x.safetensors"});
}

TEST(TensorIoTest, RoundTripKeepsEveryReadableType) {
    const ScratchFolder folder;
    const at::Tensor values = at::linspace(-1e3, 1e3, 3'000'000, at::kFloat).view({3, 1000, 1000});
    for (const at::ScalarType type : {at::kFloat, at::kDouble, at::kBFloat16, at::kHalf}) {
        write_tensors(folder / "x", {{"latents", values.to(type)}});
        EXPECT_TRUE(
            read_tensor(folder / "x", "latents", {-1, 1000, -1}).equal(values.to(type).to(at::kFloat)));
    }
}

TEST(TensorIoTest, ForeignKeysShapesAndTypesAreNamed) {
    const ScratchFolder folder;
    write_tensors(folder / "x",
                  {{"a", at::zeros({2, 3})}, {"ids", at::zeros({4}, at::kLong)}, {"none", at::zeros({0})}});
    const auto refusal = [&](const char* key, const std::vector<std::int64_t>& shape) {
        const Error error = error_of([&] { read_tensor(folder / "x", key, shape); });
        EXPECT_EQ(error.code, ErrorCode::TensorFileMismatch);
        EXPECT_EQ(error.text("tensor"), key);
        return error.text("found") + " / " + error.text("needed");
    };
    EXPECT_EQ(refusal("b", {1}), "absent / [1]");
    EXPECT_EQ(refusal("a", {2, 4}), "[2, 3] / [2, 4]");
    EXPECT_EQ(refusal("a", {-1}), "[2, 3] / [-1]");
    EXPECT_EQ(refusal("ids", {4}), "I64 / F32, BF16, F16 or F64");
    EXPECT_EQ(refusal("none", {-1}), "[0] / [-1]");
    EXPECT_EQ(error_of([&] { read_tensor(folder / "absent", "a", {}); }).code, ErrorCode::FileMissing);
}

TEST(TensorIoTest, MissingFolderIsNamed) {
    const ScratchFolder folder;
    EXPECT_EQ(error_of([&] {
                  write_tensors(folder / "no/x", {{"a", at::zeros({1})}});
              }).code,
              ErrorCode::FolderMissing);
}

TEST(TensorIoTest, GoldenLatentsReadBack) {
    const std::string file = REELMESH_TEST_DATA "/goldens/cases/t2v-euler/latents.safetensors";
    const SafetensorsFile reader(file);
    const auto& [name, entry] = *reader.tensors().begin();
    const at::Tensor read = read_tensor(file, name, entry.shape);
    const std::string bytes = plain_tensor_bytes(file, name);
    ASSERT_EQ(entry.dtype, "F32");
    EXPECT_EQ(std::memcmp(read.data_ptr(), bytes.data(), bytes.size()), 0);
}

} // namespace
} // namespace reelmesh::testing
