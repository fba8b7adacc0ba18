// Every line reaches the file, whole, and the file stays bounded.
#include "base/log.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <thread>

#include "support/scratch_folder.h"

namespace reelmesh {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::read_file;
using testing::ScratchFolder;
using ::testing::SizeIs;

TEST(LogTest, ALineSaysTimeLevelJobAndText) {
    EXPECT_EQ(log_line_text({LogLevel::Info, 1764543242007, 41, "mesh ready"}),
              "2025-11-30T22:54:02.007Z info job 41 mesh ready");
    EXPECT_THAT(log_line_text({LogLevel::Warning, 0, 0, "two\nlines"}), EndsWith("Z warn two lines"));
}

TEST(LogTest, LinesBelowTheLevelAreNotMade) {
    std::vector<std::string> texts;
    Log log(LogLevel::Warning, "", [&](const LogLine& line) { texts.push_back(line.text); });
    log.write(LogLevel::Info, 1, "quiet");
    log.write(LogLevel::Warning, 1, "loud");
    EXPECT_FALSE(log.wants(LogLevel::Debug));
    EXPECT_THAT(texts, ElementsAre("loud"));
}

TEST(LogTest, ThreadsWriteWholeLinesAndLoseNone) {
    const ScratchFolder folder;
    const std::string file = folder / "state/reelmesh.log"; // makes its folder
    {
        Log log(LogLevel::Info, file, [](const LogLine&) {});
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&log, t] {
                for (int i = 0; i < 500; ++i)
                    log.write(LogLevel::Info, static_cast<JobId>(t + 1), std::string(60, 'x'));
            });
        for (std::thread& thread : threads)
            thread.join();
    }
    std::istringstream lines(read_file(file));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        ASSERT_THAT(line, SizeIs(24 + 6 + 5 + 1 + 60)) << line;
    EXPECT_EQ(count, 2000);
    struct stat status {};
    ASSERT_EQ(stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(LogFileTest, AFullFileMakesRoomAndTheOneBeforeItGoes) {
    const ScratchFolder folder;
    LogFile file(folder / "log", 1000);
    for (int i = 0; i < 1000; ++i)
        ASSERT_TRUE(file.append("line " + std::to_string(1000 + i) + "\n"));
    EXPECT_THAT(folder.names(), ElementsAre("log", "log.1"));
    const std::string older = read_file(folder / "log.1"), newer = read_file(folder / "log");
    EXPECT_LE(older.size(), 1000U);
    EXPECT_LE(newer.size(), 1000U);
    // Newest last, nothing missing between the two.
    EXPECT_THAT(newer, EndsWith("line 1999\n"));
    EXPECT_EQ((older + newer).size() % 10, 0U);
    const std::string both = older + newer;
    for (std::size_t at = 10; at < both.size(); at += 10)
        EXPECT_EQ(std::stoi(both.substr(at + 5, 4)), std::stoi(both.substr(at - 5, 4)) + 1);
}

TEST(LogFileTest, AnExistingFileIsContinued) {
    const ScratchFolder folder;
    testing::write_file(folder / "log", "before\n");
    EXPECT_TRUE(LogFile(folder / "log").append("after\n"));
    EXPECT_EQ(read_file(folder / "log"), "before\nafter\n");
}

TEST(LogTest, AFileThatCannotBeWrittenIsToldOnceAndStopsNothing) {
    std::vector<LogLine> lines;
    Log log(LogLevel::Info, "/proc/nothing/reelmesh.log",
            [&](const LogLine& line) { lines.push_back(line); });
    for (int i = 0; i < 3; ++i)
        log.write(LogLevel::Info, 0, "line");
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[1].level, LogLevel::Warning);
    EXPECT_THAT(lines[1].text, HasSubstr("the log file /proc/nothing/reelmesh.log cannot be written: "));
}

} // namespace
} // namespace reelmesh
