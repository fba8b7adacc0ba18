// Opens a movie and decodes all of it: what is really there, not what the header claims. Only a few
// containers and codecs, through an own descriptor: no protocol, no second file, no device is ever opened.
// Any thread.
#pragma once

#include <map>
#include <string>

#include "base/regular_file.h"
#include "engine/request.h"

namespace reelmesh {

struct MovieFacts {
    std::int64_t frames = 0; ///< that decode
    FrameRate fps;
    int width = 0, height = 0;
    std::string color; ///< "bt709/bt709/bt709 limited": primaries, transfer, matrix
    std::map<std::string, std::string> metadata;
    std::string damage; ///< the library's words where decoding stopped; "": all is well
};

/// Threads: of the decoder; 0: as many as cores. Throws NotAModel (no movie), FileUnreadable
/// (a codec that is not read here, or a read that takes too long).
MovieFacts check_movie(const RegularFile& file, int threads);

} // namespace reelmesh
