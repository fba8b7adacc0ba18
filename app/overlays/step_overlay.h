// Upper right: the time of the last step, the one that was planned, and a bar for each of the last steps.
#pragma once

#include "overlays/overlay.h"

namespace reelmesh {

class StepOverlay : public Overlay {
public:
    using Overlay::Overlay;
    QString key() const override { return QStringLiteral("step"); }
    QString name() const override;
    QList<LayerShape> shapes(const PictureView& view, const QList<QRectF>& taken) const override;
};

} // namespace reelmesh
