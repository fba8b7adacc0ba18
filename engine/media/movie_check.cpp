#include "media/movie_check.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <chrono>

#include "base/check.h"
#include "media/libav_support.h"

namespace reelmesh {
namespace {

constexpr const char* kContainers = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm";
constexpr const char* kCodecs = "h264,hevc,mpeg4,libdav1d,av1,vp8,vp9,libvpx,libvpx-vp9,prores,ffv1";
constexpr std::int64_t kMaximumPixels = std::int64_t{16384} * 16384;
constexpr int kBufferBytes = 64 * 1024;
/// Between two decoded frames, or until the file is open.
constexpr std::chrono::seconds kDeadline{30};

struct FormatCloser {
    void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
};

/// The file as libav reads it.
class MovieInput {
public:
    explicit MovieInput(const RegularFile& file) : file_(file) {
        auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
        input_ = owned(
            avio_alloc_context(buffer, kBufferBytes, 0, this, &MovieInput::read, nullptr, &MovieInput::seek));
        restart_deadline();
    }

    AVIOContext* context() { return input_.get(); }
    void restart_deadline() { deadline_ = std::chrono::steady_clock::now() + kDeadline; }

private:
    static int read(void* self, std::uint8_t* destination, int size) {
        auto& input = *static_cast<MovieInput*>(self);
        if (std::chrono::steady_clock::now() > input.deadline_) return AVERROR(ETIMEDOUT);
        const std::uint64_t left = input.file_.size_bytes() - input.position_;
        if (left == 0) return AVERROR_EOF;
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(left, static_cast<std::uint64_t>(size)));
        try {
            input.file_.read_at(input.position_, destination, count);
        } catch (...) {
            return AVERROR(EIO);
        }
        input.position_ += count;
        return static_cast<int>(count);
    }

    static std::int64_t seek(void* self, std::int64_t offset, int whence) {
        auto& input = *static_cast<MovieInput*>(self);
        const auto size = static_cast<std::int64_t>(input.file_.size_bytes());
        if (whence & AVSEEK_SIZE) return size;
        if ((whence & ~AVSEEK_FORCE) != SEEK_SET || offset < 0) return AVERROR(EINVAL);
        input.position_ = static_cast<std::uint64_t>(std::min(offset, size));
        return offset;
    }

    const RegularFile& file_;
    LibavPtr<AVIOContext> input_;
    std::uint64_t position_ = 0;
    std::chrono::steady_clock::time_point deadline_;
};

std::string name_or_unspecified(const char* name) {
    return name && *name ? name : "unspecified";
}

std::string color_text(const AVCodecContext& codec) {
    const char* range = codec.color_range == AVCOL_RANGE_MPEG   ? "limited"
                        : codec.color_range == AVCOL_RANGE_JPEG ? "full"
                                                                : "unspecified";
    return name_or_unspecified(av_color_primaries_name(codec.color_primaries)) + "/" +
           name_or_unspecified(av_color_transfer_name(codec.color_trc)) + "/" +
           name_or_unspecified(av_color_space_name(codec.colorspace)) + " " + range;
}

/// One movie while it is decoded.
class MovieDecoder {
public:
    MovieDecoder(const RegularFile& file, int threads, const MovieHooks& hooks)
        : hooks_(hooks), input_(file) {
        open_container(file.path());
        open_codec(file.path(), threads);
    }

    MovieFacts decode_all() {
        MovieFacts facts;
        const AVStream& stream = *container_->streams[stream_];
        facts.width = codec_->width;
        facts.height = codec_->height;
        facts.fps = {stream.avg_frame_rate.num, stream.avg_frame_rate.den};
        for (const AVDictionaryEntry* entry = nullptr;
             (entry = av_dict_get(container_->metadata, "", entry, AV_DICT_IGNORE_SUFFIX));)
            facts.metadata[entry->key] = entry->value;
        int result = 0;
        while (result >= 0 && (result = av_read_frame(container_.get(), packet_.get())) >= 0) {
            if (packet_->stream_index == stream_) result = decode(packet_.get(), facts.frames);
            av_packet_unref(packet_.get());
        }
        if (result == AVERROR_EOF) result = decode(nullptr, facts.frames);
        if (result < 0 && result != AVERROR_EOF) facts.damage = messages_.reason(result);
        // The stream's own tags are known once it is decoded; the container's were copied when it was opened.
        facts.color = color_text(*codec_);
        return facts;
    }

private:
    void open_container(const std::string& path) {
        AVFormatContext* context = avformat_alloc_context();
        if (!context) throw std::bad_alloc();
        context->pb = input_.context();
        AVDictionary* options = nullptr;
        av_dict_set(&options, "format_whitelist", kContainers, 0);
        av_dict_set(&options, "codec_whitelist", kCodecs, 0);
        // libav frees the context itself where this fails.
        int result = avformat_open_input(&context, nullptr, nullptr, &options);
        av_dict_free(&options);
        if (result < 0) fail(ErrorCode::NotAModel, {{"file", path}, {"found", messages_.reason(result)}});
        container_.reset(context);
        result = avformat_find_stream_info(context, nullptr);
        if (result < 0)
            fail(ErrorCode::FileUnreadable, {{"file", path}, {"reason", messages_.reason(result)}});
    }

    void open_codec(const std::string& path, int threads) {
        const AVCodec* decoder = nullptr;
        stream_ = av_find_best_stream(container_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
        int result = stream_;
        if (result >= 0) {
            codec_ = owned(avcodec_alloc_context3(decoder));
            codec_->codec_whitelist = av_strdup(kCodecs);
            codec_->max_pixels = kMaximumPixels;
            codec_->thread_count = threads;
            codec_->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER;
            result = avcodec_parameters_to_context(codec_.get(), container_->streams[stream_]->codecpar);
            if (result >= 0) result = avcodec_open2(codec_.get(), decoder, nullptr);
        }
        if (result < 0)
            fail(ErrorCode::FileUnreadable, {{"file", path}, {"reason", messages_.reason(result)}});
    }

    /// nullptr: what the decoder still holds.
    int decode(const AVPacket* packet, std::int64_t& frames) {
        int result = avcodec_send_packet(codec_.get(), packet);
        while (result >= 0 && (result = avcodec_receive_frame(codec_.get(), frame_.get())) >= 0) {
            if (frame_->decode_error_flags != 0 || (frame_->flags & AV_FRAME_FLAG_CORRUPT))
                return AVERROR_INVALIDDATA;
            if (hooks_.picture) hooks_.picture(*frame_);
            if (hooks_.should_stop && hooks_.should_stop()) fail(ErrorCode::Canceled);
            ++frames;
            input_.restart_deadline();
        }
        return result == AVERROR(EAGAIN) ? 0 : result;
    }

    const MovieHooks& hooks_;
    LibavMessages messages_;
    MovieInput input_;
    std::unique_ptr<AVFormatContext, FormatCloser> container_;
    LibavPtr<AVCodecContext> codec_;
    LibavPtr<AVPacket> packet_ = owned(av_packet_alloc());
    LibavPtr<AVFrame> frame_ = owned(av_frame_alloc());
    int stream_ = -1;
};

} // namespace

MovieFacts check_movie(const RegularFile& file, int threads, const MovieHooks& hooks) {
    return MovieDecoder(file, threads, hooks).decode_all();
}

} // namespace reelmesh
