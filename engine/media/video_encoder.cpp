#include "media/video_encoder.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>

#include "base/check.h"

namespace reelmesh {
namespace {

// x264 writes its thread count into the stream, and the count limits motion vectors: a fixed one gives the
// same file on every machine.
constexpr int kEncoderThreads = 4;
constexpr int kLargestMpeg4Quantizer = 31;

/// The codec's own options; how much of the picture is lost is on another scale in each.
void set_quality(AVCodecContext& context, const EncoderSettings& settings) {
    if (settings.name == "libx264") {
        av_opt_set(context.priv_data, "preset", "medium", 0);
        av_opt_set_double(context.priv_data, "crf", settings.crf, 0);
        context.thread_count = kEncoderThreads;
    } else if (settings.name == "h264_nvenc") {
        av_opt_set(context.priv_data, "rc", "vbr", 0);
        av_opt_set_double(context.priv_data, "cq", settings.crf, 0);
    } else {
        const int quantizer = std::clamp(1 + settings.crf / 7, 1, kLargestMpeg4Quantizer);
        context.flags |= AV_CODEC_FLAG_QSCALE;
        context.global_quality = quantizer * FF_QP2LAMBDA;
        context.thread_count = 1;
    }
}

AVPixelFormat rgb_format(PixelFormat format) {
    return format == PixelFormat::Rgb16 ? AV_PIX_FMT_RGB48 : AV_PIX_FMT_RGB24;
}

} // namespace

VideoEncoder::VideoEncoder(const EncoderSettings& settings) : settings_(settings) {
    const LibavMessages messages;
    const AVCodec* codec = avcodec_find_encoder_by_name(settings.name.c_str());
    if (!codec)
        fail(ErrorCode::EncoderFailed,
             {{"encoder", settings.name}, {"reason", messages.reason(AVERROR_ENCODER_NOT_FOUND)}});
    context_ = owned(avcodec_alloc_context3(codec));
    AVCodecContext& context = *context_;
    const bool even = settings.width % 2 == 0 && settings.height % 2 == 0;
    context.width = settings.width;
    context.height = settings.height;
    context.pix_fmt = even ? AV_PIX_FMT_YUV420P : AV_PIX_FMT_YUV444P;
    context.framerate = {static_cast<int>(settings.fps.numerator),
                         static_cast<int>(settings.fps.denominator)};
    context.time_base = av_inv_q(context.framerate);
    context.sample_aspect_ratio = {1, 1};
    context.color_primaries = AVCOL_PRI_BT709;
    context.color_trc = AVCOL_TRC_BT709;
    context.colorspace = AVCOL_SPC_BT709;
    context.color_range = AVCOL_RANGE_MPEG;
    context.chroma_sample_location = AVCHROMA_LOC_LEFT;
    context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT;
    set_quality(context, settings);
    if (const int result = avcodec_open2(&context, codec, nullptr); result < 0)
        fail(ErrorCode::EncoderFailed, {{"encoder", settings.name}, {"reason", messages.reason(result)}});
    packet_ = owned(av_packet_alloc());
}

void VideoEncoder::open_scaler(PixelFormat format) {
    scaler_ = owned(sws_alloc_context());
    const auto set = [this](const char* option, std::int64_t value) {
        av_opt_set_int(scaler_.get(), option, value, 0);
    };
    set("srcw", settings_.width);
    set("srch", settings_.height);
    set("dstw", settings_.width);
    set("dsth", settings_.height);
    set("src_format", rgb_format(format));
    set("dst_format", context_->pix_fmt);
    set("sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT);
    if (context_->pix_fmt == AV_PIX_FMT_YUV420P) {
        // H.264's default place of chroma samples: on the left column, between two rows (1/256 px).
        set("dst_h_chr_pos", 0);
        set("dst_v_chr_pos", 128);
    }
    const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
    constexpr int kFullRange = 1, kLimitedRange = 0, kUnchanged = 1 << 16;
    sws_setColorspaceDetails(scaler_.get(), bt709, kFullRange, bt709, kLimitedRange, 0, kUnchanged,
                             kUnchanged);
    if (const int result = sws_init_context(scaler_.get(), nullptr, nullptr); result < 0)
        fail(ErrorCode::EncoderFailed,
             {{"encoder", settings_.name}, {"reason", LibavMessages().reason(result)}});
    scaled_format_ = format;
}

void VideoEncoder::encode(const Frame& frame, const PacketSink& sink) {
    REELMESH_CHECK(frame.width == settings_.width && frame.height == settings_.height);
    if (!scaler_ || scaled_format_ != frame.format) open_scaler(frame.format);
    // A new picture each time: the encoder keeps the last ones.
    const std::int64_t index = picture_ ? picture_->pts + 1 : 0;
    picture_ = owned(av_frame_alloc());
    picture_->format = context_->pix_fmt;
    picture_->width = settings_.width;
    picture_->height = settings_.height;
    picture_->pts = index;
    if (av_frame_get_buffer(picture_.get(), 0) < 0) throw std::bad_alloc();
    const std::uint8_t* rows[] = {frame.row(0)};
    const int strides[] = {static_cast<int>(frame.stride)};
    sws_scale(scaler_.get(), rows, strides, 0, settings_.height, picture_->data, picture_->linesize);
    send(picture_.get(), sink);
}

void VideoEncoder::flush(const PacketSink& sink) {
    send(nullptr, sink);
}

void VideoEncoder::send(const AVFrame* frame, const PacketSink& sink) {
    const LibavMessages messages;
    int result = avcodec_send_frame(context_.get(), frame);
    while (result >= 0 && (result = avcodec_receive_packet(context_.get(), packet_.get())) >= 0) {
        // Without it the last frame has no length and players leave it out.
        packet_->duration = 1;
        sink(*packet_);
        av_packet_unref(packet_.get());
    }
    if (result != AVERROR(EAGAIN) && result != AVERROR_EOF)
        fail(ErrorCode::EncoderFailed, {{"encoder", settings_.name}, {"reason", messages.reason(result)}});
}

} // namespace reelmesh
