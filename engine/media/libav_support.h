// libav's objects as owners that free themselves, and its failures as text. Any thread.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace reelmesh {

struct LibavDeleter {
    void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
    void operator()(AVFrame* frame) const { av_frame_free(&frame); }
    void operator()(AVPacket* packet) const { av_packet_free(&packet); }
    void operator()(SwsContext* context) const { sws_freeContext(context); }
    void operator()(AVIOContext* context) const {
        av_freep(&context->buffer);
        avio_context_free(&context);
    }
};
template <class T>
using LibavPtr = std::unique_ptr<T, LibavDeleter>;

/// Throws OutOfMemory for nullptr.
template <class T>
LibavPtr<T> owned(T* object) {
    if (!object) throw std::bad_alloc();
    return LibavPtr<T>(object);
}

/// Collects what libav says while it lives, in place of its printing to the terminal: the messages of one
/// thread, those of libav's own threads are dropped. Objects may be nested.
class LibavMessages {
public:
    LibavMessages();
    ~LibavMessages();
    LibavMessages(const LibavMessages&) = delete;
    LibavMessages& operator=(const LibavMessages&) = delete;

    /// The first error said since construction, else the words for the code.
    std::string reason(int libav_error) const;

private:
    bool outer_;
};

} // namespace reelmesh
