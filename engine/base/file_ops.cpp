#include "base/file_ops.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/check.h"

namespace reelmesh {
namespace {

constexpr mode_t kFileMode = 0666;
constexpr int kMaximumTries = 100000;

FileSystem* replacement_file_system = nullptr;

std::string folder_of(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path();
    return folder.empty() ? "." : folder;
}

std::uint64_t free_bytes(const std::string& path) {
    struct statvfs status {};
    if (::statvfs(path.c_str(), &status) != 0) return 0;
    return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

bool exists(const char* path) {
    struct stat status {};
    return ::lstat(path, &status) == 0;
}

/// Holds all our processes off one folder where the file system knows no exclusive rename. flock() ends with
/// its process, so a lock is never stale.
class FolderLock {
public:
    explicit FolderLock(const std::string& folder) : path_(folder + "/.reelmesh-lock") {
        while ((descriptor_ = file_system().open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, kFileMode)) >=
               0) {
            struct stat ours {
            }, current{};
            // The holder before us removed the file that we waited for: then there is a new one to lock.
            if (::flock(descriptor_, LOCK_EX) == 0 && ::fstat(descriptor_, &ours) == 0 &&
                ::stat(path_.c_str(), &current) == 0 && ours.st_ino == current.st_ino)
                return;
            ::close(descriptor_);
        }
    }
    ~FolderLock() {
        if (descriptor_ < 0) return;
        ::unlink(path_.c_str());
        ::close(descriptor_);
    }
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    bool held() const { return descriptor_ >= 0; }

private:
    std::string path_;
    int descriptor_ = -1;
};

bool unsupported(int error_number) {
    return error_number == EINVAL || error_number == ENOSYS || error_number == EOPNOTSUPP ||
           error_number == EPERM;
}

/// Three ways, for three kinds of file systems.
int rename_without_replacing(const char* from, const char* to) {
    FileSystem& files = file_system();
    if (files.rename_no_replace(from, to) == 0) return 0;
    if (!unsupported(errno)) return -1;
    if (files.link(from, to) == 0) {
        // A second name of the finished file is all that is left behind if this fails.
        if (files.unlink(from) == 0) return 0;
        const int error_number = errno;
        files.unlink(to);
        errno = error_number;
        return -1;
    }
    if (!unsupported(errno)) return -1;
    const FolderLock lock(folder_of(to));
    if (!lock.held()) return -1;
    if (exists(to)) {
        errno = EEXIST;
        return -1;
    }
    return files.rename(from, to);
}

/// stem.ext, stem_2.ext, stem_3.ext ...
std::string numbered(const std::string& target, int number) {
    if (number == 1) return target;
    const std::filesystem::path path(target);
    const std::string name = path.stem().string() + "_" + std::to_string(number) + path.extension().string();
    return path.parent_path() / name;
}

} // namespace

int FileSystem::open(const char* path, int flags, mode_t mode) {
    return ::open(path, flags, mode);
}
ssize_t FileSystem::write(int descriptor, const void* data, std::size_t size) {
    return ::write(descriptor, data, size);
}
off_t FileSystem::seek(int descriptor, off_t offset) {
    return ::lseek(descriptor, offset, SEEK_SET);
}
int FileSystem::fsync(int descriptor) {
    return ::fsync(descriptor);
}
int FileSystem::close(int descriptor) {
    return ::close(descriptor);
}
int FileSystem::rename(const char* from, const char* to) {
    return std::rename(from, to);
}
int FileSystem::rename_no_replace(const char* from, const char* to) {
    return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}
int FileSystem::link(const char* from, const char* to) {
    return ::link(from, to);
}
int FileSystem::unlink(const char* path) {
    return ::unlink(path);
}
int FileSystem::mkdir(const char* path, mode_t mode) {
    return ::mkdir(path, mode);
}

FileSystem& file_system() {
    static FileSystem real;
    return replacement_file_system ? *replacement_file_system : real;
}

void set_file_system(FileSystem* replacement) {
    replacement_file_system = replacement;
}

void fail_writing(const std::string& file, int error_number, std::uint64_t needed_bytes) {
    const std::string reason = std::strerror(error_number);
    switch (error_number) {
    case ENOSPC:
        fail(ErrorCode::DiskFull,
             {{"file", file}, {"needed_bytes", needed_bytes}, {"free_bytes", free_bytes(folder_of(file))}});
    case EDQUOT: fail(ErrorCode::QuotaExceeded, {{"file", file}});
    case EROFS:
    case EACCES:
    case EPERM: fail(ErrorCode::NotWritable, {{"file", file}, {"reason", reason}});
    case ENOENT:
    case ENOTDIR: fail(ErrorCode::FolderMissing, {{"file", file}});
    case ENAMETOOLONG: {
        const std::uint64_t length = std::filesystem::path(file).filename().string().size();
        fail(ErrorCode::NameTooLong,
             {{"file", file}, {"found", length}, {"needed", std::uint64_t{NAME_MAX}}});
    }
    default: fail(ErrorCode::WriteFailed, {{"file", file}, {"reason", reason}});
    }
}

void write_all(int descriptor, const void* data, std::size_t size, const std::string& file) {
    const auto* bytes = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = file_system().write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail_writing(file, written < 0 ? errno : ENOSPC, size);
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
}

void sync_and_close(int descriptor, const std::string& file) {
    const int sync_error = file_system().fsync(descriptor) == 0 ? 0 : errno;
    const int close_error = file_system().close(descriptor) == 0 ? 0 : errno;
    // Some file systems cannot sync a folder and say so by EINVAL: nothing is lost by going on.
    if (sync_error != 0 && sync_error != EINVAL) fail_writing(file, sync_error);
    if (close_error != 0) fail_writing(file, close_error);
}

void sync_folder(const std::string& folder, const std::string& file) {
    const int descriptor = file_system().open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    if (descriptor < 0) fail_writing(file, errno);
    sync_and_close(descriptor, file);
}

bool rename_onto_new(const std::string& from, const std::string& target) {
    if (rename_without_replacing(from.c_str(), target.c_str()) != 0) {
        if (errno == EEXIST) return false;
        fail_writing(target, errno);
    }
    try {
        sync_folder(folder_of(target), target);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove_all(target, ignored);
        throw;
    }
    return true;
}

std::string rename_to_free_name(const std::string& from, const std::string& target) {
    for (int number = 1; number < kMaximumTries; ++number) {
        const std::string name = numbered(target, number);
        if (rename_onto_new(from, name)) return name;
    }
    fail(ErrorCode::OutputExists, {{"file", target}});
}

int make_temporary(const std::string& target, std::string_view label, std::string& path,
                   const std::function<int(const char*)>& make) {
    for (int number = 1; number < kMaximumTries; ++number) {
        path =
            folder_of(target) + "/.reelmesh-" + std::string(label) + "-" + std::to_string(number) + ".part";
        const int made = make(path.c_str());
        if (made >= 0) return made;
        if (errno != EEXIST) fail_writing(target, errno);
    }
    fail(ErrorCode::WriteFailed, {{"file", target}, {"reason", std::strerror(EEXIST)}});
}

PendingFile::PendingFile(const std::string& target, std::string_view label) : target_(target) {
    descriptor_ = make_temporary(target, label, temporary_, [](const char* path) {
        return file_system().open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kFileMode);
    });
}

