#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/expect_error.h"
#include "weights/loader.h"
#include "weights/safetensors_bytes.h"
#include "weights/tensor_io.h"

namespace reelmesh::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

const std::string kGoldens = REELMESH_TEST_DATA "/goldens";
const std::string kTransformer = kGoldens + "/models/wan21-t2v/transformer";
constexpr const char* kStem = "diffusion_pytorch_model";

/// Specs that ask for all that the files hold.
std::vector<WeightSpec> specs_of(const ComponentFiles& files) {
    std::vector<WeightSpec> specs;
    for (const auto& [name, entry] : files.tensors())
        specs.push_back({name, entry.shape});
    return specs;
}

at::Tensor plain_float(const std::string& file, const std::string& name, at::IntArrayRef shape) {
    const std::string bytes = plain_tensor_bytes(file, name);
    at::Tensor tensor = at::empty(shape, at::kFloat);
    EXPECT_EQ(tensor.nbytes(), bytes.size());
    std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
    return tensor;
}

WeightMap load(const ComponentFiles& files, at::ScalarType type, int threads = 1) {
    LoadOptions options;
    options.model_dtype = type;
    options.threads = threads;
    return load_weights(specs_of(files), files, options);
}

TEST(LoaderTest, GoldenWeightsArriveBitByBitInEveryPrecision) {
    const auto files = ComponentFiles::open(kTransformer, kStem);
    EXPECT_EQ(files->stored_dtype(), "F32");
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble})
        for (const int threads : {1, 3}) {
            WeightMap weights = load(*files, type, threads);
            EXPECT_EQ(weights.size(), files->tensors().size());
            for (const auto& [name, entry] : files->tensors())
                ASSERT_TRUE(
                    weights.take(name).equal(plain_float(files->main_file(), name, entry.shape).to(type)))
                    << name;
            EXPECT_TRUE(weights.empty());
        }
}

TEST(LoaderTest, ShardedVariantsEqualTheirSource) {
    const auto source = ComponentFiles::open(kTransformer, kStem);
    for (const char* folder : {"transformer-sharded-fp16", "transformer-sharded-mixed"}) {
        const auto files = ComponentFiles::open(kGoldens + "/formats/" + folder, kStem);
        ASSERT_EQ(files->tensors().size(), source->tensors().size());
        EXPECT_TRUE(files->surplus_files().empty());
        WeightMap weights = load(*files, at::kFloat, 2);
        for (const auto& [name, entry] : files->tensors()) {
            const auto stored = entry.dtype == "F16"    ? at::kHalf
                                : entry.dtype == "BF16" ? at::kBFloat16
                                                        : at::kFloat;
            const at::Tensor expected =
                plain_float(source->main_file(), name, entry.shape).to(stored).to(at::kFloat);
            ASSERT_TRUE(weights.take(name).equal(expected)) << folder << " " << name;
        }
    }
    EXPECT_EQ(ComponentFiles::open(kGoldens + "/formats/transformer-sharded-fp16", kStem)->stored_dtype(),
              "F16");
    EXPECT_EQ(ComponentFiles::open(kGoldens + "/formats/transformer-sharded-mixed", kStem)->stored_dtype(),
              "BF16+F32");
}

TEST(LoaderTest, MissingShardIsRefusedBeforeAnyCopy) {
    const ScratchFolder folder;
    std::filesystem::copy(kGoldens + "/formats/transformer-sharded-fp16", folder.path());
    const std::string lost = "diffusion_pytorch_model.fp16-00002-of-00003.safetensors";
    std::filesystem::remove(folder / lost);
    const Error error = error_of([&] { ComponentFiles::open(folder.path(), kStem); });
    EXPECT_EQ(error.code, ErrorCode::BadShards);
    EXPECT_EQ(error.text("problems"), lost + " is missing");
}

/// One file of several types, with values that rounding tells apart.
class SmallWeightsTest : public ::testing::Test {
protected:
    SmallWeightsTest() {
        write_tensors(folder_ / "m.safetensors",
                      {{"double", at::linspace(-3, 3, 7, at::kDouble)},
                       {"float", at::linspace(-3, 3, 7, at::kFloat)},
                       {"bfloat16", at::linspace(-3, 3, 7, at::kFloat).to(at::kBFloat16)},
                       {"half", at::linspace(-3, 3, 7, at::kFloat).to(at::kHalf)},
                       {"long", at::arange(7, at::kLong)},
                       {"tag", at::empty({2, 0}, at::kFloat)}});
        files_ = ComponentFiles::open(folder_.path(), "m");
    }
    ScratchFolder folder_;
    std::shared_ptr<const ComponentFiles> files_;
};

