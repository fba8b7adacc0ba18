// A set of files that appears as one: written into a temporary folder beside the target, each file
// synced, then the folder is renamed. Removed unless committed. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reelmesh {

class PendingFolder {
public:
    /// The folder around the target must exist: FolderMissing.
    PendingFolder(const std::string& target, std::string_view label);
    ~PendingFolder();
    PendingFolder(const PendingFolder&) = delete;
    PendingFolder& operator=(const PendingFolder&) = delete;

    const std::string& temporary_path() const { return temporary_; }
    /// A complete, synced file of that name inside.
    void add_file(const std::string& name, const void* data, std::size_t size);
    /// Renames onto the first free name of stem, stem_2, stem_3 ...; returns it.
    std::string commit_to_free_name();

private:
    std::string target_, temporary_;
    bool committed_ = false;
};

} // namespace reelmesh
