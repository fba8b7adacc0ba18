// Who makes what of the picture. While denoising: which rank holds which tokens, and where one rank's end
// within the frame that is shown. While decoding: the rows that each rank decodes, at the plan's rows, and
// how far it is.
#pragma once

#include "overlays/overlay.h"

namespace reelmesh {

class ShardOverlay : public Overlay {
public:
    using Overlay::Overlay;
    QString key() const override { return QStringLiteral("shard"); }
    QString name() const override;
    QList<LayerShape> shapes(const PictureView& view, const QList<QRectF>& taken) const override;

private:
    QList<LayerShape> bands(const PictureView& view, const QList<QRectF>& taken) const;
    QList<LayerShape> tokens(const PictureView& view, const QList<QRectF>& taken) const;
};

} // namespace reelmesh
