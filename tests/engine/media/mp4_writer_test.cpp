#include "media/mp4_writer.h"

#include <gmock/gmock.h>
#include <sys/mount.h>

#include <array>
#include <cmath>
#include <thread>

#include "engine/media/clips.h"
#include "media/encoder_probe.h"
#include "media/job_metadata.h"
#include "support/expect_error.h"
#include "support/faulty_file_system.h"
#include "support/scratch_folder.h"

namespace reelmesh {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Box {
    std::string type;
    std::size_t begin = 0, size = 0; ///< of the content
};

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t index = 0; index < 4; ++index)
        value = value << 8 | static_cast<unsigned char>(bytes.at(at + index));
    return value;
}

std::vector<Box> boxes(const std::string& file, std::size_t begin, std::size_t end) {
    std::vector<Box> found;
    while (begin + 8 <= end) {
        const std::uint32_t size = number_at(file, begin);
        if (size < 8 || size > end - begin) throw std::runtime_error("a box leaves its parent");
        found.push_back({file.substr(begin + 4, 4), begin + 8, size - 8});
        begin += size;
    }
    return found;
}

std::vector<std::string> box_types(const std::string& file) {
    std::vector<std::string> types;
    for (const Box& box : boxes(file, 0, file.size()))
        if (box.type != "free") types.push_back(box.type);
    return types;
}

/// Content of the first box down a path of types.
std::string box_content(const std::string& file, const std::vector<std::string>& path) {
    std::size_t begin = 0, end = file.size();
    for (const std::string& type : path) {
        for (const Box& box : boxes(file, begin, end))
            if (box.type == type) {
                begin = box.begin;
                end = box.begin + box.size;
                break;
            }
        if (file.substr(begin - 4, 4) != type) throw std::runtime_error("no box " + type);
        if (type == "stsd") begin += 8;
        if (type == "avc1") begin += 78;
    }
    return file.substr(begin, end - begin);
}

/// One plane value range of the first frame, through libav.
struct Picture {
    AVPixelFormat format;
    int width, height;
    std::array<std::vector<std::uint8_t>, 3> planes;
    std::array<int, 3> strides;
    AVRational average_rate, base_rate;
    std::int64_t duration_ticks;
    AVRational time_base;
    unsigned streams;
};

Picture first_picture(const std::string& path) {
    Picture picture{};
    AVFormatContext* container = nullptr;
    if (avformat_open_input(&container, path.c_str(), nullptr, nullptr) < 0) throw std::runtime_error("open");
    avformat_find_stream_info(container, nullptr);
    const AVStream& stream = *container->streams[0];
    picture.streams = container->nb_streams;
    picture.average_rate = stream.avg_frame_rate;
    picture.base_rate = stream.r_frame_rate;
    picture.duration_ticks = stream.duration;
    picture.time_base = stream.time_base;
    const AVCodec* decoder = avcodec_find_decoder(stream.codecpar->codec_id);
    auto codec = owned(avcodec_alloc_context3(decoder));
    codec->thread_count = 1;
    avcodec_parameters_to_context(codec.get(), stream.codecpar);
    avcodec_open2(codec.get(), decoder, nullptr);
    auto packet = owned(av_packet_alloc());
    auto frame = owned(av_frame_alloc());
    while (avcodec_receive_frame(codec.get(), frame.get()) < 0) {
        const bool more = av_read_frame(container, packet.get()) >= 0;
        avcodec_send_packet(codec.get(), more ? packet.get() : nullptr);
        av_packet_unref(packet.get());
    }
    picture.format = static_cast<AVPixelFormat>(frame->format);
    picture.width = frame->width;
    picture.height = frame->height;
    for (std::size_t plane = 0; plane < 3; ++plane) {
        const int rows =
            plane > 0 && picture.format == AV_PIX_FMT_YUV420P ? frame->height / 2 : frame->height;
        picture.strides[plane] = frame->linesize[plane];
        picture.planes[plane].assign(frame->data[plane], frame->data[plane] + rows * frame->linesize[plane]);
    }
    avformat_close_input(&container);
    return picture;
}

/// BT.709 limited range to full-range RGB, from the standard's own numbers.
std::array<double, 3> rgb_at(const Picture& picture, int x, int y) {
    const int shift = picture.format == AV_PIX_FMT_YUV420P ? 1 : 0;
    const auto sample = [&](std::size_t plane, int column, int row) {
        return static_cast<double>(
            picture.planes[plane][static_cast<std::size_t>(row * picture.strides[plane] + column)]);
    };
    const double luma = (sample(0, x, y) - 16) / 219;
    const double blue = (sample(1, x >> shift, y >> shift) - 128) / 224;
    const double red = (sample(2, x >> shift, y >> shift) - 128) / 224;
    constexpr double kRed = 0.2126, kBlue = 0.0722, kGreen = 1 - kRed - kBlue;
    const double r = luma + 2 * (1 - kRed) * red, b = luma + 2 * (1 - kBlue) * blue;
    const double g = (luma - kRed * r - kBlue * b) / kGreen;
    return {255 * r, 255 * g, 255 * b};
}

