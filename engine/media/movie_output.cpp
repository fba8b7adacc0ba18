#include "media/movie_output.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr int kBufferBytes = 64 * 1024;

} // namespace

MovieOutput::MovieOutput(PendingFile& file)
    : file_(file),
      output_(owned(avio_alloc_context(static_cast<unsigned char*>(av_malloc(kBufferBytes)), kBufferBytes, 1,
                                       this, nullptr, &MovieOutput::write, &MovieOutput::seek))) {}

void MovieOutput::rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
}

int MovieOutput::write(void* self, std::uint8_t* data, int size) {
    auto& output = *static_cast<MovieOutput*>(self);
    if (output.failure_) return AVERROR(EIO);
    try {
        output.file_.write(data, static_cast<std::size_t>(size));
    } catch (...) {
        output.failure_ = std::current_exception();
        return AVERROR(EIO);
    }
    output.position_ += size;
    output.size_ = std::max(output.size_, output.position_);
    return size;
}

std::int64_t MovieOutput::seek(void* self, std::int64_t offset, int whence) {
    auto& output = *static_cast<MovieOutput*>(self);
    if (whence & AVSEEK_SIZE) return output.size_;
    if ((whence & ~AVSEEK_FORCE) != SEEK_SET || output.failure_) return AVERROR(EINVAL);
    try {
        output.file_.seek(static_cast<std::uint64_t>(offset));
    } catch (...) {
        output.failure_ = std::current_exception();
        return AVERROR(EIO);
    }
    return output.position_ = offset;
}

} // namespace reelmesh