TEST_F(SmallWeightsTest, PrecisionFollowsTheSpecNotTheFile) {
    std::vector<WeightSpec> specs;
    for (const char* name : {"double", "float", "bfloat16", "half"}) {
        specs.push_back({name, {7}});
        specs.push_back({std::string(name) + "32", {7}, WeightPrecision::Float32, name});
    }
    LoadOptions options;
    options.model_dtype = at::kBFloat16;
    WeightMap weights = load_weights(specs, *files_, options);
    for (const char* name : {"double", "float", "bfloat16", "half"}) {
        const at::Tensor exact = read_tensor(folder_ / "m.safetensors", name, {7});
        EXPECT_TRUE(weights.take(std::string(name) + "32").equal(exact)) << name;
        EXPECT_TRUE(weights.take(name).equal(exact.to(at::kBFloat16))) << name;
    }
}

TEST_F(SmallWeightsTest, EveryProblemIsListedWithBothShapes) {
    const std::vector<WeightSpec> specs = {{"float", {7}}, {"absent", {1}}, {"half", {1, 7}},
                                           {"long", {7}},  {"tag", {2, 0}}, {"other", {7}, {}, "double"}};
    const WeightCheck check = check_weights(specs, *files_);
    EXPECT_THAT(check.problems,
                ElementsAre("absent is missing", "half is [7], needed [1, 7]",
                            "long is stored as I64, which this build does not read", "tag is empty"));
    EXPECT_THAT(check.unmatched, ElementsAre("bfloat16"));
    EXPECT_EQ(check.parameters, 14u);
    const Error error = error_of([&] { require_weights(specs, *files_); });
    EXPECT_EQ(error.code, ErrorCode::WeightMismatch);
    EXPECT_EQ(error.text("file"), folder_ / "m.safetensors");
    EXPECT_NO_THROW(require_weights({{"float", {7}}}, *files_));
}

TEST_F(SmallWeightsTest, Fp8WeightsAreNamedAsUnread) {
    write_file(folder_ / "q.safetensors", safetensors_bytes(one_tensor("F8_E4M3", "[3]", "[0,3]"), 3));
    const auto files = ComponentFiles::open(folder_.path(), "q");
    EXPECT_THAT(check_weights({{"a", {3}}}, *files).problems,
                ElementsAre("a is stored as F8_E4M3, which this build does not read"));
}

TEST_F(SmallWeightsTest, FileThatShrinksIsTruncated) {
    std::filesystem::resize_file(folder_ / "m.safetensors",
                                 std::filesystem::file_size(folder_ / "m.safetensors") - 60);
    LoadOptions options;
    options.threads = 3;
    EXPECT_EQ(error_of([&] {
                  load_weights({{"float", {7}}, {"half", {7}}}, *files_, options);
              }).code,
              ErrorCode::Truncated);
}

TEST_F(SmallWeightsTest, WeightsAreTakenOnce) {
    WeightMap weights = load_weights({{"float", {7}}}, *files_, {});
    EXPECT_TRUE(weights.take("float").defined());
    EXPECT_EQ(error_of([&] { weights.take("float"); }).code, ErrorCode::Internal);
}

TEST(LoaderTest, LargeTensorsAreReadInPiecesReportedAndStoppable) {
    const ScratchFolder folder;
    const at::Tensor large = at::arange(3'000'001, at::kFloat);
    write_tensors(folder / "m.safetensors", {{"a", large}, {"b", large.to(at::kDouble)}});
    const auto files = ComponentFiles::open(folder.path(), "m");
    const std::vector<WeightSpec> specs = {{"a", {3'000'001}}, {"b", {3'000'001}}};
    std::atomic<std::uint64_t> most{0}, asked{0};
    LoadOptions options;
    options.threads = 4;
    options.should_stop = [&] { return ++asked == 0; };
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        EXPECT_EQ(total, 3'000'001u * 12);
        std::uint64_t seen = most;
        while (seen < done && !most.compare_exchange_weak(seen, done)) {
        }
    };
    WeightMap weights = load_weights(specs, *files, options);
    EXPECT_TRUE(weights.take("a").equal(large));
    EXPECT_TRUE(weights.take("b").equal(large));
    EXPECT_EQ(most, 3'000'001u * 12);
    EXPECT_EQ(asked, 9u);

    asked = 0;
    options.progress = nullptr;
    options.should_stop = [&] { return ++asked == 3; };
    EXPECT_EQ(error_of([&] { load_weights(specs, *files, options); }).code, ErrorCode::Canceled);
    EXPECT_LE(asked, 6u);
}

} // namespace
} // namespace reelmesh::testing
