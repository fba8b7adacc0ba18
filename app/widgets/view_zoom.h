// Where a picture lies in a view: fitted, or at a scale around a point. All lengths are device pixels, so
// that 100 % is one pixel of the picture on one of the screen and edges never fall between two. Plain value.
#pragma once

#include <QPointF>
#include <QRect>
#include <QSize>

namespace reelmesh {

class ViewZoom {
public:
    static constexpr double kLeast = 0.1, kMost = 16;

    struct Place {
        QSize view;     ///< room for the picture
        QSize picture;  ///< its own pixels
        int margin = 0; ///< kept free around a fitted picture
    };

    bool isFit() const { return scale_ <= 0; }
    void fit() { scale_ = 0; }
    double scale(const Place& place) const;
    QRect rect(const Place& place) const;
    /// The point of the picture under the anchor stays there.
    void zoomTo(double scale, QPointF anchor, const Place& place);
    void panBy(QPointF delta, const Place& place);
    /// The picture is larger than the view.
    bool canPan(const Place& place) const;

private:
    QPointF centre(const Place& place) const;

    double scale_ = 0; ///< 0: fit
    QPointF centre_;   ///< of the view, in pixels of the picture
};

} // namespace reelmesh
