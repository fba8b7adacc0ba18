#include "bar_button.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>

#include <algorithm>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kSidePadding = 6, kIconWidth = 24, kChevron = 10, kChevronAlone = 16, kInnerGap = 4;

} // namespace

BarButton::BarButton(const QString& objectName, const QString& iconName, QWidget* parent)
    : QToolButton(parent), iconName_(iconName), wordFont_(metrics::textFont(metrics::kBaseText)) {
    setObjectName(objectName);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setPopupMode(QToolButton::InstantPopup);
}

void BarButton::setIconName(const QString& name) {
    if (iconName_ == name) return;
    iconName_ = name;
    update();
}

void BarButton::setWordSide(WordSide side) {
    wordSide_ = side;
    update();
}

void BarButton::setWordVisible(bool visible) {
    if (wordVisible_ == visible) return;
    wordVisible_ = visible;
    updateGeometry();
    update();
}

void BarButton::setWordRoom(const QStringList& words) {
    wordRoom_ = words;
    updateGeometry();
}

void BarButton::setWordFont(const QFont& font) {
    wordFont_ = font;
    updateGeometry();
}

void BarButton::setReason(const QString& whyNot) {
    whyNot_ = whyNot;
    setEnabled(whyNot.isEmpty());
    showHelp();
}

void BarButton::setHelp(const QString& help) {
    help_ = help;
    showHelp();
}

void BarButton::showHelp() {
    setToolTip(whyNot_.isEmpty() ? help_ : whyNot_);
}

int BarButton::wordWidth() const {
    if (!wordVisible_ || text().isEmpty()) return 0;
    const QFontMetrics metrics(wordFont_);
    int width = metrics.horizontalAdvance(text());
    for (const QString& word : wordRoom_)
        width = std::max(width, metrics.horizontalAdvance(word));
    return width + 1;
}

QSize BarButton::sizeHint() const {
    const int word = wordWidth();
    if (word == 0 && iconName_.isEmpty()) return {kChevronAlone, metrics::kControl};
    int width = 2 * kSidePadding;
    if (!iconName_.isEmpty()) width = word > 0 ? width + metrics::kIcon + kInnerGap : kIconWidth;
    width += word;
    if (menu()) width += kChevron;
    return {width, metrics::kControl};
}

void BarButton::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down: return event->ignore();
    default: QToolButton::keyPressEvent(event);
    }
}

void BarButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = tokens(palette());
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    if (isChecked()) painter.setBrush(t.selection);
    if (isEnabled() && (isDown() || (underMouse() && !isChecked())))
        painter.setBrush(isDown() ? t.input : t.hover);
    if (isChecked()) painter.setPen(t.accent);
    if (hasFocus()) painter.setPen(QPen(t.accent, 2));
    painter.drawRoundedRect(hasFocus() ? frame.adjusted(0.5, 0.5, -0.5, -0.5) : frame, metrics::kRadius,
                            metrics::kRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);

    const int word = wordWidth();
    const QIcon::Mode mode = isEnabled() ? QIcon::Normal : QIcon::Disabled;
    QRect room = rect().adjusted(kSidePadding, 0, -kSidePadding, 0);
    if (word == 0 && !iconName_.isEmpty()) room = QRect(0, 0, kIconWidth, height());
    if (!iconName_.isEmpty()) {
        QRect place(room.left(), (height() - metrics::kIcon) / 2, metrics::kIcon, metrics::kIcon);
        if (word == 0) place.moveLeft((kIconWidth - metrics::kIcon) / 2);
        if (word > 0 && wordSide_ == WordSide::Left)
            place.moveLeft(room.right() + 1 - metrics::kIcon - (menu() ? kChevron : 0));
        reelmesh::icon(iconName_, isChecked() ? IconTint::Accent : IconTint::Text)
            .paint(&painter, place, Qt::AlignCenter, mode);
        if (word > 0 && wordSide_ == WordSide::Right) room.setLeft(place.right() + 1 + kInnerGap);
    }
    if (word > 0) {
        painter.setFont(wordFont_);
        painter.setPen(isEnabled() ? t.text : t.disabled);
        const bool before = wordSide_ == WordSide::Left;
        painter.drawText(QRect(room.left(), 0, word, height()),
                         (before ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, text());
    }
    if (menu())
        reelmesh::icon("chevron-down", IconTint::Muted)
            .paint(&painter, QRect(width() - kChevron - 3, (height() - 10) / 2, 10, 10), Qt::AlignCenter,
                   mode);
}

} // namespace reelmesh
