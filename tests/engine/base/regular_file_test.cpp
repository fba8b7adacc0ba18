#include "base/regular_file.h"

#include "support/expect_error.h"
#include "support/scratch_folder.h"

#include <sys/stat.h>

#include <filesystem>

namespace reelmesh::testing {
namespace {

constexpr std::uint64_t kLimit = 100;

class RegularFileTest : public ::testing::Test {
protected:
    ErrorCode verdict(const std::string& name) const {
        return error_of([&] { read_regular_file(folder_ / name, kLimit); }).code;
    }
    void link(const std::string& target, const std::string& name) const {
        std::filesystem::create_symlink(target, folder_ / name);
    }

    const ScratchFolder folder_;
};

TEST_F(RegularFileTest, ReadsFilesAndLinksToFiles) {
    write_file(folder_ / "file", "content");
    link("file", "link");
    EXPECT_EQ(read_regular_file(folder_ / "file", 7), "content");
    EXPECT_EQ(read_regular_file(folder_ / "link", kLimit), "content");
    EXPECT_EQ(error_of([&] { read_regular_file(folder_ / "file", 6); }).code, ErrorCode::LimitExceeded);
}

TEST_F(RegularFileTest, NothingElseIsRead) {
    std::filesystem::create_directory(folder_ / "folder");
    ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
    write_file(folder_ / "empty", "");
    write_file(folder_ / "page", "\n<HTML>");
    write_file(folder_ / "pointer", "version https://git-lfs.github.com/spec/v1\n");
    EXPECT_EQ(verdict("absent"), ErrorCode::FileMissing);
    for (const char* name : {"folder", "fifo", "empty", "page", "pointer"})
        EXPECT_EQ(verdict(name), ErrorCode::NotAModel) << name;
}

TEST_F(RegularFileTest, LinksToAnythingElseAreNamed) {
    std::filesystem::create_directory(folder_ / "folder");
    ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
    link("absent", "dangling");
    link("loop", "loop");
    link("folder", "to_folder");
    link("fifo", "to_fifo");
    link("/dev/zero", "to_device");
    for (const char* name : {"dangling", "loop", "to_folder", "to_fifo", "to_device"})
        EXPECT_EQ(verdict(name), ErrorCode::BadLink) << name;
}

TEST_F(RegularFileTest, AFileThatShrankIsTruncated) {
    write_file(folder_ / "file", "content");
    const RegularFile file(folder_ / "file");
    std::filesystem::resize_file(folder_ / "file", 3);
    char buffer[7];
    const Error error = error_of([&] { file.read_at(0, buffer, sizeof(buffer)); });
    EXPECT_EQ(error.code, ErrorCode::Truncated);
    EXPECT_EQ(error.text("needed_bytes"), "7");
    EXPECT_EQ(error.text("found_bytes"), "3");
}

TEST(CheckFileNameTest, NamesStayInTheirFolder) {
    EXPECT_NO_THROW(check_file_name("index", "model-00001-of-00002.safetensors"));
    EXPECT_NO_THROW(check_file_name("index", std::string(255, 'a')));
    for (const std::string& name :
         {std::string(), std::string("."), std::string(".."), std::string("a..b"), std::string("/a"),
          std::string("a/b"), std::string("a\\b"), std::string("C:a"), std::string("a\nb"),
          std::string("a\0b", 3), std::string(256, 'a')})
        EXPECT_EQ(error_of([&] { check_file_name("index", name); }).code, ErrorCode::UnsafeName) << name;
}

} // namespace
} // namespace reelmesh::testing
