// Colours and patterns with their names in a line; what does not fit is left out and stands in the tooltip.
// GUI thread.
#pragma once

#include <QWidget>

#include <vector>

#include "theme/lanes.h"

namespace reelmesh {

class LaneLegend : public QWidget {
    Q_OBJECT

public:
    explicit LaneLegend(std::vector<Lane> lanes, QWidget* parent = nullptr);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int widthOf(Lane lane) const;

    std::vector<Lane> lanes_;
};

} // namespace reelmesh
