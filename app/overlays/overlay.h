// One thing told about the run, laid over the picture: shapes for the place where the picture is. Reads
// models/run_overview. GUI thread.
#pragma once

#include <QString>

#include <memory>
#include <vector>

#include "models/run_overview.h"
#include "widgets/picture_layer.h"

namespace reelmesh {

class Overlay {
public:
    explicit Overlay(const RunOverview& run) : run_(run) {}
    virtual ~Overlay() = default;

    virtual QString key() const = 0;  ///< "step"
    virtual QString name() const = 0; ///< as in the menu
    /// Nothing where nothing is known. taken: chips of the overlays before it.
    virtual QList<LayerShape> shapes(const PictureView& view, const QList<QRectF>& taken) const = 0;

protected:
    const RunOverview& run() const { return run_; }

private:
    const RunOverview& run_;
};

/// All there are, in the order in which they are laid out.
std::vector<std::unique_ptr<Overlay>> makeOverlays(const RunOverview& run);

} // namespace reelmesh
