#include "panel_title.h"

#include <QHBoxLayout>
#include <QPainter>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {

PanelTitle::PanelTitle(const QString& name, QWidget* parent) : QWidget(parent), remark_(new QLabel) {
    setFixedHeight(metrics::kPanelTitle);
    auto* label = new QLabel(name);
    label->setFont(metrics::textFont(metrics::kBaseText, QFont::DemiBold));
    remark_->setFont(metrics::textFont(metrics::kSmallText));
    remark_->setProperty("tone", "muted");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 0);
    row->addWidget(label);
    row->addStretch();
    row->addWidget(remark_);
}

void PanelTitle::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = tokens(palette());
    painter.fillRect(rect(), t.bar);
    painter.fillRect(0, height() - 1, width(), 1, t.border);
}

} // namespace reelmesh
