#include "media/png_text.h"

extern "C" {
#include <libavutil/crc.h>
}

#include "base/check.h"

namespace reelmesh {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t kFrameBytes = 12; // length, type, CRC
constexpr std::size_t kHeaderEnd = 8 + kFrameBytes + 13;
constexpr std::string_view kPerceptualIntent = "\0"sv;
/// Behind an iTXt keyword: not compressed, no language, no translated keyword.
constexpr std::string_view kPlainText = "\0\0\0\0\0"sv;

std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (const char byte : bytes.substr(at, 4))
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

std::string chunk(std::string_view type, std::string_view data) {
    const std::string body = std::string(type) + std::string(data);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(body.data());
    const std::uint32_t crc = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), 0xffffffffu, bytes, body.size());
    return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(crc);
}

void read_text(PngFacts& facts, std::string_view type, std::string_view data) {
    const std::size_t end = data.find('\0');
    if (end == std::string_view::npos) return;
    const std::string keyword(data.substr(0, end));
    if (type == "tEXt") {
        facts.text[keyword] = data.substr(end + 1);
    } else if (data.size() > end + 3 && data[end + 1] == '\0') {
        const std::size_t language_end = data.find('\0', end + 3);
        if (language_end == std::string_view::npos) return;
        const std::size_t translation_end = data.find('\0', language_end + 1);
        if (translation_end != std::string_view::npos) facts.text[keyword] = data.substr(translation_end + 1);
    }
}

} // namespace

void add_png_text(std::vector<unsigned char>& png, const std::map<std::string, std::string>& text) {
    REELMESH_CHECK(png.size() > kHeaderEnd);
    std::string chunks = chunk("sRGB", kPerceptualIntent);
    for (const auto& [keyword, value] : text)
        chunks += chunk("iTXt", keyword + std::string(kPlainText) + value);
    png.insert(png.begin() + kHeaderEnd, chunks.begin(), chunks.end());
}

bool is_png(std::string_view start) {
    return start.starts_with(kSignature);
}

PngFacts read_png_facts(const std::string& file, std::string_view png) {
    if (!is_png(png) || png.size() < kHeaderEnd || png.substr(12, 4) != "IHDR")
        fail(ErrorCode::NotAModel, {{"file", file}, {"found", std::string("no PNG picture")}});
    PngFacts facts;
    facts.width = number_at(png, 16);
    facts.height = number_at(png, 20);
    for (std::size_t at = kSignature.size(); at < png.size();) {
        const std::size_t left = png.size() - at;
        const std::size_t size = left < kFrameBytes ? left : number_at(png, at);
        if (left < kFrameBytes || size > left - kFrameBytes)
            fail(ErrorCode::HeaderSyntax,
                 {{"file", file}, {"reason", "a chunk leaves the file at byte " + std::to_string(at)}});
        const std::string_view type = png.substr(at + 4, 4), data = png.substr(at + 8, size);
        if (type == "sRGB") facts.srgb = true;
        if (type == "iTXt" || type == "tEXt") read_text(facts, type, data);
        if (type == "IEND") break;
        at += kFrameBytes + size;
    }
    return facts;
}

} // namespace reelmesh
