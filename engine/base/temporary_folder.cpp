#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/check.h"

namespace reelmesh {

TemporaryFolder::TemporaryFolder(const std::string& name) {
    std::error_code ignored;
    path_ = (std::filesystem::temp_directory_path(ignored) / (name + ".XXXXXX")).string();
    if (!mkdtemp(path_.data()))
        fail(ErrorCode::NotWritable, {{"file", path_}, {"reason", std::string(std::strerror(errno))}});
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace reelmesh
