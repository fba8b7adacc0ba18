#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/expect_error.h"
#include "weights/component_files.h"
#include "weights/open_trace.h"
#include "weights/safetensors_bytes.h"
#include "weights/weight_index.h"

namespace reelmesh::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string tensor_file(const std::string& name, int size) {
    std::string header =
        one_tensor("U8", "[" + std::to_string(size) + "]", "[0," + std::to_string(size) + "]");
    return safetensors_bytes(header.replace(2, 1, name), static_cast<std::size_t>(size));
}

/// Three shards s1, s2, s3 with tensors a, b, c and their index.
void write_shards(const ScratchFolder& folder) {
    write_file(folder / "m-00001-of-00003.safetensors", tensor_file("a", 3));
    write_file(folder / "m-00002-of-00003.safetensors", tensor_file("b", 4));
    write_file(folder / "m-00003-of-00003.safetensors", tensor_file("c", 5));
    write_file(folder / "m.safetensors.index.json",
               R"({"metadata":{"total_size":12},"weight_map":{"a":"m-00001-of-00003.safetensors",)"
               R"("b":"m-00002-of-00003.safetensors","c":"m-00003-of-00003.safetensors"}})");
}

Error opening_error(const ScratchFolder& folder) {
    return error_of([&] { ComponentFiles::open(folder.path(), "m"); });
}

TEST(ComponentFilesTest, OpensShards) {
    const ScratchFolder folder;
    write_shards(folder);
    const auto files = ComponentFiles::open(folder.path(), "m");
    EXPECT_EQ(files->main_file(), folder / "m.safetensors.index.json");
    EXPECT_EQ(files->tensors().size(), 3u);
    EXPECT_EQ(files->file_of("b").path(), folder / "m-00002-of-00003.safetensors");
    EXPECT_EQ(files->stored_dtype(), "U8");
    EXPECT_FALSE(files->wrong_total_size());
    EXPECT_TRUE(files->surplus_files().empty());
    EXPECT_EQ(files->file_bytes(), 3 * tensor_file("a", 0).size() + 12);
}

TEST(ComponentFilesTest, EveryBadShardIsInOneMessage) {
    const ScratchFolder folder;
    write_shards(folder);
    fs::remove(folder / "m-00001-of-00003.safetensors");
    fs::resize_file(folder / "m-00002-of-00003.safetensors", 60);
    write_file(folder / "m-00003-of-00003.safetensors", tensor_file("c", 5) + "xy");
    const Error error = opening_error(folder);
    EXPECT_EQ(error.code, ErrorCode::BadShards);
    EXPECT_THAT(error.text("problems"), AllOf(HasSubstr("m-00001-of-00003.safetensors is missing"),
                                              HasSubstr("m-00002-of-00003.safetensors has 60 of"),
                                              HasSubstr("m-00003-of-00003.safetensors has 2 surplus")));
}

TEST(ComponentFilesTest, TensorThatItsShardLacksIsRefused) {
    const ScratchFolder folder;
    write_shards(folder);
    write_file(folder / "m-00002-of-00003.safetensors", tensor_file("x", 4));
    const Error error = opening_error(folder);
    EXPECT_EQ(error.code, ErrorCode::BadShards);
    EXPECT_THAT(error.text("problems"), HasSubstr("b is not in m-00002-of-00003.safetensors"));
}

TEST(ComponentFilesTest, NumberedPartsNeedAnIndex) {
    const ScratchFolder folder;
    write_shards(folder);
    fs::remove(folder / "m.safetensors.index.json");
    EXPECT_EQ(opening_error(folder).code, ErrorCode::BadShards);
    write_file(folder / "m.safetensors", tensor_file("z", 1));
    EXPECT_EQ(ComponentFiles::open(folder.path(), "m")->tensors().count("z"), 1u);
}

TEST(ComponentFilesTest, IndexDecidesAndSurplusIsOnlyListed) {
    const ScratchFolder folder;
    write_shards(folder);
    write_file(folder / "m-00009-of-00009.safetensors", "garbage that nobody reads");
    write_file(folder / "m.safetensors", tensor_file("a", 1));
    // a stands in two shards; the index names the first.
    write_file(folder / "m-00003-of-00003.safetensors",
               safetensors_bytes(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                                 R"("c":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
                                 3));
    opened_paths().clear();
    const auto files = ComponentFiles::open(folder.path(), "m");
    EXPECT_THAT(files->surplus_files(), ElementsAre("m-00009-of-00009.safetensors", "m.safetensors"));
    EXPECT_EQ(files->tensors().at("a").num_bytes(), 3u);
    EXPECT_EQ(files->file_of("a").path(), folder / "m-00001-of-00003.safetensors");
    EXPECT_EQ(files->wrong_total_size(), 12u);
    EXPECT_EQ(opened_paths().size(), 4u);
}

