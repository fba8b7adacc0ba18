// The line at the foot: stage and its word, seconds a step, progress, time left; at the right the queue and
// what was dropped. Each has its own fixed place, so that none moves its neighbours. GUI thread; the status
// outlives it.
#pragma once

#include <QStatusBar>

class QLabel;

namespace reelmesh {

class JobStatus;
class StageBar;

class StatusBar : public QStatusBar {
    Q_OBJECT

public:
    explicit StatusBar(JobStatus& status, QWidget* parent = nullptr);

    void setQueue(const QString& text);
    /// Telemetry events that were lost.
    void setDropped(std::uint64_t dropped);

private:
    void showStatus();

    JobStatus& status_;
    QLabel* icon_;
    QLabel* stage_;
    QLabel* rate_;
    StageBar* progress_;
    QLabel* percent_;
    QLabel* remaining_;
    QLabel* queue_;
    QLabel* dropped_;
};

} // namespace reelmesh