TEST(Mp4WriterTest, EveryFrameIsThereAtTheExactRate) {
    const ScratchFolder folder;
    const FrameRate rates[] = {{8, 1},  {12, 1}, {16, 1},       {24, 1},       {25, 1},
                               {30, 1}, {1, 1},  {24000, 1001}, {30000, 1001}, {25, 2}};
    int number = 0;
    for (const FrameRate& rate : rates)
        for (const std::int64_t frames : {1, 2, 3, 5, 9, 81}) {
            SCOPED_TRACE(std::to_string(frames) + " frames at " + std::to_string(rate.value()));
            SinkSpec spec = clip_spec(folder / (std::to_string(++number) + ".mp4"), 16, 16, frames);
            spec.fps = rate;
            const InspectReport report = inspect_media(write_clip(spec).path);
            EXPECT_EQ(report.frames, frames);
            EXPECT_EQ(report.fps, rate);
            const Picture picture = first_picture(spec.target);
            EXPECT_EQ(av_cmp_q(picture.base_rate, {int(rate.numerator), int(rate.denominator)}), 0)
                << picture.base_rate.num << "/" << picture.base_rate.den;
            const AVRational duration = av_mul_q({int(picture.duration_ticks), 1}, picture.time_base);
            EXPECT_EQ(av_cmp_q(duration, {int(frames * rate.denominator), int(rate.numerator)}), 0);
            const std::string movie_header = box_content(read_file(spec.target), {"moov", "mvhd"});
            EXPECT_EQ(std::int64_t{number_at(movie_header, 16)} * rate.numerator,
                      frames * rate.denominator * number_at(movie_header, 12));
        }
}

TEST(Mp4WriterTest, BoxesAreInOrderAndColourIsTagged) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 32, 32, 5);
    const WrittenMedia written = write_clip(spec);
    EXPECT_EQ(written.path, spec.target);
    EXPECT_EQ(written.encoder, "libx264");
    EXPECT_THAT(written.notices, IsEmpty());
    const std::string file = read_file(spec.target);
    EXPECT_EQ(written.bytes, file.size());
    EXPECT_THAT(box_types(file), ElementsAre("ftyp", "moov", "mdat"));
    const std::string colr =
        box_content(file, {"moov", "trak", "mdia", "minf", "stbl", "stsd", "avc1", "colr"});
    EXPECT_EQ(colr, std::string("nclx\0\1\0\1\0\1\0", 11)) << "bt709 three times, limited range";
    EXPECT_EQ(inspect_media(spec.target).color, "bt709/bt709/bt709 limited");
    EXPECT_EQ(first_picture(spec.target).streams, 1u);
    EXPECT_THAT(folder.names(), ElementsAre("clip.mp4"));
}

constexpr std::array<std::array<int, 3>, 8> kPatches = {{{0, 0, 0},
                                                         {255, 255, 255},
                                                         {235, 16, 16},
                                                         {16, 235, 16},
                                                         {16, 16, 235},
                                                         {235, 235, 16},
                                                         {128, 128, 128},
                                                         {200, 120, 80}}};

void expect_patches(int width, int height, PixelFormat format, AVPixelFormat coded) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    const ScratchFolder folder;
    SinkSpec spec = clip_spec(folder / "clip.mp4", width, height, 3);
    const int patch_width = width / 4, patch_height = height / 2;
    const auto patch_at = [&](int x, int y) {
        return static_cast<std::size_t>(std::min(x / patch_width, 3) + 4 * std::min(y / patch_height, 1));
    };
    const int scale = format == PixelFormat::Rgb16 ? 257 : 1;
    const auto sink = make_frame_sink("mp4", spec);
    write_all_frames(
        *sink, spec,
        [&](int, int x, int y, int channel) {
            return static_cast<std::uint16_t>(kPatches[patch_at(x, y)][static_cast<std::size_t>(channel)] *
                                              scale);
        },
        format);
    const Picture picture = first_picture(spec.target);
    EXPECT_EQ(picture.format, coded);
    EXPECT_EQ(picture.width, width);
    EXPECT_EQ(picture.height, height);
    double worst = 0;
    for (std::size_t patch = 0; patch < 8; ++patch) {
        const int x = int(patch % 4) * patch_width + patch_width / 2;
        const int y = int(patch / 4) * patch_height + patch_height / 2;
        const std::array<double, 3> rgb = rgb_at(picture, x, y);
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const double error = std::abs(rgb[channel] - kPatches[patch][channel]);
            worst = std::max(worst, error);
            EXPECT_LE(error, 2.0) << "patch " << patch << " channel " << channel;
        }
    }
    ::testing::Test::RecordProperty("worst_lsb_" + std::to_string(width) + "_" + std::to_string(scale),
                                    std::to_string(worst));
}

