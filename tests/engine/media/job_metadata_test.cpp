#include "media/job_metadata.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/regular_file.h"
#include "engine/media/clips.h"
#include "media/movie_check.h"
#include "media/sink_support.h"
#include "support/expect_error.h"
#include "support/faulty_file_system.h"
#include "support/scratch_folder.h"

namespace reelmesh {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> hard_prompts() {
    std::string kilobytes, megabyte;
    while (kilobytes.size() < 64 << 10)
        kilobytes += "snow \u96ea ";
    while (megabyte.size() < 1 << 20)
        megabyte += "wind;=#\\\"\n";
    return {"",
            "a fox in snow",
            R"(quotes " and ' and \ and \\n and \" end)",
            "key=value;#comment\n[section]\r\n\ttab",
            "\U0001F98A\u200D\U0001F3FD emoji \u732b",
            std::string("nul \0 inside\0", 13),
            std::string(1, '\x01') + "\x1f\x7f control",
            kilobytes,
            megabyte};
}

std::string first_file(const WrittenMedia& written) {
    const std::string stem = std::filesystem::path(written.path).filename();
    return std::filesystem::is_directory(written.path) ? written.path + "/" + stem + "_00001.png"
                                                       : written.path;
}

void expect_pixels(const std::string& file, const Frame& frame) {
    const cv::Mat picture = cv::imread(file, cv::IMREAD_UNCHANGED);
    ASSERT_EQ(picture.cols, frame.width);
    ASSERT_EQ(picture.depth(), frame.format == PixelFormat::Rgb16 ? CV_16U : CV_8U);
    const bool wide = frame.format == PixelFormat::Rgb16;
    for (int y = 0; y < frame.height; ++y)
        for (int at = 0; at < frame.width * 3; ++at) {
            const int swapped = at / 3 * 3 + 2 - at % 3;
            const int found =
                wide ? picture.ptr<std::uint16_t>(y)[swapped] : picture.ptr<std::uint8_t>(y)[swapped];
            const int needed =
                wide ? reinterpret_cast<const std::uint16_t*>(frame.row(y))[at] : frame.row(y)[at];
            ASSERT_EQ(found, needed) << at << ", " << y;
        }
}

class MetadataTest : public ::testing::TestWithParam<const char*> {};

TEST_P(MetadataTest, PromptsComeBackEqual) {
    for (const std::string& prompt : hard_prompts()) {
        SCOPED_TRACE(prompt.substr(0, 40));
        const ScratchFolder folder;
        SinkSpec spec = clip_spec(folder / "clip", 16, 16, 2);
        spec.prompt = prompt;
        spec.metadata_json = nlohmann::json{{"prompt", prompt}, {"seed", 7}}.dump();
        const InspectReport report = inspect_media(first_file(write_clip(spec, GetParam())));
        EXPECT_EQ(report.kind, "media");
        ASSERT_TRUE(report.job_json == spec.metadata_json);
        EXPECT_TRUE(nlohmann::json::parse(report.job_json)["prompt"] == prompt);
    }
}

TEST_P(MetadataTest, NothingIsEmbeddedWhereNothingIsWanted) {
    const ScratchFolder folder;
    const InspectReport report =
        inspect_media(first_file(write_clip(clip_spec(folder / "clip", 16, 16, 1), GetParam())));
    EXPECT_EQ(report.job_json, "");
    EXPECT_EQ(report.frames, 1);
}

INSTANTIATE_TEST_SUITE_P(Formats, MetadataTest, ::testing::Values("mp4", "png"),
                         [](const auto& info) { return info.param; });

TEST(CommentTest, HasTwoLines) {
    EXPECT_EQ(comment_text(""), "made with Reelmesh");
    EXPECT_EQ(comment_text("a fox\nin snow"), "a fox in snow\nmade with Reelmesh");
    EXPECT_EQ(comment_text(std::string(1024, 'x')), std::string(1024, 'x') + "\nmade with Reelmesh");
    std::string snow;
    while (snow.size() < 2000)
        snow += "\u96ea";
    EXPECT_EQ(comment_text(snow), snow.substr(0, 1023) + " ... (cut)\nmade with Reelmesh");
}

TEST(CommentTest, IsInTheMovie) {
    const ScratchFolder folder;
    SinkSpec spec = clip_spec(folder / "clip.mp4", 16, 16, 1);
    spec.prompt = "a \"fox\"";
    const RegularFile file(write_clip(spec).path);
    EXPECT_EQ(check_movie(file, 1).metadata.at("comment"), "a \"fox\"\nmade with Reelmesh");
}

TEST(InspectMediaTest, RefusesWhatIsNoMedia) {
    const ScratchFolder folder;
    EXPECT_EQ(error_of([&] { inspect_media(folder / "gone.mp4"); }).code, ErrorCode::FileMissing);
    EXPECT_EQ(error_of([&] { inspect_media(folder.path()); }).code, ErrorCode::NotAModel);
    for (const char* content :
         {"", "<!DOCTYPE html><html>", "just text", "\x89PNG\r\n\x1a\n", "#EXTM3U\nhttp://localhost/x.ts\n",
          "ffconcat version 1.0\nfile /etc/passwd\n"}) {
        write_file(folder / "x.mp4", content);
        EXPECT_EQ(error_of([&] { inspect_media(folder / "x.mp4"); }).code, ErrorCode::NotAModel) << content;
    }
}

constexpr std::int64_t kDamagedFrames = 3;

/// Inspects one damaged file; whether it was refused.
bool refused_or_not_more(const ScratchFolder& folder, const std::string& content) {
    write_file(folder / "damaged", content);
    try {
        EXPECT_LE(inspect_media(folder / "damaged").frames, kDamagedFrames);
        return false;
    } catch (const EngineException& exception) {
        EXPECT_EQ(exit_code(exception.error()), 4) << exception.what();
        return true;
    }
}

class DamagedMediaTest : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        SinkSpec spec = clip_spec(folder_ / "clip", 16, 16, kDamagedFrames);
        spec.metadata_json = R"({"prompt":"x"})";
        whole_ = read_file(first_file(write_clip(spec, GetParam())));
        ASSERT_FALSE(refused_or_not_more(folder_, whole_));
    }

    ScratchFolder folder_;
    std::string whole_;
};

