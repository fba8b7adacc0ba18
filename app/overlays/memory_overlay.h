// Lower right: memory in use, its highest, what was planned, and how much there is.
#pragma once

#include "overlays/overlay.h"

namespace reelmesh {

class MemoryOverlay : public Overlay {
public:
    using Overlay::Overlay;
    QString key() const override { return QStringLiteral("memory"); }
    QString name() const override;
    QList<LayerShape> shapes(const PictureView& view, const QList<QRectF>& taken) const override;
};

} // namespace reelmesh
