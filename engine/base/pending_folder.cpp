#include "base/pending_folder.h"

#include "base/file_ops.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>

namespace reelmesh {
namespace {

constexpr mode_t kFileMode = 0666;
constexpr mode_t kFolderMode = 0777;

} // namespace

PendingFolder::PendingFolder(const std::string& target, std::string_view label) : target_(target) {
    make_temporary(target, label, temporary_,
                   [](const char* path) { return file_system().mkdir(path, kFolderMode); });
}

PendingFolder::~PendingFolder() {
    std::error_code ignored;
    if (!committed_) std::filesystem::remove_all(temporary_, ignored);
}

void PendingFolder::add_file(const std::string& name, const void* data, std::size_t size) {
    const std::string path = temporary_ + "/" + name;
    const int descriptor =
        file_system().open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kFileMode);
    if (descriptor < 0) fail_writing(target_, errno);
    try {
        write_all(descriptor, data, size, target_);
    } catch (...) {
        file_system().close(descriptor);
        throw;
    }
    sync_and_close(descriptor, target_);
}

std::string PendingFolder::commit_to_free_name() {
    sync_folder(temporary_, target_);
    const std::string path = rename_to_free_name(temporary_, target_);
    committed_ = true;
    return path;
}

} // namespace reelmesh
