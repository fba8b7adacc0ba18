// The pinned event beside the timeline: title, rows, a way to unpin. GUI thread.
#pragma once

#include <QWidget>

#include "models/trace_view.h"

class QLabel;
class QGridLayout;

namespace reelmesh {

class EventDetails : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    explicit EventDetails(QWidget* parent = nullptr);

    void setEvent(const TelemetryEvent& event, const TraceView& view);
    QString text() const { return text_; }

Q_SIGNALS:
    void closed();

private:
    QLabel *swatch_, *title_;
    QWidget* rows_;
    QString text_;
};

} // namespace reelmesh
