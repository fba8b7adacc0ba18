#include "media/mp4_writer.h"

#include <filesystem>

#include "base/check.h"
#include "media/job_metadata.h"
#include "media/movie_check.h"
#include "media/sink_support.h"

namespace reelmesh {
namespace {

/// Frees the options whatever happens.
struct Options {
    AVDictionary* dictionary = nullptr;
    ~Options() { av_dict_free(&dictionary); }
};

void check_muxer(int result, const LibavMessages& messages) {
    if (result < 0)
        fail(ErrorCode::EncoderFailed,
             {{"encoder", std::string("mp4")}, {"reason", messages.reason(result)}});
}

MovieFacts check_written(const std::string& path, const SinkSpec& spec) {
    try {
        return check_movie(RegularFile(path), spec.threads, {{}, spec.should_stop});
    } catch (const EngineException& exception) {
        if (exception.error().code == ErrorCode::Canceled) throw;
        return {.damage = exception.what()};
    }
}

} // namespace

Mp4Writer::Mp4Writer(const SinkSpec& spec, const std::vector<std::string>& encoders) : spec_(spec) {
    REELMESH_CHECK(spec.frames > 0 && spec.width > 0 && spec.height > 0);
    refuse_taken_name(spec, spec.target);
    open_encoder(encoders);
    file_ = std::make_unique<PendingFile>(spec.target, "mp4");
    output_ = std::make_unique<MovieOutput>(*file_);
    open_container();
}

Mp4Writer::~Mp4Writer() = default;

void Mp4Writer::open_encoder(const std::vector<std::string>& encoders) {
    std::vector<std::string> refused;
    for (const std::string& name : encoders) {
        try {
            encoder_ = std::make_unique<VideoEncoder>(
                EncoderSettings{name, spec_.width, spec_.height, spec_.fps, spec_.crf});
            break;
        } catch (const EngineException& exception) {
            refused.push_back(name + ": " + exception.error().text("reason"));
        }
    }
    if (!encoder_) fail(ErrorCode::EncoderMissing, {{"found", refused}, {"needed", std::string("mp4")}});
    written_.encoder = encoder_->name();
    if (encoder_->name() != "libx264")
        written_.notices.push_back("Encoded with " + encoder_->name() +
                                   ", since libx264 does not open here.");
    if (encoder_->context().pix_fmt == AV_PIX_FMT_YUV444P)
        written_.notices.push_back("Encoded as 4:4:4, since a side is odd; some players show only 4:2:0.");
}

void Mp4Writer::open_container() {
    const LibavMessages messages;
    // libav reads the file again to move the index to the front; the prefix keeps it from looking for
    // protocols.
    const std::string url = "file:" + file_->temporary_path();
    AVFormatContext* context = nullptr;
    int result = avformat_alloc_output_context2(&context, nullptr, "mp4", url.c_str());
    container_.reset(context);
    check_muxer(result, messages);
    context->pb = output_->context();
    context->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    if (!spec_.metadata_json.empty())
        av_dict_set(&context->metadata, kJobMetadataKey, spec_.metadata_json.c_str(), 0);
    av_dict_set(&context->metadata, "comment", comment_text(spec_.prompt).c_str(), 0);

    AVStream* stream = avformat_new_stream(context, nullptr);
    if (!stream) throw std::bad_alloc();
    avcodec_parameters_from_context(stream->codecpar, &encoder_->context());
    stream->time_base = encoder_->time_base();
    stream->avg_frame_rate = stream->r_frame_rate = encoder_->context().framerate;
    stream->sample_aspect_ratio = {1, 1};
    Options options;
    av_dict_set(&options.dictionary, "movflags", "faststart+use_metadata_tags+write_colr", 0);
    // The movie's clock is the frames' clock, so that no duration is rounded.
    av_dict_set_int(&options.dictionary, "movie_timescale", spec_.fps.numerator, 0);
    result = avformat_write_header(context, &options.dictionary);
    output_->rethrow_failure();
    check_muxer(result, messages);
}

void Mp4Writer::write(const Frame& frame) {
    REELMESH_CHECK(frames_ < spec_.frames);
    encoder_->encode(frame, [this](AVPacket& packet) { write_packet(packet); });
    ++frames_;
}

void Mp4Writer::write_packet(AVPacket& packet) {
    const LibavMessages messages;
    av_packet_rescale_ts(&packet, encoder_->time_base(), container_->streams[0]->time_base);
    packet.stream_index = 0;
    const int result = av_interleaved_write_frame(container_.get(), &packet);
    output_->rethrow_failure();
    check_muxer(result, messages);
}

WrittenMedia Mp4Writer::finish() {
    REELMESH_CHECK(frames_ == spec_.frames);
    encoder_->flush([this](AVPacket& packet) { write_packet(packet); });
    complete_container();
    verify();
    written_.bytes = std::filesystem::file_size(file_->temporary_path());
    written_.path = file_->commit_to_free_name();
    note_other_name(spec_, spec_.target, written_);
    return written_;
}

void Mp4Writer::complete_container() {
    const LibavMessages messages;
    const int result = av_write_trailer(container_.get());
    avio_flush(output_->context());
    output_->rethrow_failure();
    // Positive values are no failures, although the documentation says 0.
    check_muxer(result, messages);
    file_->finish();
}

void Mp4Writer::verify() const {
    const MovieFacts facts = check_written(file_->temporary_path(), spec_);
    const auto shape = [](std::int64_t frames, int width, int height) {
        return std::to_string(frames) + " frames of " + std::to_string(width) + "x" + std::to_string(height);
    };
    const std::string needed = shape(spec_.frames, spec_.width, spec_.height);
    std::string found = shape(facts.frames, facts.width, facts.height);
    if (!facts.damage.empty()) found += ", " + facts.damage;
    if (found != needed)
        fail(ErrorCode::VerifyFailed, {{"file", spec_.target}, {"found", found}, {"needed", needed}});
}

} // namespace reelmesh