TEST(Mp4WriterTest, PatchesKeepTheirColour) {
    expect_patches(128, 64, PixelFormat::Rgb8, AV_PIX_FMT_YUV420P);
    expect_patches(128, 64, PixelFormat::Rgb16, AV_PIX_FMT_YUV420P);
    expect_patches(127, 63, PixelFormat::Rgb8, AV_PIX_FMT_YUV444P);
}

TEST(Mp4WriterTest, OddSidesAreKeptAsFullChroma) {
    for (const auto& [width, height] : {std::pair{853, 480}, {854, 481}, {1, 1}, {17, 16}}) {
        SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
        const ScratchFolder folder;
        const WrittenMedia written = write_clip(clip_spec(folder / "clip.mp4", width, height, 2));
        EXPECT_THAT(written.notices, ElementsAre(HasSubstr("4:4:4")));
        const InspectReport report = inspect_media(written.path);
        EXPECT_EQ(report.frames, 2);
        EXPECT_EQ(report.width, width);
        EXPECT_EQ(report.height, height);
        EXPECT_EQ(report.color, "bt709/bt709/bt709 limited");
    }
}

TEST(Mp4WriterTest, SameFramesGiveSameBytesWhateverTheThreads) {
    const ScratchFolder folder;
    std::string first;
    for (const int threads : {1, 2, 8, 1}) {
        SinkSpec spec = clip_spec(folder / "clip.mp4", 128, 96, 33);
        spec.exact_name = false;
        spec.threads = threads;
        spec.metadata_json = R"({"prompt":"a fox"})";
        spec.prompt = "a fox";
        const std::string bytes = read_file(write_clip(spec).path);
        if (first.empty()) first = bytes;
        EXPECT_TRUE(bytes == first) << threads << " threads";
    }
    EXPECT_THAT(first, ::testing::Not(HasSubstr(folder.path())));
}

TEST(Mp4WriterTest, EveryFaultIsToldAndLeavesNothing) {
    const ScratchFolder folder;
    SinkSpec spec = clip_spec(folder / "clip.mp4", 64, 64, 5);
    spec.crf = 0;
    ASSERT_TRUE(probe_encoders()[0].opened);
    const auto noise = [](int frame, int x, int y, int channel) {
        return static_cast<std::uint16_t>(
            (frame * 7919 + x * 104729 + y * 1299709 + channel * 15485863) >> 3 & 255);
    };
    const int calls = fail_every_call(
        ENOSPC, ErrorCode::DiskFull, [&] { write_all_frames(*make_frame_sink("mp4", spec), spec, noise); },
        [&] { EXPECT_THAT(folder.names(), IsEmpty()); });
    EXPECT_GT(calls, 10);
    EXPECT_EQ(inspect_media(spec.target).frames, spec.frames);
}

/// Mounting needs rights that not every tester has; the fault loop above holds without.
TEST(Mp4WriterTest, FullDiskLeavesNothing) {
    for (const char* size : {"size=64k", "size=512k"}) {
        const ScratchFolder folder;
        if (::mount("none", folder.path().c_str(), "tmpfs", 0, size) != 0)
            GTEST_SKIP() << "no right to mount a small disk: only injected faults were tested";
        SinkSpec spec = clip_spec(folder / "clip.mp4", 256, 256, 17);
        spec.crf = 0;
        const auto noise = [state = 1u](int, int, int, int) mutable {
            state = state * 1664525u + 1013904223u;
            return static_cast<std::uint16_t>(state >> 24);
        };
        const Error error = error_of([&] { write_all_frames(*make_frame_sink("mp4", spec), spec, noise); });
        EXPECT_EQ(error_name(error.code), std::string("DiskFull"));
        EXPECT_EQ(error.text("file"), spec.target);
        EXPECT_THAT(folder.names(), IsEmpty());
        // The frames are still there for another place.
        const ScratchFolder elsewhere;
        spec.target = elsewhere / "clip.mp4";
        EXPECT_NO_THROW(write_all_frames(*make_frame_sink("mp4", spec), spec, noise));
        ::umount(folder.path().c_str());
    }
}

