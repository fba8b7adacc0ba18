#include "jobs/output_target.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/check.h"

namespace reelmesh {
namespace {

namespace fs = std::filesystem;

class OutputTargetTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / "reelmesh output target";
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    JobRequest request(const std::string& output) const {
        JobRequest request;
        request.prompt = "../../a \"red\" ball\n";
        request.width = 128;
        request.height = 128;
        request.frames = 17;
        request.seed = 7;
        request.output.path = output;
        return request;
    }

    ErrorCode refusal(const std::string& output) const {
        const auto result = catch_errors([&] { return resolve_output(request(output)); });
        return result ? ErrorCode::None : result.error().code;
    }

    fs::path folder_;
};

TEST_F(OutputTargetTest, FullNameIsTakenAsItIs) {
    const OutputTarget target = resolve_output(request((folder_ / "clip.MP4").string()));
    EXPECT_EQ(target.path, (folder_ / "clip.MP4").string());
    EXPECT_EQ(target.format, "mp4");
    EXPECT_TRUE(target.exact_name);
    EXPECT_EQ(resolve_output(request((folder_ / "clip.png").string())).format, "png");
}

TEST_F(OutputTargetTest, FolderGetsANameFromDateSeedAndPromptInsideIt) {
    const OutputTarget target = resolve_output(request(folder_.string()));
    EXPECT_FALSE(target.exact_name);
    EXPECT_EQ(fs::path(target.path).parent_path(), folder_);
    const std::string name = fs::path(target.path).filename().string();
    EXPECT_NE(name.find("_7_"), std::string::npos) << name;
    EXPECT_NE(name.find("red"), std::string::npos) << name;
    EXPECT_TRUE(name.ends_with(".mp4"));
}

TEST_F(OutputTargetTest, RefusesBeforeWork) {
    std::ofstream(folder_ / "there.mp4") << "x";
    fs::create_symlink(folder_ / "nowhere", folder_ / "link.mp4");
    EXPECT_EQ(refusal((folder_ / "there.mp4").string()), ErrorCode::OutputExists);
    EXPECT_EQ(refusal((folder_ / "link.mp4").string()), ErrorCode::OutputExists);
    EXPECT_EQ(refusal((folder_ / "clip.avi").string()), ErrorCode::BadField);
    EXPECT_EQ(refusal((folder_ / "gone" / "clip.mp4").string()), ErrorCode::FolderMissing);
    EXPECT_EQ(refusal("/sys/clip.mp4"), ErrorCode::NotWritable);
    EXPECT_EQ(refusal((folder_ / (std::string(300, 'x') + ".mp4")).string()), ErrorCode::NameTooLong);
    // Probing leaves nothing behind.
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}), 2);
}

} // namespace
} // namespace reelmesh
