// HTML character references in text, by two rules. Pure; text is valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace reelmesh {

/// As Python's html.unescape: the HTML 5 rules, also names without a semicolon, one level.
std::string unescape_html(std::string_view text);

/// As ftfy: only references with a semicolon, but names in capitals too ("&EACUTE;"). References that decode
/// to "&" are decoded again with what follows: text is the same in the end, after one pass instead of one a
/// level.
std::string unescape_html_strictly(std::string_view text);

} // namespace reelmesh
