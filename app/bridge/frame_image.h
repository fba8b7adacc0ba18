// An engine frame as a QImage. Eight-bit pixels are not copied: the image keeps the shared bytes
// alive, from any thread; sixteen-bit ones are widened, since Qt has no such format of three channels.
#pragma once

#include <QImage>

#include "engine/frame.h"

namespace reelmesh {

/// A null image for a frame without pixels.
QImage frameImage(const Frame& frame);

} // namespace reelmesh
