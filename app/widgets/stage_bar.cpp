#include "stage_bar.h"

#include <QPainter>
#include <QStringList>

#include <cmath>
#include <numeric>

#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kThickness = 6;
constexpr int kGapBetween = 2;

} // namespace

StageBar::StageBar(std::vector<int> widths, QWidget* parent)
    : QWidget(parent), widths_(std::move(widths)), fractions_(widths_.size()) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
}

void StageBar::setFractions(std::vector<double> fractions) {
    Q_ASSERT(fractions.size() == widths_.size());
    if (fractions == fractions_) return;
    fractions_ = std::move(fractions);
    setAccessibleDescription(text());
    update();
}

QString StageBar::text() const {
    QStringList parts;
    for (double fraction : fractions_)
        parts << QString::number(std::lround(fraction * 100));
    return parts.join(' ');
}

QSize StageBar::sizeHint() const {
    return {240, kThickness};
}

void StageBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const Tokens& t = tokens(palette());
    const double gaps = kGapBetween * (double(widths_.size()) - 1);
    const double unit = (width() - gaps) / std::accumulate(widths_.begin(), widths_.end(), 0);
    double left = 0;
    for (std::size_t part = 0; part < widths_.size(); ++part) {
        const QRectF track(left, (height() - kThickness) / 2.0, widths_[part] * unit, kThickness);
        painter.setBrush(t.border);
        painter.drawRoundedRect(track, 2, 2);
        painter.setBrush(t.accent);
        if (fractions_[part] > 0)
            painter.drawRoundedRect(
                QRectF(track.topLeft(), QSizeF(track.width() * fractions_[part], kThickness)), 2, 2);
        left = track.right() + kGapBetween;
    }
}

} // namespace reelmesh