TEST_P(DamagedMediaTest, TruncationsAreRefusedOrLoseFrames) {
    std::size_t refused = 0, cuts = 0;
    for (std::size_t size = 0; size < whole_.size(); size += 1 + size / 64, ++cuts) {
        SCOPED_TRACE("cut at " + std::to_string(size));
        refused += refused_or_not_more(folder_, whole_.substr(0, size)) ? 1 : 0;
    }
    EXPECT_GT(refused, cuts / 2);
}

TEST_P(DamagedMediaTest, DamagedBytesAreSurvived) {
    std::size_t refused = 0;
    for (std::size_t at = 0; at < whole_.size(); at += 3) {
        SCOPED_TRACE("byte " + std::to_string(at));
        std::string damaged = whole_;
        damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
        refused += refused_or_not_more(folder_, damaged) ? 1 : 0;
    }
    EXPECT_GT(refused, 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, DamagedMediaTest, ::testing::Values("mp4", "png"),
                         [](const auto& info) { return info.param; });

TEST(InspectMediaTest, HugeSettingsAreRefused) {
    const ScratchFolder folder;
    SinkSpec spec = clip_spec(folder / "clip.mp4", 16, 16, 1);
    spec.metadata_json = std::string((16 << 20) + 1, ' ');
    const Error error = error_of([&] { inspect_media(write_clip(spec).path); });
    EXPECT_EQ(error.code, ErrorCode::LimitExceeded);
    EXPECT_EQ(error.text("found"), std::to_string((16 << 20) + 1));
}

TEST(ImageSequenceTest, KeepsEveryBit) {
    for (const PixelFormat format : {PixelFormat::Rgb8, PixelFormat::Rgb16}) {
        const ScratchFolder folder;
        SinkSpec spec = clip_spec(folder / "clip.png", 17, 5, 3);
        const auto pixel = [format](int frame, int x, int y, int channel) {
            const int value = frame * 5003 + x * 811 + y * 307 + channel * 101;
            return static_cast<std::uint16_t>(value & (format == PixelFormat::Rgb16 ? 0xffff : 0xff));
        };
        const WrittenMedia written = write_all_frames(*make_frame_sink("png", spec), spec, pixel, format);
        EXPECT_EQ(written.path, folder / "clip");
        EXPECT_EQ(written.encoder, "png");
        EXPECT_THAT(folder.names(), ElementsAre("clip"));
        const InspectReport report = inspect_media(folder / "clip/clip_00003.png");
        EXPECT_EQ(report.width, 17);
        EXPECT_EQ(report.height, 5);
        EXPECT_EQ(report.color, "sRGB full");
        expect_pixels(folder / "clip/clip_00003.png", make_frame(17, 5, format, 2, pixel));
    }
}

TEST(ImageSequenceTest, EveryFaultLeavesNothing) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "clip", 16, 16, 2);
    const int calls = fail_every_call(
        ENOSPC, ErrorCode::DiskFull, [&] { write_clip(spec, "png"); },
        [&] { EXPECT_THAT(folder.names(), IsEmpty()); });
    EXPECT_GT(calls, 10);
}

TEST(ImageSequenceTest, TakenNamesAreNeverReplaced) {
    const ScratchFolder folder;
    SinkSpec spec = clip_spec(folder / "clip", 16, 16, 1);
    write_clip(spec, "png");
    EXPECT_EQ(error_of([&] { make_frame_sink("png", spec); }).code, ErrorCode::OutputExists);
    spec.exact_name = false;
    EXPECT_EQ(write_clip(spec, "png").path, folder / "clip_2");
}

TEST(RegistryTest, UnknownFormatNamesTheKnown) {
    const Error error = error_of([] { make_frame_sink("gif", clip_spec("x", 16, 16, 1)); });
    EXPECT_EQ(error.code, ErrorCode::BadField);
    EXPECT_EQ(error.text("needed"), "mp4, png");
}

} // namespace
} // namespace reelmesh
