// The overlays and which of them are on. GUI thread; the run outlives it.
#pragma once

#include <QObject>

#include "overlays/overlay.h"

namespace reelmesh {

class OverlaySet : public QObject, public PictureLayer {
    Q_OBJECT

public:
    explicit OverlaySet(const RunOverview& run, QObject* parent = nullptr);

    const std::vector<std::unique_ptr<Overlay>>& overlays() const { return overlays_; }
    bool isOn(const QString& key) const { return on_.contains(key); }
    bool isAnyOn() const { return !on_.isEmpty(); }
    void setOn(const QString& key, bool on);
    void setAll(bool on);

    QList<LayerShape> shapes(const PictureView& view) const override;

Q_SIGNALS:
    void changed();

private:
    std::vector<std::unique_ptr<Overlay>> overlays_;
    QStringList on_;
};

} // namespace reelmesh
