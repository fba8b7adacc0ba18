// An engine frame as a QImage. Eight-bit pixels are not copied: the image keeps the shared bytes
// alive, from any thread; sixteen-bit ones are widened, since Qt has no such format of three channels.
#pragma once

#include <QImage>

#include "engine/frame.h"

namespace reelmesh {

/// A null image for a frame without pixels.
QImage frameImage(const Frame& frame);
/// The other way: a copy of its pixels as Rgb8.
Frame frameOf(const QImage& image);

} // namespace reelmesh
