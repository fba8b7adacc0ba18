#include "view_zoom.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

QSize scaled(QSize size, double scale) {
    return {std::max(1, static_cast<int>(std::lround(size.width() * scale))),
            std::max(1, static_cast<int>(std::lround(size.height() * scale)))};
}

/// Centred where there is room, else without a gap at either edge.
double held(double centre, double picture, double view) {
    if (picture <= view) return picture / 2;
    return std::clamp(centre, view / 2, picture - view / 2);
}

} // namespace

double ViewZoom::scale(const Place& place) const {
    if (!isFit()) return scale_;
    if (place.picture.isEmpty()) return 1;
    const double width = std::max(1, place.view.width() - 2 * place.margin);
    const double height = std::max(1, place.view.height() - 2 * place.margin);
    return std::min(width / place.picture.width(), height / place.picture.height());
}

QPointF ViewZoom::centre(const Place& place) const {
    const double s = scale(place);
    if (isFit()) return {place.picture.width() / 2.0, place.picture.height() / 2.0};
    return {held(centre_.x(), place.picture.width(), place.view.width() / s),
            held(centre_.y(), place.picture.height(), place.view.height() / s)};
}

QRect ViewZoom::rect(const Place& place) const {
    if (place.picture.isEmpty()) return {};
    const double s = scale(place);
    const QPointF middle = centre(place);
    const QSize size = scaled(place.picture, s);
    return {QPoint(static_cast<int>(std::lround(place.view.width() / 2.0 - middle.x() * s)),
                   static_cast<int>(std::lround(place.view.height() / 2.0 - middle.y() * s))),
            size};
}

void ViewZoom::zoomTo(double scale, QPointF anchor, const Place& place) {
    if (place.picture.isEmpty()) return;
    const QRect before = rect(place);
    const QPointF point = (anchor - before.topLeft()) / this->scale(place);
    scale_ = std::clamp(scale, kLeast, kMost);
    centre_ = point - (anchor - QPointF(place.view.width() / 2.0, place.view.height() / 2.0)) / scale_;
    centre_ = centre(place);
}

void ViewZoom::panBy(QPointF delta, const Place& place) {
    if (isFit()) return;
    centre_ -= delta / scale_;
    centre_ = centre(place);
}

bool ViewZoom::canPan(const Place& place) const {
    const QSize size = rect(place).size();
    return size.width() > place.view.width() || size.height() > place.view.height();
}

} // namespace reelmesh
