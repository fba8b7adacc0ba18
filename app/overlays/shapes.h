// Short ways to the shapes that overlays are made of.
#pragma once

#include "widgets/picture_layer.h"

namespace reelmesh::shapes {

inline constexpr double kMargin = 8; ///< of chips, within the picture
inline constexpr double kInner = 8;  ///< of what a chip holds

inline LayerShape chip(const QRectF& rect, const QString& name = {}, const QString& text = {}) {
    return {.kind = LayerShape::Kind::Chip, .rect = rect, .text = text, .name = name};
}

inline LayerShape bar(const QRectF& rect, LayerShape::Tone tone, double opacity = 1, const QString& name = {},
                      const QString& text = {}) {
    return {.kind = LayerShape::Kind::Bar,
            .rect = rect,
            .text = text,
            .tone = tone,
            .opacity = opacity,
            .name = name};
}

inline LayerShape lane(const QRectF& rect, Lane lane) {
    return {.kind = LayerShape::Kind::Lane, .rect = rect, .lane = lane};
}

inline LayerShape words(const QRectF& rect, const QString& text,
                        LayerShape::Tone tone = LayerShape::Tone::Text,
                        Qt::Alignment align = Qt::AlignLeft | Qt::AlignVCenter) {
    return {.kind = LayerShape::Kind::Text, .rect = rect, .text = text, .tone = tone, .align = align};
}

inline LayerShape number(const QRectF& rect, const QString& text,
                         LayerShape::Tone tone = LayerShape::Tone::Text,
                         Qt::Alignment align = Qt::AlignLeft | Qt::AlignVCenter) {
    LayerShape shape = words(rect, text, tone, align);
    shape.number = true;
    return shape;
}

} // namespace reelmesh::shapes
