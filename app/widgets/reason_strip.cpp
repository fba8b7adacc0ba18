#include "reason_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {

ReasonStrip::ReasonStrip(QWidget* parent) : QWidget(parent), icon_(new QLabel), text_(new QLabel) {
    icon_->setPixmap(icon("info", IconTint::Muted).pixmap(QSize(14, 14), devicePixelRatioF()));
    text_->setFont(metrics::textFont(metrics::kSmallText));
    text_->setProperty("tone", "second");
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(metrics::kPadding, metrics::kGap, metrics::kPadding, metrics::kGap + 1);
    row->setSpacing(metrics::kGap + 2);
    row->addWidget(icon_, 0, Qt::AlignTop);
    row->addWidget(text_, 1);
    hide();
}

void ReasonStrip::setReason(const QString& reason) {
    text_->setText(reason);
    setAccessibleName(reason);
    setVisible(!reason.isEmpty());
}

QString ReasonStrip::text() const {
    return text_->text();
}

void ReasonStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = tokens(palette());
    painter.fillRect(rect(), t.alt);
    painter.fillRect(0, height() - 1, width(), 1, t.border);
}

} // namespace reelmesh
