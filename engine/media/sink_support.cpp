#include "media/sink_support.h"

#include <unicode/utf8.h>

#include <filesystem>

#include "base/check.h"

namespace reelmesh {
namespace {

constexpr std::int32_t kMaximumPromptBytes = 1024;

} // namespace

std::string comment_text(const std::string& prompt) {
    std::string text = prompt;
    if (text.size() > kMaximumPromptBytes) {
        std::int32_t end = kMaximumPromptBytes;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
        U8_SET_CP_START(bytes, 0, end);
        text.resize(static_cast<std::size_t>(end));
        text += " ... (cut)";
    }
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    if (!text.empty()) text += '\n';
    return text + "made with Reelmesh";
}

void refuse_taken_name(const SinkSpec& spec, const std::string& target) {
    std::error_code ignored;
    const auto status = std::filesystem::symlink_status(target, ignored);
    if (spec.exact_name && std::filesystem::exists(status)) fail(ErrorCode::OutputExists, {{"file", target}});
}

void note_other_name(const SinkSpec& spec, const std::string& target, WrittenMedia& written) {
    if (spec.exact_name && written.path != target)
        written.notices.push_back(target + " was taken meanwhile, so the result is " + written.path + ".");
}

} // namespace reelmesh
