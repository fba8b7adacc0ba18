// Paints what lies over a picture: chips and shapes in the colours of the dark theme, which are the same over
// any picture. GUI thread.
#pragma once

#include <QPainter>

#include "widgets/picture_layer.h"

namespace reelmesh {

void paintShapes(QPainter& painter, const QList<LayerShape>& shapes);

/// A dark chip with a sentence; an optional mark before it and a bold first word.
struct Chip {
    enum class Mark { None, Preview, Decoding };
    QString text;
    Mark mark = Mark::None;
    QString head; ///< bold, before the text
};
/// Size of the chip; 0 for an empty one.
QSizeF chipSize(const Chip& chip, double mostWidth);
void paintChip(QPainter& painter, const QRectF& rect, const Chip& chip);

} // namespace reelmesh
