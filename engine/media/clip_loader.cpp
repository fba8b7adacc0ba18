#include "media/clip_loader.h"

extern "C" {
#include <libavutil/frame.h>
}

#include <algorithm>
#include <filesystem>
#include <map>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/check.h"
#include "base/regular_file.h"
#include "media/job_metadata.h"
#include "media/libav_support.h"
#include "media/movie_check.h"
#include "media/png_text.h"

namespace reelmesh {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaximumPictureBytes = 1u << 30;
constexpr std::uint64_t kMaximumSide = 16384;
constexpr std::size_t kMaximumPictures = 100'000;
constexpr std::size_t kStartBytes = 1024;

/// A picture as the scaler takes it.
struct Picture {
    int width = 0, height = 0;
    int format = AV_PIX_FMT_NONE;
    int matrix = SWS_CS_ITU709;
    bool full_range = true;
    const std::uint8_t* const* planes = nullptr;
    const int* strides = nullptr;
};

/// Collects frames of one size and halves all of them when they grow too many.
class Collector {
public:
    Collector(MediaClip& clip, std::uint64_t max_bytes) : clip_(clip), max_bytes_(max_bytes) {}

    void add(const Picture& picture) {
        if (clip_.frames.empty()) {
            clip_.width = picture.width;
            clip_.height = picture.height;
        }
        if (picture.width != clip_.width || picture.height != clip_.height)
            fail(ErrorCode::FileUnreadable,
                 {{"file", std::string("the clip")}, {"reason", std::string("its pictures differ in size")}});
        while (bytes_of(reduction_) * (clip_.frames.size() + 1) > max_bytes_ && side(clip_.width) > 1 &&
               side(clip_.height) > 1)
            halve();
        clip_.frames.push_back(scaled(picture));
        clip_.reduction = reduction_;
    }

private:
    int side(std::int64_t pixels) const {
        return static_cast<int>(std::max<std::int64_t>(1, pixels / reduction_));
    }
    std::uint64_t bytes_of(int reduction) const {
        return static_cast<std::uint64_t>(clip_.width / reduction) *
               static_cast<std::uint64_t>(clip_.height / reduction) * 3;
    }

    void halve() {
        reduction_ *= 2;
        for (Frame& frame : clip_.frames) {
            const std::uint8_t* planes[] = {frame.row(0)};
            const int strides[] = {static_cast<int>(frame.stride)};
            frame =
                scaled({frame.width, frame.height, AV_PIX_FMT_RGB24, SWS_CS_ITU709, true, planes, strides});
        }
    }

    Frame scaled(const Picture& from) {
        Frame frame{side(clip_.width), side(clip_.height), PixelFormat::Rgb8, 0, {}};
        frame.stride = static_cast<std::size_t>(frame.width) * 3;
        const std::shared_ptr<std::byte[]> bytes(
            new std::byte[frame.stride * static_cast<std::size_t>(frame.height)]);
        const int quality = from.width == frame.width && from.height == frame.height ? SWS_BICUBIC : SWS_AREA;
        scaler_.reset(sws_getCachedContext(
            scaler_.release(), from.width, from.height, static_cast<AVPixelFormat>(from.format), frame.width,
            frame.height, AV_PIX_FMT_RGB24,
            quality | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT, nullptr,
            nullptr, nullptr));
        if (!scaler_)
            fail(ErrorCode::FileUnreadable, {{"file", std::string("the clip")},
                                             {"reason", std::string("its pixel format is not read here")}});
        constexpr int kFullRange = 1, kUnchanged = 1 << 16;
        const int* matrix = sws_getCoefficients(from.matrix);
        sws_setColorspaceDetails(scaler_.get(), matrix, from.full_range ? 1 : 0, matrix, kFullRange, 0,
                                 kUnchanged, kUnchanged);
        std::uint8_t* planes[] = {reinterpret_cast<std::uint8_t*>(bytes.get())};
        const int strides[] = {static_cast<int>(frame.stride)};
        sws_scale(scaler_.get(), from.planes, from.strides, 0, from.height, planes, strides);
        frame.bytes = bytes;
        return frame;
    }

