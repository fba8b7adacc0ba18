// A pending file as libav writes it: every byte goes through base/file_ops, and the first failure is kept,
// since libav reports a full disk late or not at all. One thread.
#pragma once

#include <exception>

#include "base/file_ops.h"
#include "media/libav_support.h"

namespace reelmesh {

class MovieOutput {
public:
    /// The file must outlive the output.
    explicit MovieOutput(PendingFile& file);
    MovieOutput(const MovieOutput&) = delete;
    MovieOutput& operator=(const MovieOutput&) = delete;

    AVIOContext* context() { return output_.get(); }
    /// Throws the first failure of a write, if there was one.
    void rethrow_failure() const;

private:
    static int write(void* self, std::uint8_t* data, int size);
    static std::int64_t seek(void* self, std::int64_t offset, int whence);

    PendingFile& file_;
    std::exception_ptr failure_;
    std::int64_t position_ = 0, size_ = 0;
    LibavPtr<AVIOContext> output_;
};

} // namespace reelmesh
