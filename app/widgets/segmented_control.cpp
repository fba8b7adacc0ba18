#include "segmented_control.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kFrame = 2; ///< around the choices
constexpr int kSide = 8;  ///< beside a word

} // namespace

SegmentedControl::SegmentedControl(const QStringList& choices, QWidget* parent)
    : QWidget(parent), choices_(choices) {
    setFont(metrics::textFont(metrics::kSmallText));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void SegmentedControl::setCurrent(int choice) {
    if (choice == current_ || choice < 0 || choice >= choices_.size()) return;
    current_ = choice;
    setAccessibleDescription(text());
    update();
    Q_EMIT changed(choice);
}

QVariantList SegmentedControl::uiItems() const {
    QVariantList items;
    for (int i = 0; i < choices_.size(); ++i)
        items << QVariantMap{
            {"name", QString("%1/%2").arg(objectName()).arg(i)}, {"rect", place(i)}, {"text", choices_[i]}};
    return items;
}

QSize SegmentedControl::sizeHint() const {
    return {place(static_cast<int>(choices_.size()) - 1).right() + 1 + kFrame, metrics::kControl};
}

QRect SegmentedControl::place(int choice) const {
    const QFontMetrics words(font());
    int left = kFrame;
    for (int i = 0; i < choice; ++i)
        left += words.horizontalAdvance(choices_[i]) + 2 * kSide;
    return {left, kFrame, words.horizontalAdvance(choices_[choice]) + 2 * kSide,
            metrics::kControl - 2 * kFrame};
}

void SegmentedControl::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? t.accent : t.border, hasFocus() ? 2 : 1));
    painter.setBrush(t.input);
    const double inset = hasFocus() ? 1 : 0.5;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 5, 5);
    for (int i = 0; i < choices_.size(); ++i) {
        const QRect cell = place(i);
        if (i == current_) {
            painter.setPen(t.strong);
            painter.setBrush(t.button);
            painter.drawRoundedRect(QRectF(cell).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        }
        painter.setPen(i == current_ ? t.text : t.muted);
        painter.drawText(cell, Qt::AlignCenter, choices_[i]);
    }
}

bool SegmentedControl::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
    return QWidget::event(event);
}

void SegmentedControl::mousePressEvent(QMouseEvent* event) {
    for (int i = 0; i < choices_.size(); ++i)
        if (place(i).contains(event->pos())) setCurrent(i);
}

void SegmentedControl::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left)
        setCurrent(current_ - 1);
    else if (event->key() == Qt::Key_Right)
        setCurrent(current_ + 1);
    else
        QWidget::keyPressEvent(event);
}

} // namespace reelmesh
