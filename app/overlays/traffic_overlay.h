// Lower left: how each rank spent its last step, as shares of computing, moving and waiting.
#pragma once

#include "overlays/overlay.h"

namespace reelmesh {

class TrafficOverlay : public Overlay {
public:
    using Overlay::Overlay;
    QString key() const override { return QStringLiteral("traffic"); }
    QString name() const override;
    QList<LayerShape> shapes(const PictureView& view, const QList<QRectF>& taken) const override;
};

} // namespace reelmesh
