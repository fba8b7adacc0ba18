#include "base/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file_ops.h"

namespace reelmesh {

LogFile::LogFile(std::string path, std::uint64_t limit_bytes)
    : path_(std::move(path)), limit_bytes_(limit_bytes) {}

LogFile::~LogFile() {
    close();
}

void LogFile::close() {
    if (descriptor_ >= 0) file_system().close(descriptor_);
    descriptor_ = -1;
}

bool LogFile::open() {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
    constexpr mode_t kOwnerOnly = 0600; // prompts are nobody else's
    descriptor_ = file_system().open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly);
    if (descriptor_ < 0) return false;
    struct stat status {};
    size_ = fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    return true;
}

bool LogFile::append(std::string_view line) {
    if (path_.empty()) return true;
    if (descriptor_ < 0 && !open()) return false;
    if (size_ > 0 && size_ + line.size() > limit_bytes_) {
        close();
        // If it cannot be renamed it goes on growing: lines matter more than the bound.
        file_system().rename(path_.c_str(), (path_ + ".1").c_str());
        if (!open()) return false;
    }
    const ssize_t written = file_system().write(descriptor_, line.data(), line.size());
    if (written > 0) size_ += static_cast<std::uint64_t>(written);
    return written == static_cast<ssize_t>(line.size());
}

} // namespace reelmesh
