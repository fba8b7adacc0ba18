#include "base/file_ops.h"

#include <gmock/gmock.h>

#include <set>
#include <thread>

#include "base/pending_folder.h"
#include "support/expect_error.h"
#include "support/faulty_file_system.h"
#include "support/scratch_folder.h"

namespace reelmesh {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using testing::fail_every_call;
using testing::FaultyFileSystem;
using ::testing::IsEmpty;
using testing::read_file;
using testing::ScratchFolder;
using testing::write_file;

void write_new(const std::string& target, const std::string& content) {
    PendingFile file(target, "test");
    file.write(content.data(), content.size());
    file.commit_new();
}

void write_replacing(const std::string& target, const std::string& content) {
    PendingFile file(target, "test");
    file.write(content.data(), content.size());
    file.commit_replacing();
}

TEST(PendingFileTest, TargetAppearsOnlyWhenCommitted) {
    const ScratchFolder folder;
    PendingFile file(folder / "clip.mp4", "j1");
    file.write("abc", 3);
    EXPECT_THAT(folder.names(), ElementsAre(".reelmesh-j1-1.part"));
    file.seek(1);
    file.write("X", 1);
    file.finish();
    EXPECT_EQ(read_file(file.temporary_path()), "aXc");
    file.commit_new();
    EXPECT_THAT(folder.names(), ElementsAre("clip.mp4"));
    EXPECT_EQ(read_file(folder / "clip.mp4"), "aXc");
}

TEST(PendingFileTest, AbandonedFileIsRemoved) {
    const ScratchFolder folder;
    { PendingFile(folder / "clip.mp4", "j1").write("abc", 3); }
    EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(PendingFileTest, CommitNewNeverReplaces) {
    const ScratchFolder folder;
    write_file(folder / "clip.mp4", "old");
    const Error error = error_of([&] { write_new(folder / "clip.mp4", "new"); });
    EXPECT_EQ(error.code, ErrorCode::OutputExists);
    EXPECT_EQ(error.text("file"), folder / "clip.mp4");
    EXPECT_EQ(read_file(folder / "clip.mp4"), "old");
    EXPECT_THAT(folder.names(), ElementsAre("clip.mp4"));
}

TEST(PendingFileTest, EveryFaultOfNewFileLeavesNothing) {
    for (const auto& [error_number, code] : {std::pair{ENOSPC, ErrorCode::DiskFull},
                                             {EIO, ErrorCode::WriteFailed},
                                             {EDQUOT, ErrorCode::QuotaExceeded},
                                             {EROFS, ErrorCode::NotWritable}}) {
        const ScratchFolder folder;
        const int calls = fail_every_call(
            error_number, code, [&] { write_new(folder / "a", "new"); },
            [&] { EXPECT_THAT(folder.names(), IsEmpty()); });
        EXPECT_EQ(calls, 8) << "open, write, fsync, close, rename; open, fsync, close of the folder";
        EXPECT_EQ(read_file(folder / "a"), "new");
    }
}

TEST(PendingFileTest, EveryFaultOfReplacingLeavesOldOrNew) {
    const ScratchFolder folder;
    std::set<std::string> seen;
    write_file(folder / "a", "old");
    const int calls = fail_every_call(
        EIO, ErrorCode::WriteFailed, [&] { write_replacing(folder / "a", "new"); },
        [&] {
            EXPECT_THAT(folder.names(), ElementsAre("a"));
            seen.insert(read_file(folder / "a"));
            write_file(folder / "a", "old");
        });
    EXPECT_EQ(calls, 8);
    EXPECT_THAT(seen, ElementsAre("new", "old"));
}

TEST(PendingFileTest, ErrorsTellWhatIsWrong) {
    const ScratchFolder folder;
    EXPECT_EQ(error_of([&] { write_new(folder / "gone/a", "x"); }).code, ErrorCode::FolderMissing);
    const Error long_name = error_of([&] { write_new(folder / std::string(300, 'n'), "x"); });
    EXPECT_EQ(long_name.code, ErrorCode::NameTooLong);
    EXPECT_EQ(long_name.text("found"), "300");
    EXPECT_EQ(long_name.text("needed"), "255");
    EXPECT_THAT(folder.names(), IsEmpty());
    FaultyFileSystem faulty(2, ENOSPC);
    const Error full = error_of([&] { write_new(folder / "a", "12345"); });
    EXPECT_EQ(full.code, ErrorCode::DiskFull);
    EXPECT_EQ(full.text("needed_bytes"), "5");
    EXPECT_NE(full.text("free_bytes"), "");
}

/// Writes at most one byte a call and is interrupted before each.
class SlowFileSystem : public FileSystem {
public:
    ssize_t write(int descriptor, const void* data, std::size_t) override {
        errno = EINTR;
        return (interrupted_ = !interrupted_) ? -1 : FileSystem::write(descriptor, data, 1);
    }

private:
    bool interrupted_ = false;
};

TEST(PendingFileTest, ShortAndInterruptedWritesAreContinued) {
    const ScratchFolder folder;
    SlowFileSystem slow;
    set_file_system(&slow);
    write_new(folder / "a", "every byte");
    set_file_system(nullptr);
    EXPECT_EQ(read_file(folder / "a"), "every byte");
}

/// A file system without exclusive rename, and one without links either.
class PoorFileSystem : public FileSystem {
public:
    explicit PoorFileSystem(int link_error) : link_error_(link_error) {}
    int rename_no_replace(const char*, const char*) override { return refuse(EINVAL); }
    int link(const char* from, const char* to) override {
        return link_error_ ? refuse(link_error_) : FileSystem::link(from, to);
    }

private:
    static int refuse(int error_number) {
        errno = error_number;
        return -1;
    }
    int link_error_;
};

void write_from_two_threads() {
    constexpr int kFilesEach = 100;
    const ScratchFolder folder;
    std::vector<std::string> names[2];
    std::thread threads[2];
    for (int thread = 0; thread < 2; ++thread)
        threads[thread] = std::thread([&, thread] {
            for (int index = 0; index < kFilesEach; ++index) {
                PendingFile file(folder / "clip.mp4", "t");
                const std::string content = std::to_string(thread) + ":" + std::to_string(index);
                file.write(content.data(), content.size());
                names[thread].push_back(file.commit_to_free_name());
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    std::vector<std::string> expected = {"clip.mp4"};
    for (int number = 2; number <= 2 * kFilesEach; ++number)
        expected.push_back("clip_" + std::to_string(number) + ".mp4");
    EXPECT_THAT(folder.names(), ::testing::UnorderedElementsAreArray(expected));
    for (int thread = 0; thread < 2; ++thread)
        for (int index = 0; index < kFilesEach; ++index)
            EXPECT_EQ(read_file(names[thread][static_cast<std::size_t>(index)]),
                      std::to_string(thread) + ":" + std::to_string(index));
}

TEST(FreeNameTest, TwoThreadsGetDistinctNames) {
    write_from_two_threads();
}

TEST(FreeNameTest, TwoThreadsGetDistinctNamesByLinks) {
    PoorFileSystem poor(0);
    set_file_system(&poor);
    write_from_two_threads();
    set_file_system(nullptr);
}

TEST(FreeNameTest, TwoThreadsGetDistinctNamesByLock) {
    PoorFileSystem poor(EPERM);
    set_file_system(&poor);
    write_from_two_threads();
    set_file_system(nullptr);
}

TEST(PendingFolderTest, EveryFaultLeavesNothing) {
    const ScratchFolder folder;
    std::string path;
    const auto write_set = [&] {
        PendingFolder set(folder / "set", "png");
        set.add_file("1", "one", 3);
        set.add_file("2", "two", 3);
        path = set.commit_to_free_name();
    };
    const int calls = fail_every_call(ENOSPC, ErrorCode::DiskFull, write_set,
                                      [&] { EXPECT_THAT(folder.names(), IsEmpty()); });
    EXPECT_EQ(calls, 1 + 2 * 4 + 3 + 1 + 3);
    EXPECT_EQ(path, folder / "set");
    EXPECT_EQ(read_file(folder / "set/2"), "two");
    write_set();
    EXPECT_EQ(path, folder / "set_2");
}

TEST(ProbeFolderTest, TellsWhatIsMissingAndLeavesNothing) {
    const ScratchFolder folder;
    probe_folder(folder.path(), 1);
    EXPECT_EQ(error_of([&] { probe_folder(folder / "gone", 1); }).code, ErrorCode::FolderMissing);
    const Error full = error_of([&] { probe_folder(folder.path(), std::uint64_t{1} << 60); });
    EXPECT_EQ(full.code, ErrorCode::DiskFull);
    EXPECT_EQ(full.text("needed_bytes"), std::to_string(std::uint64_t{1} << 60));
    EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(SafeFileNameTest, MakesAnyTextLegal) {
    const std::pair<std::string, std::string> cases[] = {
        {"a red fox", "a red fox"},
        {"../../x", "_.._x"},
        {"/etc/passwd", "_etc_passwd"},
        {"C:\\a/b", "C__a_b"},
        {"CON", "_CON"},
        {"con.mp4", "_con.mp4"},
        {"lpt1.tar.gz", "_lpt1.tar.gz"},
        {"COM", "COM"},
        {"console", "console"},
        {"a \"quote\"\nand *?", "a _quote__and __"},
        {".hidden", "hidden"},
        {" . .x", "x"},
        {"trailing . ", "trailing"},
        {"", "clip"},
        {"...", "clip"},
        {std::string("a\0b", 3), "a_b"},
        {"bad \xff\xc3 utf8", "bad __ utf8"},
        {"\u732b\u3068\U0001F98A", "\u732b\u3068\U0001F98A"},
        {"line\u2028end", "line_end"},
    };
    for (const auto& [text, name] : cases)
        EXPECT_EQ(safe_file_name(text), name) << text;
}

TEST(SafeFileNameTest, CutsAtACharacter) {
    std::string chinese;
    for (int index = 0; index < 300; ++index)
        chinese += "\u96ea";
    const std::string name = safe_file_name(chinese);
    EXPECT_EQ(name.size(), 198u);
    EXPECT_EQ(name, chinese.substr(0, 198));
    EXPECT_EQ(safe_file_name(std::string(300, 'a'), 40).size(), 39u);
    EXPECT_EQ(safe_file_name("CON" + std::string(10, ' '), 5), "_CON");
}

} // namespace
} // namespace reelmesh
