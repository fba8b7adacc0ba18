#include "player_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "theme/metrics.h"
#include "theme/palette.h"
#include "widgets/bar_button.h"

namespace reelmesh {
namespace {

constexpr int kBetween = 2;
constexpr int kWordsFrom = 480;

/// The number in the colour of text, the time after it muted.
class Counter : public QLabel {
public:
    using QLabel::QLabel;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        const Tokens& t = tokens(palette());
        const qsizetype space = text().indexOf(' ');
        const QString number = space < 0 ? text() : text().left(space + 1);
        painter.setPen(t.text);
        painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter, number);
        painter.setPen(t.muted);
        painter.drawText(contentsRect().adjusted(fontMetrics().horizontalAdvance(number), 0, 0, 0),
                         Qt::AlignLeft | Qt::AlignVCenter, text().mid(number.size()));
    }
};

/// A hairline between groups.
class Line : public QWidget {
public:
    Line() { setFixedSize(9, 16); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter(this).fillRect(QRect(4, 0, 1, height()), tokens(palette()).strong);
    }
};

} // namespace

PlayerBar::PlayerBar(QWidget* parent) : QWidget(parent) {
    setFixedHeight(metrics::kPlayerBar);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(metrics::kPadding, 1, metrics::kPadding, 0);
    row->setSpacing(kBetween);
    first = add("viewerFirst", "first");
    back = add("viewerBack", "step-back");
    play = add("viewerPlay", "play");
    forward = add("viewerForward", "step-forward");
    last = add("viewerLast", "last");
    addLine();
    loop = add("viewerLoop", "loop");
    speed = add("viewerSpeed", "");
    speed->setWordFont(metrics::numberFont(metrics::kBaseText));
    addLine();
    mode = add("viewerMode", "compare-single");
    pin = add("viewerPin", "pin");
    row->addStretch();
    frame = new Counter;
    frame->setObjectName("viewerFrame");
    frame->setAccessibleName(tr("Frame"));
    frame->setToolTip(tr("The frame that is shown, of all frames, and the time at its end"));
    frame->setFont(metrics::numberFont(metrics::kSmallText));
    frame->setContentsMargins(6, 0, 6, 0);
    row->addWidget(frame);
    row->addStretch();
    fit = add("viewerFit", "fit");
    fit->setWordSide(BarButton::WordSide::Left);
    actualSize = add("viewerActualSize", "actual-size");
    overlays = add("viewerOverlays", "overlays");
    overlaysMenu = add("viewerOverlaysMenu", "");
    save = add("viewerSave", "save-frame");
    exportClip = add("viewerExport", "export");
    for (BarButton* button : {play, loop, pin, overlays})
        button->setCheckable(true);
    // They show a state of the view, not of themselves: a click asks for it.
    for (BarButton* button : {play, loop, pin, overlays})
        connect(button, &QToolButton::toggled, button, qOverload<>(&QWidget::update));
}

BarButton* PlayerBar::add(const QString& name, const QString& icon) {
    auto* button = new BarButton(name, icon);
    buttons_ << button;
    layout()->addWidget(button);
    return button;
}

void PlayerBar::addLine() {
    auto* line = new Line;
    lines_ << line;
    layout()->addWidget(line);
}

void PlayerBar::showFrame(const QString& text, int digits) {
    frame->setText(text);
    const QString widest = QString(digits, '0') + "/" + QString(digits, '0') + " 00.00 s";
    const int width = frame->fontMetrics().horizontalAdvance(widest) + 13;
    if (frame->minimumWidth() == width) return;
    frame->setFixedWidth(width);
    fitToWidth();
}

int PlayerBar::needed() const {
    const QMargins margins = layout()->contentsMargins();
    int width = margins.left() + margins.right();
    for (int i = 0; i < layout()->count(); ++i) {
        const QWidget* widget = layout()->itemAt(i)->widget();
        // A stretch still has its gap.
        if (!widget) width += kBetween;
        if (!widget || widget->isHidden()) continue;
        width += kBetween + (widget == frame ? frame->minimumWidth() : widget->sizeHint().width());
        if (lines_.contains(widget)) width += 9 - std::max(0, widget->sizeHint().width());
    }
    return width;
}

void PlayerBar::fitToWidth() {
    const QList<QWidget*> spare{actualSize, first, last, overlaysMenu, frame, pin};
    for (QWidget* widget : spare)
        widget->setVisible(true);
    for (BarButton* button : {mode, fit})
        button->setWordVisible(width() >= kWordsFrom);
    if (needed() > width()) fit->setWordVisible(false);
    if (needed() > width()) mode->setWordVisible(false);
    for (QWidget* widget : spare) {
        if (needed() <= width()) break;
        widget->setVisible(false);
    }
}

QSize PlayerBar::minimumSizeHint() const {
    return {200, metrics::kPlayerBar};
}

void PlayerBar::resizeEvent(QResizeEvent*) {
    fitToWidth();
}

void PlayerBar::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(QRect(0, 0, width(), 1), tokens(palette()).border);
}

} // namespace reelmesh
