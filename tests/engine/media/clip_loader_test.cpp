#include <gtest/gtest.h>

#include "base/check.h"
#include "clips.h"
#include "media/clip_loader.h"
#include "media/png_picture.h"
#include "support/scratch_folder.h"

namespace reelmesh::testing {
namespace {

TEST(ClipLoaderTest, HalvesTheSidesUntilAllFramesFit) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 64, 32, 9);
    write_clip(spec);
    const std::uint64_t whole = 64 * 32 * 3 * 9;
    EXPECT_EQ(load_clip(spec.target, whole, {}).reduction, 1);
    for (const auto& [bytes, reduction] : {std::pair{whole - 1, 2}, {whole / 4, 2}, {whole / 4 - 1, 4}}) {
        const MediaClip clip = load_clip(spec.target, bytes, {});
        EXPECT_EQ(clip.reduction, reduction);
        ASSERT_EQ(clip.frames.size(), 9U);
        EXPECT_EQ(clip.width, 64);
        std::uint64_t found = 0;
        for (const Frame& frame : clip.frames) {
            EXPECT_EQ(frame.width, 64 / reduction);
            EXPECT_EQ(frame.height, 32 / reduction);
            found += frame.stride * static_cast<std::uint64_t>(frame.height);
        }
        EXPECT_LE(found, bytes);
    }
}

TEST(ClipLoaderTest, StopsBetweenFrames) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 32, 32, 9);
    write_clip(spec);
    int asked = 0;
    try {
        load_clip(spec.target, 1 << 20, [&] { return ++asked == 3; });
        FAIL() << "not stopped";
    } catch (const EngineException& exception) {
        EXPECT_EQ(exception.error().code, ErrorCode::Canceled);
    }
    EXPECT_EQ(asked, 3);
}

TEST(PngPictureTest, TakenNameIsRefusedAndNothingIsLeftBehind) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "still.png", 8, 8, 1);
    { const PngPicture never_written(spec); }
    EXPECT_TRUE(folder.names().empty());
    PngPicture picture(spec);
    EXPECT_EQ(write_all_frames(picture, spec).path, spec.target);
    try {
        const PngPicture second(spec);
        FAIL() << "not refused";
    } catch (const EngineException& exception) {
        EXPECT_EQ(exception.error().code, ErrorCode::OutputExists);
    }
}

} // namespace
} // namespace reelmesh::testing
