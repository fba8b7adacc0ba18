// Measures the GUI thread for tests (--heartbeat): the time of each outermost event handler, and the
// gap between the ticks of a 10 ms timer. CSV rows for what is long, a summary of all at the end.
// GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QFile>
#include <QTimer>

#include <vector>

namespace reelmesh {

class Heartbeat : public QObject {
    Q_OBJECT

public:
    explicit Heartbeat(const QString& file, QObject* parent = nullptr);
    /// Writes the summary.
    ~Heartbeat() override;

    void handlerDone(qint64 nanoseconds, const char* receiver, int eventType);

private:
    void tick();
    void writeSummary(const char* what, std::vector<float> values_ms);

    QFile file_;
    QTimer timer_;
    QElapsedTimer sinceStart_, sinceTick_;
    std::vector<float> handlers_ms_, gaps_ms_;
};

} // namespace reelmesh
