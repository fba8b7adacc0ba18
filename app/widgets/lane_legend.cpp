#include "lane_legend.h"

#include <QPainter>
#include <QStringList>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kSwatch = 10, kSwatchGap = 5, kGap = 12, kHeight = 20;

} // namespace

LaneLegend::LaneLegend(std::vector<Lane> lanes, QWidget* parent) : QWidget(parent), lanes_(std::move(lanes)) {
    setFont(metrics::textFont(metrics::kSmallText));
    QStringList names;
    for (const Lane lane : lanes_)
        names << laneName(lane);
    setToolTip(tr("Colours of the timeline: %1.").arg(names.join(", ")));
    setAccessibleName(toolTip());
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

int LaneLegend::widthOf(Lane lane) const {
    return kSwatch + kSwatchGap + fontMetrics().horizontalAdvance(laneName(lane)) + kGap;
}

QSize LaneLegend::sizeHint() const {
    int width = 0;
    for (const Lane lane : lanes_)
        width += widthOf(lane);
    return {width, kHeight};
}

void LaneLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setFont(font());
    painter.setPen(tokens(palette()).second);
    int x = 0;
    for (const Lane lane : lanes_) {
        if (x + widthOf(lane) - kGap > width()) break;
        fillLane(painter, QRectF(x, (height() - kSwatch) / 2.0, kSwatch, kSwatch), lane);
        painter.drawText(QRect(x + kSwatch + kSwatchGap, 0, widthOf(lane), height()), Qt::AlignVCenter,
                         laneName(lane));
        x += widthOf(lane);
    }
}

} // namespace reelmesh
