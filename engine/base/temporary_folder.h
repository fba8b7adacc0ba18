// A folder of its own below the system's temporary folder, removed with all that is in it. One thread.
#pragma once

#include <string>

namespace reelmesh {

class TemporaryFolder {
public:
    /// name begins the folder's name. Throws NotWritable.
    explicit TemporaryFolder(const std::string& name);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }

private:
    std::string path_;
};

} // namespace reelmesh
