#include "overlay_set.h"

#include <algorithm>

namespace reelmesh {

OverlaySet::OverlaySet(const RunOverview& run, QObject* parent)
    : QObject(parent), overlays_(makeOverlays(run)) {
    connect(&run, &RunOverview::changed, this, [this] {
        if (isAnyOn()) Q_EMIT changed();
    });
}

void OverlaySet::setOn(const QString& key, bool on) {
    if (isOn(key) == on) return;
    on ? on_.append(key) : void(on_.removeAll(key));
    Q_EMIT changed();
}

void OverlaySet::setAll(bool on) {
    on_.clear();
    if (on)
        for (const auto& overlay : overlays_)
            on_.append(overlay->key());
    Q_EMIT changed();
}

QList<LayerShape> OverlaySet::shapes(const PictureView& view) const {
    QList<LayerShape> all;
    QList<QRectF> taken;
    for (const auto& overlay : overlays_) {
        if (!isOn(overlay->key())) continue;
        const QList<LayerShape> shapes = overlay->shapes(view, taken);
        all += shapes;
        for (const LayerShape& shape : shapes)
            if (shape.kind == LayerShape::Kind::Chip) taken.append(shape.rect);
    }
    // Lines cross the picture, not the chips.
    std::stable_partition(all.begin(), all.end(),
                          [](const LayerShape& shape) { return shape.kind == LayerShape::Kind::Line; });
    return all;
}

} // namespace reelmesh
