// What movies and pictures have in common: their comment, and what happens to taken names. Any thread.
#pragma once

#include <string>

#include "media/frame_sink.h"

namespace reelmesh {

/// Two lines: the prompt (at most 1 KiB, cut at a character and said so, line breaks as spaces) and the
/// program.
std::string comment_text(const std::string& prompt);

/// Throws OutputExists if the name has to be this one and is taken.
void refuse_taken_name(const SinkSpec& spec, const std::string& target);

/// A notice if the name had to be this one, but was taken meanwhile: nothing is ever replaced, nothing is
/// lost.
void note_other_name(const SinkSpec& spec, const std::string& target, WrittenMedia& written);

} // namespace reelmesh
