// What lies over a picture and never in it: a list of shapes for the place where the picture is now. The view
// paints the shapes, tests read them. GUI thread.
#pragma once

#include <QList>
#include <QRectF>
#include <QString>

#include <optional>

#include "theme/lanes.h"

namespace reelmesh {

/// Where the picture is, logical pixels.
struct PictureView {
    QRectF picture;        ///< all of it; larger than the view when zoomed in
    QRectF visible;        ///< the part that can be seen
    int frame = 0;         ///< that is shown, of the clip
    int frames = 0;        ///< of the clip
    double noteHeight = 0; ///< taken at the lower left
};

struct LayerShape {
    enum class Kind {
        Chip,  ///< dark ground for text
        Text,  ///< in rect, aligned
        Bar,   ///< filled, rounded
        Lane,  ///< filled with a lane's colour and pattern
        Line,  ///< hairline along the top of rect
        Frame, ///< outline
    };
    enum class Tone { Text, Muted, Accent, Warning, Track, Light };

    Kind kind = Kind::Text;
    QRectF rect;
    QString text;
    Tone tone = Tone::Text;
    Qt::Alignment align = Qt::AlignLeft | Qt::AlignVCenter;
    double opacity = 1;
    bool number = false; ///< in the number font
    int pixels = 10;     ///< size of text
    Lane lane = Lane::Attention;
    QString name; ///< for tests and the map of items; "": not listed
};

class PictureLayer {
public:
    virtual ~PictureLayer() = default;
    virtual QList<LayerShape> shapes(const PictureView& view) const = 0;
};

} // namespace reelmesh
