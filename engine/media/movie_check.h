// Opens a movie and decodes all of it: what is really there, not what the header claims. Only a few
// containers and codecs, through an own descriptor: no protocol, no second file, no device is ever opened.
// Any thread.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/regular_file.h"
#include "engine/request.h"

struct AVFrame;

namespace reelmesh {

struct MovieFacts {
    std::int64_t frames = 0; ///< that decode
    FrameRate fps;
    int width = 0, height = 0;
    std::string color; ///< "bt709/bt709/bt709 limited": primaries, transfer, matrix
    std::map<std::string, std::string> metadata;
    std::string damage; ///< the library's words where decoding stopped; "": all is well
};

struct MovieHooks {
    std::function<void(const AVFrame& picture)> picture; ///< each one in playing order; may be empty
    std::function<bool()> should_stop;                   ///< asked between pictures; may be empty
};

/// Threads: of the decoder; 0: as many as cores. Throws NotAModel (no movie), FileUnreadable
/// (a codec that is not read here, or a read that takes too long), Canceled, and what the hooks throw.
MovieFacts check_movie(const RegularFile& file, int threads, const MovieHooks& hooks = {});

} // namespace reelmesh
