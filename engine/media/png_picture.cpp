#include "media/png_picture.h"

#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/check.h"
#include "base/file_ops.h"
#include "media/job_metadata.h"
#include "media/png_text.h"
#include "media/sink_support.h"

namespace reelmesh {

std::vector<unsigned char> encode_png(const Frame& frame, const SinkSpec& spec) {
    const int depth = frame.format == PixelFormat::Rgb16 ? CV_16U : CV_8U;
    // OpenCV only reads from it, though its type does not say so.
    auto* pixels = const_cast<std::byte*>(frame.bytes.get());
    const cv::Mat rgb(frame.height, frame.width, CV_MAKETYPE(depth, 3), pixels, frame.stride);
    cv::Mat bgr(rgb.size(), rgb.type());
    cv::mixChannels(rgb, bgr, {0, 2, 1, 1, 2, 0});
    std::vector<unsigned char> png;
    if (!cv::imencode(".png", bgr, png))
        fail(ErrorCode::EncoderFailed,
             {{"encoder", std::string("png")}, {"reason", std::string("OpenCV refused")}});
    std::map<std::string, std::string> text = {{"Comment", comment_text(spec.prompt)}};
    if (!spec.metadata_json.empty()) text[kJobMetadataKey] = spec.metadata_json;
    add_png_text(png, text);
    return png;
}

PngPicture::PngPicture(const SinkSpec& spec) : spec_(spec) {
    REELMESH_CHECK(spec.frames == 1 && spec.width > 0 && spec.height > 0);
    refuse_taken_name(spec_, spec_.target);
}

void PngPicture::write(const Frame& frame) {
    REELMESH_CHECK(png_.empty());
    REELMESH_CHECK(frame.width == spec_.width && frame.height == spec_.height);
    png_ = encode_png(frame, spec_);
}

WrittenMedia PngPicture::finish() {
    REELMESH_CHECK(!png_.empty());
    PendingFile file(spec_.target, "png");
    file.write(png_.data(), png_.size());
    file.finish();
    const cv::Mat picture = cv::imread(file.temporary_path(), cv::IMREAD_UNCHANGED);
    if (picture.cols != spec_.width || picture.rows != spec_.height)
        fail(ErrorCode::VerifyFailed,
             {{"file", spec_.target}, {"found", std::int64_t{0}}, {"needed", spec_.frames}});
    WrittenMedia written;
    written.encoder = "png";
    written.bytes = png_.size();
    written.path = file.commit_to_free_name();
    note_other_name(spec_, spec_.target, written);
    return written;
}

} // namespace reelmesh
