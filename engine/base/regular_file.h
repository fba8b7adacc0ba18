// How files that others wrote are opened: once, without blocking, regular files only, never again by path.
// A RegularFile owns its descriptor; read_at may be called by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reelmesh {

class RegularFile {
public:
    /// Follows links to regular files. Throws FileMissing, FileUnreadable, BadLink (dangling, looping, or to
    /// something else than a file) and NotAModel (directory, device, FIFO, socket; empty).
    explicit RegularFile(const std::string& path);
    ~RegularFile();
    RegularFile(const RegularFile&) = delete;
    RegularFile& operator=(const RegularFile&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size_bytes() const { return size_bytes_; }
    /// Throws Truncated when the file has become shorter, FileUnreadable with the system's words.
    void read_at(std::uint64_t offset, void* destination, std::size_t num_bytes) const;

private:
    std::string path_;
    int descriptor_ = -1;
    std::uint64_t size_bytes_ = 0;
};

/// The whole file. Throws as RegularFile, LimitExceeded before anything is read, and NotAModel for web pages
/// and Git LFS pointers.
std::string read_regular_file(const std::string& path, std::uint64_t max_bytes);

/// Throws NotAModel if a file that starts with these bytes is a web page or a Git LFS pointer.
void refuse_foreign_content(const std::string& path, std::string_view start);

/// For names that one file gives to another: throws UnsafeName (file is the one that names) unless the name
/// stays inside its folder on every system.
void check_file_name(const std::string& file, const std::string& name);

} // namespace reelmesh
