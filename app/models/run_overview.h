// What the overlays tell of the job in view: step times, what each rank did in its last step, how far each is
// with decoding, memory as planned and as measured. Fed with the engine's events of one job, knows no widget.
// GUI thread.
#pragma once

#include <QList>
#include <QMap>
#include <QObject>
#include <QString>

#include "models/running_job.h"

namespace reelmesh {

class RunOverview : public QObject {
    Q_OBJECT

public:
    /// Seconds of one step.
    struct RankTime {
        double compute = 0, comm = 0, wait = 0;
        double total() const { return compute + comm + wait; }
    };
    enum class DecodeState { Wait, Decode, Done };
    /// Bytes; NaN: unknown.
    struct Memory {
        double planned = kUnknown, used = kUnknown, most = kUnknown, limit = kUnknown;
        QString where; ///< "process", "cuda:0"
    };

    using QObject::QObject;

    void clear();
    void begin(const RunningJob& job);
    void apply(const StepDone& event);
    void apply(const FramesDecoded& event);
    void apply(const JobStateChanged& event);
    void apply(const LoadSample& sample);
    void apply(JobId job, const std::vector<TelemetryEvent>& events);

    const RunningJob& job() const { return job_; }
    Stage stage() const { return stage_; }
    bool isRunning() const { return running_; }
    /// Complete ones; 0: none.
    int step() const { return step_; }
    int steps() const { return steps_; }
    const QList<double>& stepSeconds() const { return stepSeconds_; }
    double medianStepSeconds() const;
    /// By rank, of the last step that is known of each.
    const QMap<int, RankTime>& rankTimes() const { return rankTimes_; }

    /// 0 ... 1 of a rank's rows.
    double decodedShare(int rank) const;
    DecodeState decodeState(int rank) const;
    const Memory& memory() const { return memory_; }

Q_SIGNALS:
    void changed();

private:
    struct StepTally {
        int step = -1;
        std::int64_t comm_ns = 0;
    };

    void count(const TelemetryEvent& event);
    int chunksOf(int rank) const;
    double framesAfter(int chunks) const;

    RunningJob job_;
    Stage stage_ = Stage::None;
    bool running_ = false;
    int step_ = 0, steps_ = 0;
    QList<double> stepSeconds_;
    QMap<int, StepTally> tallies_;
    QMap<int, RankTime> rankTimes_;
    QMap<int, int> chunks_;   ///< decoded by a rank
    QList<double> frames_{0}; ///< after so many chunks are whole
    double totalFrames_ = 0;
    Memory memory_;
};

} // namespace reelmesh
