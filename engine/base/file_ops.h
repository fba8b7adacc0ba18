// How files come into being: written beside the target under a temporary name, synced, then
// renamed. A path holds the old file, nothing, or a complete new one. Every return value counts.
// Each object belongs to one thread; file_system() is the only shared thing, set by tests alone.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace reelmesh {

/// The system calls that can fail, as a seam for tests: n-th open, write, fsync, rename fails.
/// Return values and errno as the calls they stand for.
class FileSystem {
public:
    virtual ~FileSystem() = default;
    virtual int open(const char* path, int flags, mode_t mode);
    virtual ssize_t write(int descriptor, const void* data, std::size_t size);
    /// To an offset from the beginning.
    virtual off_t seek(int descriptor, off_t offset);
    virtual int fsync(int descriptor);
    virtual int close(int descriptor);
    virtual int rename(const char* from, const char* to);
    /// Fails with EEXIST if the target exists, with EINVAL where the file system cannot do it.
    virtual int rename_no_replace(const char* from, const char* to);
    virtual int link(const char* from, const char* to);
    virtual int unlink(const char* path);
    virtual int mkdir(const char* path, mode_t mode);
};
FileSystem& file_system();
/// Tests only, before threads start; nullptr: the real one.
void set_file_system(FileSystem* replacement);

/// Throws the Error for errno: DiskFull (with free bytes), QuotaExceeded, NotWritable, FolderMissing,
/// NameTooLong, else WriteFailed with the system's words.
[[noreturn]] void fail_writing(const std::string& file, int error_number, std::uint64_t needed_bytes = 0);

/// All of it, in as many calls as it takes; throws as fail_writing() about the file named.
void write_all(int descriptor, const void* data, std::size_t size, const std::string& file);
/// Syncs and closes an open file, whatever fails; throws as fail_writing() about the file named.
void sync_and_close(int descriptor, const std::string& file);
/// Makes the names in a folder durable; throws about the file named.
void sync_folder(const std::string& folder, const std::string& file);
/// Renames a complete file or folder onto the target and syncs the target's folder. False: the target exists.
/// On failure nothing is at the target.
bool rename_onto_new(const std::string& from, const std::string& target);
/// The same onto the first free name of stem.ext, stem_2.ext, stem_3.ext ...; returns it.
std::string rename_to_free_name(const std::string& from, const std::string& target);

/// Calls make("<folder of target>/.reelmesh-<label>-<n>.part") for n = 1, 2 ... until it returns a value >=
/// 0; make() reports a taken name by EEXIST, anything else throws. The name is stored in path.
int make_temporary(const std::string& target, std::string_view label, std::string& path,
                   const std::function<int(const char*)>& make);

/// A temporary file ".reelmesh-<label>-<n>.part" in the target's folder; removed unless committed.
class PendingFile {
public:
    /// The target's folder must exist: FolderMissing.
    PendingFile(const std::string& target, std::string_view label);
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    const std::string& temporary_path() const { return temporary_; }
    /// At the position, which it moves: the end, unless seek() was called.
    void write(const void* data, std::size_t size);
    void seek(std::uint64_t offset);
    /// fsync and close; then the file may be read by its temporary path. Repeating it does nothing.
    void finish();
    /// Renames onto the target; throws OutputExists if it exists by now.
    void commit_new();
    /// The first free name of stem.ext, stem_2.ext, stem_3.ext ...; returns it.
    std::string commit_to_free_name();
    /// Replaces the target: tensor files and state only, never media.
    void commit_replacing();

private:
    std::string target_, temporary_;
    int descriptor_ = -1;
    bool committed_ = false;
};

/// A legal file name made from any text: no separators, control characters, reserved device names, leading
/// dot, trailing dot or space; at most max_bytes of UTF-8 cut at a character; never empty ("clip").
std::string safe_file_name(std::string_view text, std::size_t max_bytes = 200);

/// Throws unless a file can be made in the folder and free_bytes are at least needed_bytes. Leaves nothing
/// behind.
void probe_folder(const std::string& folder, std::uint64_t needed_bytes);

} // namespace reelmesh
