#include "base/regular_file.h"

#include "base/check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace reelmesh {
namespace {

constexpr std::size_t kMaxNameBytes = 255;

std::string system_words(int error_number) {
    return std::generic_category().message(error_number);
}

bool is_link(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "directory";
    if (S_ISFIFO(mode)) return "FIFO";
    if (S_ISSOCK(mode)) return "socket";
    return "device";
}

/// tag is in small letters.
bool starts_with_tag(std::string_view text, std::string_view tag) {
    const auto same = [](char wanted, char found) {
        return wanted == (found >= 'A' && found <= 'Z' ? found - 'A' + 'a' : found);
    };
    return text.size() >= tag.size() && std::equal(tag.begin(), tag.end(), text.begin(), same);
}

[[noreturn]] void fail_opening(const std::string& path, int error_number) {
    const bool missing = error_number == ENOENT || error_number == ENOTDIR;
    if (error_number == ELOOP) fail(ErrorCode::BadLink, {{"file", path}, {"reason", "the link loops"}});
    if (missing && is_link(path))
        fail(ErrorCode::BadLink, {{"file", path}, {"reason", "the link's target is missing"}});
    if (missing) fail(ErrorCode::FileMissing, {{"file", path}});
    // What open() says of sockets and of devices without a driver.
    if (error_number == ENXIO || error_number == ENODEV) {
        if (is_link(path))
            fail(ErrorCode::BadLink, {{"file", path}, {"reason", "the link leads to a device"}});
        fail(ErrorCode::NotAModel, {{"file", path}, {"found", "device"}});
    }
    fail(ErrorCode::FileUnreadable, {{"file", path}, {"reason", system_words(error_number)}});
}

} // namespace

RegularFile::RegularFile(const std::string& path) : path_(path) {
    // Without O_NONBLOCK opening a FIFO would wait for a writer for ever.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) fail_opening(path, errno);
    try {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0)
            fail(ErrorCode::FileUnreadable, {{"file", path}, {"reason", system_words(errno)}});
        if (!S_ISREG(status.st_mode)) {
            const std::string kind = kind_of(status.st_mode);
            if (is_link(path))
                fail(ErrorCode::BadLink, {{"file", path}, {"reason", "the link leads to a " + kind}});
            fail(ErrorCode::NotAModel, {{"file", path}, {"found", kind}});
        }
        if (status.st_size == 0) fail(ErrorCode::NotAModel, {{"file", path}, {"found", "empty file"}});
        size_bytes_ = static_cast<std::uint64_t>(status.st_size);
    } catch (...) {
        ::close(descriptor_);
        throw;
    }
}

RegularFile::~RegularFile() {
    ::close(descriptor_);
}

void RegularFile::read_at(std::uint64_t offset, void* destination, std::size_t num_bytes) const {
    std::size_t done = 0;
    while (done < num_bytes) {
        const ssize_t count = ::pread(descriptor_, static_cast<char*>(destination) + done, num_bytes - done,
                                      static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(ErrorCode::FileUnreadable, {{"file", path_}, {"reason", system_words(errno)}});
        if (count == 0)
            fail(ErrorCode::Truncated,
                 {{"file", path_}, {"needed_bytes", offset + num_bytes}, {"found_bytes", offset + done}});
        done += static_cast<std::size_t>(count);
    }
}

std::string read_regular_file(const std::string& path, std::uint64_t max_bytes) {
    const RegularFile file(path);
    if (file.size_bytes() > max_bytes)
        fail(ErrorCode::LimitExceeded,
             {{"file", path}, {"what", "bytes"}, {"found", file.size_bytes()}, {"needed", max_bytes}});
    std::string content(file.size_bytes(), '\0');
    file.read_at(0, content.data(), content.size());
    refuse_foreign_content(path, content);
    return content;
}

void refuse_foreign_content(const std::string& path, std::string_view start) {
    if (start.starts_with("version https://git-lfs.github.com/"))
        fail(ErrorCode::NotAModel, {{"file", path}, {"found", "Git LFS pointer"}});
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
    start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
    for (const std::string_view tag : {"<!doctype", "<html", "<head", "<body", "<?xml"})
        if (starts_with_tag(start, tag)) fail(ErrorCode::NotAModel, {{"file", path}, {"found", "web page"}});
}

void check_file_name(const std::string& file, const std::string& name) {
    const char* reason = nullptr;
    const auto is_control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; };
    if (name.empty())
        reason = "empty";
    else if (name.size() > kMaxNameBytes)
        reason = "longer than 255 bytes";
    else if (name.find_first_of("/\\") != std::string::npos)
        reason = "has a separator";
    else if (name.find("..") != std::string::npos)
        reason = "has two dots in a row";
    else if (name == ".")
        reason = "names the folder";
    else if (name.find(':') != std::string::npos)
        reason = "has a colon";
    else if (std::any_of(name.begin(), name.end(), is_control))
        reason = "has a control character";
    if (reason) fail(ErrorCode::UnsafeName, {{"file", file}, {"name", name}, {"reason", reason}});
}

} // namespace reelmesh
