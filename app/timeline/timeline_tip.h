// The tooltip beside an event: title, rows of label and value, a hint. Painted, one widget. GUI thread.
#pragma once

#include <QWidget>

#include <utility>
#include <vector>

#include "engine/telemetry.h"
#include "models/trace_view.h"

namespace reelmesh {

class TimelineTip : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    explicit TimelineTip(QWidget* parent);

    /// Beside the event's rectangle in screen coordinates, on its other side where there is no room.
    void showEvent(const TelemetryEvent& event, const TraceView& view, const QRect& beside);
    QString text() const { return text_; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString title_, text_, hint_;
    Lane lane_ = Lane::Attention;
    std::vector<std::pair<QString, QString>> rows_;
};

} // namespace reelmesh