PendingFile::~PendingFile() {
    if (descriptor_ >= 0) file_system().close(descriptor_);
    if (!committed_) ::unlink(temporary_.c_str());
}

void PendingFile::write(const void* data, std::size_t size) {
    write_all(descriptor_, data, size, target_);
}

void PendingFile::seek(std::uint64_t offset) {
    if (file_system().seek(descriptor_, static_cast<off_t>(offset)) < 0) fail_writing(target_, errno);
}

void PendingFile::finish() {
    if (descriptor_ < 0) return;
    sync_and_close(std::exchange(descriptor_, -1), target_);
}

void PendingFile::commit_new() {
    finish();
    if (!rename_onto_new(temporary_, target_)) fail(ErrorCode::OutputExists, {{"file", target_}});
    committed_ = true;
}

std::string PendingFile::commit_to_free_name() {
    finish();
    const std::string path = rename_to_free_name(temporary_, target_);
    committed_ = true;
    return path;
}

void PendingFile::commit_replacing() {
    finish();
    if (file_system().rename(temporary_.c_str(), target_.c_str()) != 0) fail_writing(target_, errno);
    committed_ = true;
    sync_folder(folder_of(target_), target_);
}

void probe_folder(const std::string& folder, std::uint64_t needed_bytes) {
    const std::string target = folder + "/probe";
    PendingFile probe(target, "probe");
    probe.write("", 1);
    if (free_bytes(folder) < needed_bytes) fail_writing(folder, ENOSPC, needed_bytes);
}

} // namespace reelmesh