TEST(ComponentFilesTest, VariantsAreFoundLast) {
    const ScratchFolder folder;
    write_file(folder / "m.fp16.safetensors", tensor_file("v", 1));
    write_file(folder / "m_other.safetensors", "unrelated");
    EXPECT_EQ(ComponentFiles::open(folder.path(), "m")->main_file(), folder / "m.fp16.safetensors");
    write_file(folder / "m.safetensors.index.fp16.json", R"({"weight_map":{"v":"m.fp16.safetensors"}})");
    EXPECT_EQ(ComponentFiles::open(folder.path(), "m")->main_file(),
              folder / "m.safetensors.index.fp16.json");
    write_file(folder / "m.safetensors", tensor_file("p", 1));
    EXPECT_EQ(ComponentFiles::open(folder.path(), "m")->main_file(), folder / "m.safetensors");
    fs::remove(folder / "m.safetensors");
    fs::remove(folder / "m.fp16.safetensors");
    fs::remove(folder / "m.safetensors.index.fp16.json");
    write_file(folder / "m.fp16-00001-of-00002.safetensors", tensor_file("v", 1));
    EXPECT_EQ(opening_error(folder).code, ErrorCode::BadShards);
}

TEST(ComponentFilesTest, NothingIsFileMissing) {
    const ScratchFolder folder;
    EXPECT_EQ(opening_error(folder).code, ErrorCode::FileMissing);
    EXPECT_EQ(error_of([&] { ComponentFiles::open(folder / "absent", "m"); }).code, ErrorCode::FileMissing);
}

TEST(ComponentFilesTest, CacheFoldersOfLinksLoadAndBadLinksAreNamed) {
    const ScratchFolder blobs, folder;
    write_shards(blobs);
    for (const std::string& name : blobs.names())
        fs::create_symlink(blobs / name, folder / name);
    EXPECT_EQ(ComponentFiles::open(folder.path(), "m")->tensors().size(), 3u);
    fs::remove(blobs / "m-00002-of-00003.safetensors");
    const Error error = opening_error(folder);
    EXPECT_EQ(error.code, ErrorCode::BadLink);
    EXPECT_EQ(error.text("file"), folder / "m-00002-of-00003.safetensors");
}

TEST(ComponentFilesTest, UnsafeNamesOpenNothing) {
    const ScratchFolder folder;
    const std::string index = folder / "m.safetensors.index.json";
    for (const std::string name : {"../../x", "/etc/passwd", "C:\\\\x", "C:x", "\\\\\\\\server\\\\share\\\\x",
                                   "a/../../b", "a/b", "..", "", "a\\u0000b", "a\\u000ab"}) {
        write_file(index, R"({"weight_map":{"a":")" + name + R"("}})");
        opened_paths().clear();
        EXPECT_EQ(opening_error(folder).code, ErrorCode::UnsafeName) << name;
        EXPECT_THAT(opened_paths(), ElementsAre(index)) << name;
    }
    write_file(index, R"({"weight_map":{"a":")" + std::string(300, 'n') + R"("}})");
    EXPECT_EQ(opening_error(folder).code, ErrorCode::UnsafeName);
}

TEST(WeightIndexTest, EveryRowGetsItsVerdict) {
    using enum ErrorCode;
    const std::pair<std::string, ErrorCode> rows[] = {
        {R"({"weight_map":{"a":"f","b":"f"}})", None},
        {R"({"other":[1,{"weight_map":{"x":"../y"}}],"metadata":{"total_size":-1},"weight_map":{"a":"f"}})",
         None},
        {"", IndexSyntax},
        {"[]", IndexSyntax},
        {"{}", IndexSyntax},
        {R"({"weight_map":{}})", IndexSyntax},
        {R"({"weight_map":[]})", IndexSyntax},
        {R"({"weight_map":["../x"]})", IndexSyntax},
        {R"({"weight_map":null})", IndexSyntax},
        {R"({"weight_map":"f"})", IndexSyntax},
        {R"({"weight_map":{"a":1}})", IndexSyntax},
        {R"({"weight_map":{"a":null,"b":"f"}})", IndexSyntax},
        {R"({"weight_map":{"a":["f"]}})", IndexSyntax},
        {R"({"weight_map":{"a":{"b":"f"}}})", IndexSyntax},
        {R"({"weight_map":{"a":"f"})", IndexSyntax},
        {std::string(R"({"weight_map":{"a":"f"}})") + '\0', IndexSyntax},
        {"{\"x\":" + std::string(1'000'000, '['), IndexSyntax},
        {R"({"weight_map":{"a":"f","a":"f"}})", DuplicateName},
        {R"({"weight_map":{"a":"f"},"weight_map":{"a":"f"}})", DuplicateName},
        {R"({"metadata":{},"metadata":{},"weight_map":{"a":"f"}})", DuplicateName},
        {R"({"weight_map":{"a":1,"b":"../x"}})", UnsafeName},
    };
    for (const auto& [text, verdict] : rows) {
        SCOPED_TRACE(text.substr(0, 100));
        const auto parse = [&] { parse_weight_index(text, "i"); };
        if (verdict == None)
            EXPECT_NO_THROW(parse());
        else
            EXPECT_STREQ(error_name(error_of(parse).code), error_name(verdict));
    }
}

} // namespace
} // namespace reelmesh::testing
