#include "prompt_box.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

#include <algorithm>

#include "prompt_edit.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kBorder = 2, kFoot = 22;

} // namespace

PromptBox::PromptBox(PromptEdit* edit, Foot foot, QWidget* parent) : QWidget(parent), edit_(edit) {
    // The box has the frame.
    edit->setFrameShape(QFrame::NoFrame);
    edit->setStyleSheet("QPlainTextEdit { border: 0; margin: 0; padding: 2px; background: transparent }");
    edit->installEventFilter(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kBorder, kBorder, kBorder, kBorder);
    column->setSpacing(0);
    column->addWidget(edit, 1);
    if (foot == Foot::None) return;
    auto* row = new QWidget;
    row->setFixedHeight(kFoot);
    foot_ = new QHBoxLayout(row);
    foot_->setContentsMargins(metrics::kGap, 1, metrics::kGap, 0);
    foot_->setSpacing(metrics::kGap);
    column->addWidget(row);
}

void PromptBox::setUsed(double fraction) {
    if (fraction == used_) return;
    used_ = fraction;
    update();
}

bool PromptBox::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
    return QWidget::eventFilter(watched, event);
}

void PromptBox::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focused = edit_->hasFocus();
    const double width = focused ? 2 : 1;
    painter.setPen(QPen(focused ? t.accent : isEnabled() ? t.strong : t.border, width));
    painter.setBrush(edit_->isEnabled() ? t.input : t.window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(width / 2, width / 2, -width / 2, -width / 2),
                            metrics::kRadius, metrics::kRadius);
    if (!foot_) return;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const int top = height() - kBorder - kFoot;
    painter.fillRect(kBorder, top, this->width() - 2 * kBorder, 1, t.border);
    const double room = this->width() - 2 * kBorder;
    painter.fillRect(QRectF(kBorder, top - 1, std::min(1.0, used_) * room, 2),
                     used_ > 1 ? t.warning : t.accent);
}

} // namespace reelmesh
