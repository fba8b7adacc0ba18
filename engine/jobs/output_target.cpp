#include "jobs/output_target.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/check.h"
#include "base/file_ops.h"
#include "engine/output_name.h"

namespace reelmesh {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 255; ///< bytes, of every file system that matters
/// Compressed video takes about a tenth of its pixels at most; the rest is room for the container.
constexpr std::uint64_t kSmallestFile = 64 * 1024;

std::string default_folder() {
    const char* home = std::getenv("HOME");
    const fs::path folder = fs::path(home && *home ? home : ".") / "Videos" / "Reelmesh";
    std::error_code ignored; // the probe tells what is wrong
    fs::create_directories(folder, ignored);
    return folder.string();
}

std::string template_name(const JobRequest& request) {
    NameFacts facts;
    facts.time = std::time(nullptr);
    return output_name(kDefaultNamePattern, request, facts).value();
}

std::string format_of(const OutputSpec& output, const fs::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string format = !output.format.empty() ? output.format
                               : ending.empty()       ? "mp4"
                                                      : ending.substr(1);
    if (format != "mp4" && format != "png")
        fail(ErrorCode::BadField, {{"field", std::string("output")},
                                   {"found", path.string()},
                                   {"needed", std::string("a name that ends in .mp4 or .png")}});
    return format;
}

std::uint64_t expected_bytes(const JobRequest& request, const std::string& format) {
    const auto pixels = static_cast<std::uint64_t>(*request.width) *
                        static_cast<std::uint64_t>(*request.height) *
                        static_cast<std::uint64_t>(*request.frames);
    return std::max(kSmallestFile, format == "png" ? pixels * 3 : pixels / 10);
}

} // namespace

OutputTarget resolve_output(const JobRequest& request, TakenName taken_name) {
    const std::string& asked = request.output.path;
    const fs::path path(asked.empty() ? default_folder() : asked);
    std::error_code error;
    OutputTarget target;
    if (asked.empty() || asked.ends_with('/') || fs::is_directory(path, error)) {
        target.format = request.output.format.empty() ? "mp4" : request.output.format;
        target.path = (path / (template_name(request) + "." + target.format)).string();
        target.exact_name = false;
    } else {
        target.format = format_of(request.output, path);
        target.path = path.string();
        const std::size_t name_bytes = path.filename().native().size();
        if (name_bytes > kLongestName)
            fail(ErrorCode::NameTooLong, {{"file", asked},
                                          {"found", static_cast<std::int64_t>(name_bytes)},
                                          {"needed", static_cast<std::int64_t>(kLongestName)}});
        target.exact_name = taken_name == TakenName::Refuse;
        if (target.exact_name && (fs::is_symlink(path, error) || fs::exists(path, error)))
            fail(ErrorCode::OutputExists, {{"file", asked}});
    }
    const fs::path folder = fs::path(target.path).parent_path();
    probe_folder(folder.empty() ? "." : folder.string(), expected_bytes(request, target.format));
    return target;
}

} // namespace reelmesh