TEST(Mp4WriterTest, TakenNameIsRefusedBeforeWork) {
    const ScratchFolder folder;
    write_file(folder / "clip.mp4", "old");
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 16, 16, 1);
    EXPECT_EQ(error_of([&] { make_frame_sink("mp4", spec); }).code, ErrorCode::OutputExists);
    EXPECT_EQ(read_file(folder / "clip.mp4"), "old");
    EXPECT_THAT(folder.names(), ElementsAre("clip.mp4"));
}

TEST(Mp4WriterTest, NameTakenMeanwhileIsNeverReplaced) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 16, 16, 1);
    const auto sink = make_frame_sink("mp4", spec);
    write_file(folder / "clip.mp4", "someone else's");
    const WrittenMedia written = write_all_frames(*sink, spec);
    EXPECT_EQ(written.path, folder / "clip_2.mp4");
    EXPECT_THAT(written.notices, ElementsAre(HasSubstr("taken meanwhile")));
    EXPECT_EQ(read_file(folder / "clip.mp4"), "someone else's");
}

TEST(Mp4WriterTest, TwoThreadsGetDistinctNames) {
    constexpr int kClipsEach = 100;
    const ScratchFolder folder;
    std::thread threads[2];
    for (std::thread& thread : threads)
        thread = std::thread([&folder] {
            SinkSpec spec = clip_spec(folder / "clip.mp4", 16, 16, 1);
            spec.exact_name = false;
            for (int index = 0; index < kClipsEach; ++index)
                write_clip(spec);
        });
    for (std::thread& thread : threads)
        thread.join();
    std::vector<std::string> expected = {"clip.mp4"};
    for (int number = 2; number <= 2 * kClipsEach; ++number)
        expected.push_back("clip_" + std::to_string(number) + ".mp4");
    EXPECT_THAT(folder.names(), ::testing::UnorderedElementsAreArray(expected));
}

TEST(Mp4WriterTest, NextEncoderIsUsedAndSaid) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 64, 48, 9);
    Mp4Writer writer(spec, {"no_such_encoder", "mpeg4"});
    const WrittenMedia written = write_all_frames(writer, spec);
    EXPECT_EQ(written.encoder, "mpeg4");
    EXPECT_THAT(written.notices, ElementsAre(HasSubstr("mpeg4")));
    const InspectReport report = inspect_media(written.path);
    EXPECT_EQ(report.frames, 9);
    EXPECT_EQ(report.color, "bt709/bt709/bt709 limited");
}

TEST(Mp4WriterTest, NoEncoderIsToldWithReasons) {
    const ScratchFolder folder;
    // MPEG-4 part 2 holds no full chroma, so that an odd side leaves none.
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 17, 16, 1);
    const Error error = error_of([&] { Mp4Writer(spec, {"no_such_encoder", "mpeg4"}); });
    EXPECT_EQ(error.code, ErrorCode::EncoderMissing);
    EXPECT_THAT(error.text("found"), HasSubstr("no_such_encoder: Encoder not found"));
    EXPECT_THAT(error.text("found"), HasSubstr("mpeg4: "));
    EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(Mp4WriterTest, WrongNumberOfFramesIsInternal) {
    const ScratchFolder folder;
    const SinkSpec spec = clip_spec(folder / "clip.mp4", 16, 16, 2);
    const Frame frame = make_frame(16, 16, PixelFormat::Rgb8, 0, moving_pattern);
    {
        const auto sink = make_frame_sink("mp4", spec);
        sink->write(frame);
        EXPECT_EQ(error_of([&] { sink->finish(); }).code, ErrorCode::Internal);
        sink->write(frame);
        EXPECT_EQ(error_of([&] { sink->write(frame); }).code, ErrorCode::Internal);
    }
    EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(EncoderProbeTest, OpensWhatIsThereAndSaysWhyNot) {
    const std::vector<EncoderSummary>& encoders = probe_encoders();
    ASSERT_EQ(encoders.size(), 3u);
    EXPECT_EQ(encoders[0].name, "libx264");
    EXPECT_EQ(encoders[1].name, "h264_nvenc");
    EXPECT_EQ(encoders[2].name, "mpeg4");
    EXPECT_TRUE(encoders[0].opened) << encoders[0].reason;
    EXPECT_TRUE(encoders[2].opened) << encoders[2].reason;
    for (const EncoderSummary& encoder : encoders)
        EXPECT_EQ(encoder.opened, encoder.reason.empty()) << encoder.name;
}

} // namespace
} // namespace reelmesh
