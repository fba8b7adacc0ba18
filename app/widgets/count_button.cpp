#include "count_button.h"

#include <QFontMetrics>
#include <QPainter>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kMargin = 4, kGap = 5;

QFont wordFont() {
    return metrics::textFont(metrics::kSmallText);
}
QFont countFont() {
    return metrics::numberFont(metrics::kSmallText);
}

} // namespace

CountButton::CountButton(const QString& word, QWidget* parent) : QAbstractButton(parent), word_(word) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void CountButton::setCount(const QString& text, Tone tone) {
    tone_ = tone;
    setText(text);
    updateGeometry();
    update();
}

QSize CountButton::sizeHint() const {
    return {QFontMetrics(wordFont()).horizontalAdvance(word_) + kGap +
                QFontMetrics(countFont()).horizontalAdvance(text()) + 2 * kMargin,
            metrics::kSmallControl - 1};
}

void CountButton::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens(palette());
    QPainter painter(this);
    const QRect inside = rect().adjusted(kMargin, 0, -kMargin, 0);
    const bool warned = tone_ == Tone::Warning;
    painter.setPen(warned ? t.warning : t.muted);
    painter.setFont(wordFont());
    painter.drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, word_);
    painter.setPen(warned ? t.warning : t.text);
    painter.setFont(countFont());
    painter.drawText(inside, Qt::AlignRight | Qt::AlignVCenter, text());
    if (!hasFocus()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.accent, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);
}

} // namespace reelmesh
