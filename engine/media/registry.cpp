// The formats that frames can be written in: one row each.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "media/encoder_probe.h"
#include "media/image_sequence.h"
#include "media/mp4_writer.h"

namespace reelmesh {
namespace {

std::vector<std::string> opened_encoders() {
    std::vector<std::string> names;
    for (const EncoderSummary& encoder : probe_encoders())
        if (encoder.opened) names.push_back(encoder.name);
    return names;
}

struct Format {
    const char* key;
    std::unique_ptr<FrameSink> (*make)(const SinkSpec& spec);
};

constexpr std::array kFormats = {
    Format{"mp4",
           [](const SinkSpec& spec) -> std::unique_ptr<FrameSink> {
               return std::make_unique<Mp4Writer>(spec, opened_encoders());
           }},
    Format{"png",
           [](const SinkSpec& spec) -> std::unique_ptr<FrameSink> {
               return std::make_unique<ImageSequence>(spec);
           }},
};

} // namespace

std::unique_ptr<FrameSink> make_frame_sink(const std::string& format, const SinkSpec& spec) {
    for (const Format& row : kFormats)
        if (format == row.key) return row.make(spec);
    std::vector<std::string> known;
    for (const Format& row : kFormats)
        known.emplace_back(row.key);
    fail(ErrorCode::BadField, {{"field", std::string("format")}, {"found", format}, {"needed", known}});
}

} // namespace reelmesh
