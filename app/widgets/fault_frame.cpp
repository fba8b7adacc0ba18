#include "fault_frame.h"

#include <QEvent>
#include <QPainter>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {

FaultFrame::FaultFrame(QWidget& field) : QWidget(&field) {
    setObjectName(field.objectName() + "Fault");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    setGeometry(field.rect());
    field.installEventFilter(this);
    hide();
}

bool FaultFrame::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) setGeometry(parentWidget()->rect());
    return QWidget::eventFilter(watched, event);
}

void FaultFrame::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(tokens(palette()).warning, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);
}

} // namespace reelmesh
