// Frames to files and back, outside of any job, through the engine's border.
#include <gtest/gtest.h>

#include <thread>

#include "support/engine_fixture.h"

namespace reelmesh::testing {
namespace {

class ExportTest : public EngineFixture {
protected:
    static Frame frame(int width, int height, int index) {
        const auto stride = static_cast<std::size_t>(width) * 3;
        const std::shared_ptr<std::byte[]> bytes(new std::byte[stride * static_cast<std::size_t>(height)]);
        for (std::size_t i = 0; i < stride * static_cast<std::size_t>(height); ++i)
            bytes[i] = static_cast<std::byte>((i / 7 + static_cast<std::size_t>(index) * 5) & 255);
        return {width, height, PixelFormat::Rgb8, stride, bytes};
    }
    static ExportRequest request(int frames, const std::string& output, const std::string& format = "mp4",
                                 int width = 32, int height = 16) {
        ExportRequest request;
        for (int i = 0; i < frames; ++i)
            request.frames.push_back(frame(width, height, i));
        request.settings = tiny_request();
        request.settings.output.path = output;
        request.settings.output.format = format;
        return request;
    }
    ExportReport exported(const ExportRequest& request) {
        const auto report = engine_.export_media(request, nullptr).get();
        EXPECT_TRUE(report) << error_message(report.error());
        return report ? *report : ExportReport{};
    }
    MediaClip loaded(const std::string& file) {
        const auto clip = engine_.load_media(file).get();
        EXPECT_TRUE(clip) << error_message(clip.error());
        return clip ? *clip : MediaClip{};
    }
    /// Names of the outermost boxes of an MP4.
    static std::string boxes(const std::string& file) {
        const std::string bytes = file_bytes(file);
        std::string names;
        for (std::size_t at = 0; at + 8 <= bytes.size();) {
            std::size_t size = 0;
            for (std::size_t i = 0; i < 4; ++i)
                size = size << 8 | static_cast<unsigned char>(bytes[at + i]);
            names += bytes.substr(at + 4, 4) + " ";
            if (size < 8) break;
            at += size;
        }
        return names;
    }
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        return names;
    }
};

TEST_F(ExportTest, EveryFrameAtEveryRateTaggedAndReadyToStream) {
    for (const int frames : {1, 5, 81})
        for (const int rate : {8, 16, 24, 25, 30}) {
            SCOPED_TRACE(std::to_string(frames) + " at " + std::to_string(rate));
            ExportRequest asked =
                request(frames, path(std::to_string(frames) + "_" + std::to_string(rate) + ".mp4"));
            asked.fps = FrameRate{rate, 1};
            const ExportReport report = exported(asked);
            EXPECT_EQ(report.frames, frames);
            const auto found = engine_.inspect(report.output, {}, InspectDetail::Summary).get();
            ASSERT_TRUE(found) << error_message(found.error());
            EXPECT_EQ(found->frames, frames) << "by full decode";
            EXPECT_EQ(found->fps, asked.fps);
            EXPECT_EQ(found->color, "bt709/bt709/bt709 limited");
            const std::string found_boxes = boxes(report.output);
            EXPECT_LT(found_boxes.find("moov"), found_boxes.find("mdat")) << found_boxes;
        }
}

TEST_F(ExportTest, SettingsAreInsideUnlessTheyAreNotWanted) {
    ExportRequest asked = request(3, path("a.mp4"));
    asked.settings.seed = std::numeric_limits<std::uint64_t>::max();
    asked.fps = FrameRate{24, 1};
    const Result<JobRequest> job = job_from_json(loaded(exported(asked).output).job_json, "a.mp4");
    ASSERT_TRUE(job) << error_message(job.error());
    EXPECT_EQ(job->prompt, asked.settings.prompt);
    EXPECT_EQ(job->seed, asked.settings.seed);
    EXPECT_EQ(job->fps, asked.fps);
    EXPECT_EQ(job->output.path, "");
    asked.settings.output.path = path("b.mp4");
    asked.settings.output.embed_settings = false;
    const std::string file = exported(asked).output;
    EXPECT_EQ(loaded(file).job_json, "");
    EXPECT_EQ(file_bytes(file).find(asked.settings.prompt), std::string::npos);
}

TEST_F(ExportTest, PicturesComeBackByteForByte) {
    ExportRequest asked = request(4, path("pictures"), "png");
    asked.fps = FrameRate{25, 1};
    const ExportReport report = exported(asked);
    EXPECT_EQ(report.encoder, "png");
    const MediaClip clip = loaded(report.output);
    ASSERT_EQ(clip.frames.size(), 4U);
    EXPECT_EQ(clip.fps, asked.fps) << "of the job in them";
    for (std::size_t i = 0; i < 4; ++i)
        for (int y = 0; y < 16; ++y)
            ASSERT_EQ(std::memcmp(clip.frames[i].row(y), asked.frames[i].row(y), 32 * 3), 0) << i << " " << y;
}

TEST_F(ExportTest, OneFrameIsOnePictureWithItsSettings) {
    const ExportReport report = exported(request(1, path("still.png"), "png"));
    EXPECT_TRUE(std::filesystem::is_regular_file(report.output));
    EXPECT_EQ(report.bytes, std::filesystem::file_size(report.output));
    const MediaClip clip = loaded(report.output);
    ASSERT_EQ(clip.frames.size(), 1U);
    EXPECT_EQ(std::memcmp(clip.frames[0].row(0), frame(32, 16, 0).row(0), 32 * 3 * 16), 0);
    EXPECT_TRUE(job_from_json(clip.job_json, "still"));
}

TEST_F(ExportTest, MovieComesBackNearlyAsItWas) {
    ExportRequest asked = request(5, path("a.mp4"), "mp4", 64, 64);
    // Flat colours: what is compared is the matrix and the range, not the codec.
    for (std::size_t i = 0; i < asked.frames.size(); ++i) {
        const std::shared_ptr<std::byte[]> bytes(new std::byte[64 * 64 * 3]);
        for (std::size_t at = 0; at < 64 * 64 * 3; ++at)
            bytes[at] = static_cast<std::byte>(at % 3 == 0 ? 200 : at % 3 == 1 ? 60 + 20 * i : 40);
        asked.frames[i].bytes = bytes;
    }
    asked.settings.output.crf = 10;
    const MediaClip clip = loaded(exported(asked).output);
    ASSERT_EQ(clip.frames.size(), 5U);
    EXPECT_EQ(clip.reduction, 1);
    for (std::size_t i = 0; i < 5; ++i)
        for (int channel = 0; channel < 3; ++channel)
            EXPECT_NEAR(clip.frames[i].row(32)[32 * 3 + channel], asked.frames[i].row(32)[32 * 3 + channel],
                        4)
                << i << " " << channel;
}

TEST_F(ExportTest, TakenNameIsRefusedOrCountedNeverReplaced) {
    ExportRequest asked = request(2, path("a.mp4"));
    exported(asked);
    const std::string before = file_bytes(path("a.mp4"));
    const auto refused = engine_.export_media(asked, nullptr).get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::OutputExists);
    asked.taken_name = TakenName::Count;
    EXPECT_EQ(exported(asked).output, path("a_2.mp4"));
    EXPECT_EQ(file_bytes(path("a.mp4")), before);
}

