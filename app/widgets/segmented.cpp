#include "segmented.h"

#include <QAbstractButton>
#include <QHBoxLayout>
#include <QPainter>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

class Segment : public QAbstractButton {
public:
    explicit Segment(const Segmented::Choice& choice) {
        setObjectName(choice.name);
        setText(choice.text);
        setAccessibleName(choice.text);
        setToolTip(choice.toolTip);
        setCheckable(true);
        setFont(metrics::textFont(metrics::kSmallText));
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover);
    }

    QSize sizeHint() const override {
        return {fontMetrics().horizontalAdvance(text()) + 2 * metrics::kPadding, metrics::kSmallControl};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const Tokens& t = tokens(palette());
        const bool marked = isChecked() || underMouse();
        const QColor frame = hasFocus() ? t.accent : isChecked() ? t.strong : Qt::transparent;
        painter.setPen(QPen(frame, hasFocus() ? 2 : 1));
        painter.setBrush(isChecked() ? t.hover : marked ? t.button : QColor(Qt::transparent));
        const double inset = hasFocus() ? 1 : 0.5;
        painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), metrics::kRadius - 1,
                                metrics::kRadius - 1);
        painter.setPen(!isEnabled() ? t.disabled : isChecked() ? t.text : t.muted);
        painter.drawText(rect(), Qt::AlignCenter, text());
    }
};

} // namespace

Segmented::Segmented(const QList<Choice>& choices, QWidget* parent)
    : QFrame(parent), buttons_(new QButtonGroup(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(2, 2, 2, 2);
    row->setSpacing(0);
    for (qsizetype i = 0; i < choices.size(); ++i) {
        auto* segment = new Segment(choices[i]);
        buttons_->addButton(segment, static_cast<int>(i));
        row->addWidget(segment);
    }
    setFixedHeight(metrics::kControl);
    connect(buttons_, &QButtonGroup::idClicked, this, &Segmented::chosen);
}

void Segmented::setCurrent(int index) {
    buttons_->button(index)->setChecked(true);
}

QString Segmented::text() const {
    return buttons_->checkedButton() ? buttons_->checkedButton()->text() : QString();
}

void Segmented::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens(palette());
    painter.setPen(QPen(t.strong, 1));
    painter.setBrush(t.input);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius,
                            metrics::kRadius);
}

} // namespace reelmesh
