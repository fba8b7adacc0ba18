// A text file that grows at its end and stays bounded: when it is full it becomes <path>.1, in the place of
// the one before, and a new one begins. Each line is one write to the file, so that a kill cuts none that was
// told, and several processes may share it. One thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reelmesh {

class LogFile {
public:
    static constexpr std::uint64_t kLimit_bytes = 8ULL << 20U;

    /// Makes missing folders. "": no file, every append is well.
    explicit LogFile(std::string path, std::uint64_t limit_bytes = kLimit_bytes);
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// The line with its end. False: not written; errno says why. The next line tries again.
    bool append(std::string_view line);
    const std::string& path() const { return path_; }

private:
    bool open();
    void close();

    const std::string path_;
    const std::uint64_t limit_bytes_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
};

} // namespace reelmesh