    MediaClip& clip_;
    const std::uint64_t max_bytes_;
    int reduction_ = 1;
    LibavPtr<SwsContext> scaler_;
};

void take_job(const std::map<std::string, std::string>& text, MediaClip& clip) {
    if (const auto entry = text.find(kJobMetadataKey); entry != text.end()) clip.job_json = entry->second;
}

void add_movie(const RegularFile& file, const std::function<bool()>& should_stop, Collector& collector,
               MediaClip& clip) {
    const auto add = [&](const AVFrame& frame) {
        const bool named = frame.colorspace != AVCOL_SPC_UNSPECIFIED && frame.colorspace != AVCOL_SPC_RGB;
        collector.add({frame.width, frame.height, frame.format, named ? frame.colorspace : SWS_CS_ITU709,
                       frame.color_range == AVCOL_RANGE_JPEG, frame.data, frame.linesize});
    };
    const MovieFacts facts = check_movie(file, 0, {add, should_stop});
    if (!facts.damage.empty())
        fail(ErrorCode::FileUnreadable, {{"file", file.path()}, {"reason", facts.damage}});
    clip.fps = facts.fps;
    take_job(facts.metadata, clip);
}

void add_picture(const RegularFile& file, Collector& collector, MediaClip& clip) {
    if (file.size_bytes() > kMaximumPictureBytes)
        fail(ErrorCode::LimitExceeded, {{"file", file.path()},
                                        {"what", std::string("bytes")},
                                        {"found", file.size_bytes()},
                                        {"needed", kMaximumPictureBytes}});
    std::string bytes(file.size_bytes(), '\0');
    file.read_at(0, bytes.data(), bytes.size());
    const PngFacts facts = read_png_facts(file.path(), bytes);
    const std::uint64_t side = std::max(facts.width, facts.height);
    if (side > kMaximumSide)
        fail(ErrorCode::LimitExceeded, {{"file", file.path()},
                                        {"what", std::string("side")},
                                        {"found", side},
                                        {"needed", kMaximumSide}});
    const cv::Mat coded(1, static_cast<int>(bytes.size()), CV_8U, bytes.data());
    // Colour, 8 bits, whatever is in the file.
    const cv::Mat picture = cv::imdecode(coded, cv::IMREAD_COLOR);
    if (picture.empty())
        fail(ErrorCode::FileUnreadable,
             {{"file", file.path()}, {"reason", std::string("the picture does not decode")}});
    const std::uint8_t* planes[] = {picture.data};
    const int strides[] = {static_cast<int>(picture.step)};
    collector.add({picture.cols, picture.rows, AV_PIX_FMT_BGR24, SWS_CS_ITU709, true, planes, strides});
    if (clip.job_json.empty()) take_job(facts.text, clip);
}

std::vector<std::string> pictures_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".png" && files.size() < kMaximumPictures)
            files.push_back(entry->path().string());
    if (error) fail(ErrorCode::FileUnreadable, {{"file", folder}, {"reason", error.message()}});
    if (files.empty())
        fail(ErrorCode::NotAModel,
             {{"file", folder}, {"found", std::string("a folder without PNG pictures")}});
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

MediaClip load_clip(const std::string& path, std::uint64_t max_bytes,
                    const std::function<bool()>& should_stop) {
    MediaClip clip;
    clip.fps = {0, 1};
    Collector collector(clip, max_bytes);
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        for (const std::string& picture : pictures_in(path)) {
            if (should_stop && should_stop()) fail(ErrorCode::Canceled);
            add_picture(RegularFile(picture), collector, clip);
        }
        return clip;
    }
    const RegularFile file(path);
    std::string start(std::min<std::uint64_t>(kStartBytes, file.size_bytes()), '\0');
    file.read_at(0, start.data(), start.size());
    refuse_foreign_content(path, start);
    if (is_png(start))
        add_picture(file, collector, clip);
    else
        add_movie(file, should_stop, collector, clip);
    return clip;
}

} // namespace reelmesh