TEST_F(ExportTest, FaultsAreTold) {
    const auto fails = [&](const ExportRequest& asked, ErrorCode code) {
        const auto report = engine_.export_media(asked, nullptr).get();
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code, code) << error_message(report.error());
    };
    fails(request(0, path("a.mp4")), ErrorCode::BadField);
    ExportRequest unlike = request(2, path("a.mp4"));
    unlike.frames[1] = frame(16, 16, 1);
    fails(unlike, ErrorCode::BadField);
    fails(request(2, path("gone/a.mp4")), ErrorCode::FolderMissing);
    EXPECT_TRUE(names().empty());
    const auto missing = engine_.load_media(path("gone.mp4")).get();
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::FileMissing);
    std::ofstream(path("text.mp4")) << "no movie at all";
    const auto foreign = engine_.load_media(path("text.mp4")).get();
    ASSERT_FALSE(foreign);
    EXPECT_EQ(foreign.error().code, ErrorCode::NotAModel);
    EXPECT_FALSE(engine_.load_media(folder_.string()).get()) << "a folder without pictures";
}

TEST_F(ExportTest, CancelLeavesNothing) {
    for (const char* format : {"mp4", "png"}) {
        ExportRequest asked = request(1, path(std::string("a.") + format), format);
        asked.frames.assign(20'000, asked.frames.front());
        const auto control = std::make_shared<ExportControl>();
        auto report = engine_.export_media(asked, control);
        while (control->written < 3)
            std::this_thread::yield();
        control->cancel = true;
        const auto result = report.get();
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, ErrorCode::Canceled);
        EXPECT_LT(control->written, 20'000);
        EXPECT_TRUE(names().empty());
    }
}

TEST_F(ExportTest, RunsBesideAJobThatStaysTheSame) {
    const std::string clean = saved_bytes(tiny_request(), &RunOptions::save_latents);
    auto report = engine_.export_media(request(81, path("beside.mp4")), nullptr);
    EXPECT_EQ(saved_bytes(tiny_request(), &RunOptions::save_latents), clean);
    EXPECT_TRUE(report.get());
}

} // namespace
} // namespace reelmesh::testing
