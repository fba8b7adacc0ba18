#include "media/job_metadata.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/check.h"
#include "base/regular_file.h"
#include "media/movie_check.h"
#include "media/png_text.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kMaximumJobBytes = 16u << 20;
constexpr std::uint64_t kMaximumPngBytes = 1u << 30;
constexpr std::uint64_t kMaximumPngSide = 16384;
constexpr std::size_t kStartBytes = 1024;

void refuse_beyond(std::uint64_t limit, std::uint64_t found, const char* what, const std::string& file) {
    if (found > limit)
        fail(ErrorCode::LimitExceeded,
             {{"file", file}, {"what", std::string(what)}, {"found", found}, {"needed", limit}});
}

std::string read_start(const RegularFile& file, std::uint64_t num_bytes) {
    std::string start(std::min(num_bytes, file.size_bytes()), '\0');
    file.read_at(0, start.data(), start.size());
    return start;
}

void take_job(InspectReport& report, const std::map<std::string, std::string>& text) {
    const auto entry = text.find(kJobMetadataKey);
    if (entry == text.end()) return;
    refuse_beyond(kMaximumJobBytes, entry->second.size(), kJobMetadataKey, report.path);
    report.job_json = entry->second;
}

void inspect_png(const RegularFile& file, InspectReport& report) {
    refuse_beyond(kMaximumPngBytes, file.size_bytes(), "bytes", report.path);
    const std::string bytes = read_start(file, file.size_bytes());
    const PngFacts facts = read_png_facts(report.path, bytes);
    refuse_beyond(kMaximumPngSide, std::max(facts.width, facts.height), "side", report.path);
    take_job(report, facts.text);
    const cv::Mat coded(1, static_cast<int>(bytes.size()), CV_8U, const_cast<char*>(bytes.data()));
    if (cv::imdecode(coded, cv::IMREAD_UNCHANGED).empty())
        fail(ErrorCode::FileUnreadable,
             {{"file", report.path}, {"reason", std::string("the picture does not decode")}});
    report.frames = 1;
    report.fps = {0, 1};
    report.width = facts.width;
    report.height = facts.height;
    report.color = facts.srgb ? "sRGB full" : "unspecified full";
}

void inspect_movie(const RegularFile& file, InspectReport& report) {
    const MovieFacts facts = check_movie(file, 0);
    if (!facts.damage.empty())
        fail(ErrorCode::FileUnreadable, {{"file", report.path}, {"reason", facts.damage}});
    take_job(report, facts.metadata);
    report.frames = facts.frames;
    report.fps = facts.fps;
    report.width = facts.width;
    report.height = facts.height;
    report.color = facts.color;
}

} // namespace

InspectReport inspect_media(const std::string& path) {
    InspectReport report;
    report.kind = "media";
    report.path = path;
    const RegularFile file(path);
    const std::string start = read_start(file, kStartBytes);
    refuse_foreign_content(path, start);
    is_png(start) ? inspect_png(file, report) : inspect_movie(file, report);
    return report;
}

} // namespace reelmesh
