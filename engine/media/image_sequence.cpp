#include "media/image_sequence.h"

#include <algorithm>
#include <filesystem>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/check.h"
#include "media/png_picture.h"
#include "media/sink_support.h"

namespace reelmesh {
namespace {

constexpr std::size_t kDigits = 5;

std::string folder_name(const std::string& target) {
    const std::filesystem::path path(target);
    return path.extension() == ".png" ? path.parent_path() / path.stem() : path;
}

/// Checked before the folder is made.
const std::string& free_target(const SinkSpec& spec, const std::string& target) {
    REELMESH_CHECK(spec.frames > 0 && spec.width > 0 && spec.height > 0);
    refuse_taken_name(spec, target);
    return target;
}

} // namespace

ImageSequence::ImageSequence(const SinkSpec& spec)
    : spec_(spec), target_(folder_name(spec.target)), folder_(free_target(spec_, target_), "png") {
    written_.encoder = "png";
}

std::string ImageSequence::file_name(std::int64_t number) const {
    std::string digits = std::to_string(number);
    digits.insert(0, kDigits - std::min(kDigits, digits.size()), '0');
    return std::filesystem::path(target_).filename().string() + "_" + digits + ".png";
}

void ImageSequence::write(const Frame& frame) {
    REELMESH_CHECK(frames_ < spec_.frames);
    REELMESH_CHECK(frame.width == spec_.width && frame.height == spec_.height);
    const std::vector<unsigned char> png = encode_png(frame, spec_);
    folder_.add_file(file_name(++frames_), png.data(), png.size());
    written_.bytes += png.size();
}

WrittenMedia ImageSequence::finish() {
    REELMESH_CHECK(frames_ == spec_.frames);
    verify();
    written_.path = folder_.commit_to_free_name();
    note_other_name(spec_, target_, written_);
    return written_;
}

void ImageSequence::verify() const {
    for (std::int64_t number = 1; number <= frames_; ++number) {
        if (spec_.should_stop && spec_.should_stop()) fail(ErrorCode::Canceled);
        const cv::Mat picture =
            cv::imread(folder_.temporary_path() + "/" + file_name(number), cv::IMREAD_UNCHANGED);
        if (picture.cols != spec_.width || picture.rows != spec_.height)
            fail(ErrorCode::VerifyFailed,
                 {{"file", target_}, {"found", number - 1}, {"needed", spec_.frames}});
    }
}

} // namespace reelmesh
