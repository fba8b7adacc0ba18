#include "text/text_normalizer.h"

#include "text/utf8.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

namespace reelmesh {
namespace {

AlignedText apply(const PrecompiledCharsmap& charsmap, const AlignedText& input) {
    return charsmap.normalize(input);
}

AlignedText apply(const StripSpaces& strip, const AlignedText& input) {
    const std::string_view text = input.text;
    std::size_t begin = text.size(), end = 0;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t start = position;
        if (u_isUWhiteSpace(static_cast<UChar32>(next_character(text, position)))) continue;
        begin = std::min(begin, start);
        end = position;
    }
    if (!strip.left) begin = 0;
    if (!strip.right) end = text.size();
    if (begin >= end) return {};
    const auto ends = input.ends.begin();
    return {std::string(text.substr(begin, end - begin)),
            {ends + static_cast<std::ptrdiff_t>(begin), ends + static_cast<std::ptrdiff_t>(end)},
            input.source_of(begin)};
}

AlignedText apply(const ReplaceRuns& replace, const AlignedText& input) {
    const std::string_view text = input.text;
    AlignedText result;
    result.begin = input.begin;
    for (std::size_t position = 0; position < text.size();) {
        std::size_t repeats = 0, end = position;
        while (repeats < replace.max_repeats && text.substr(end).starts_with(replace.pattern)) {
            ++repeats;
            end += replace.pattern.size();
        }
        if (repeats >= replace.min_repeats) {
            result.append(replace.content, input.ends[end - 1]);
            position = end;
            continue;
        }
        result.append(text.substr(position, 1), input.ends[position]);
        ++position;
    }
    return result;
}

} // namespace

AlignedText normalize(const std::vector<NormalizerStep>& steps, AlignedText text) {
    for (const NormalizerStep& step : steps)
        text = std::visit([&](const auto& concrete) { return apply(concrete, text); }, step);
    return text;
}

} // namespace reelmesh
