// Where the window's job stands, in the words and numbers that the status bar shows. Fed with the
// engine's events of one job, knows no engine and no widget. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include <array>

#include "engine/events.h"

namespace reelmesh {

class JobStatus : public QObject {
    Q_OBJECT

public:
    enum class Phase { Idle, Starting, Checking, Pending, Running, Paused, Stopping, Done, Failed, Canceled };
    /// What the progress bar is divided into.
    enum class Part { Prepare, Denoise, Decode, Write };
    static constexpr std::size_t kParts = 4;
    /// Denoising is most of a job; the exact shares are not known beforehand.
    static constexpr std::array<int, kParts> kPartWeights{1, 6, 2, 1};

    using QObject::QObject;

    /// A new job; Starting, Checking or Pending.
    void begin(Phase phase);
    void setPhase(Phase phase);
    /// The user's wish, before the engine confirms it.
    void setStopping() { setPhase(Phase::Stopping); }
    void apply(const JobStateChanged& event);
    void apply(const StepDone& event);
    void apply(const StageProgress& event);

    Phase phase() const { return phase_; }
    Stage stage() const { return stage_; }
    /// A job is on its way and may be cancelled.
    bool isActive() const;
    /// Fraction 0 ... 1 of each part.
    const std::array<double, kParts>& fractions() const { return fractions_; }

    /// Of the whole job, 0 ... 1.
    double progress() const;

    QString stageText() const;     ///< "Denoise 12/16", "Stopping…", "Done"
    QString rateText() const;      ///< "0.95 s/step", "–"
    QString remainingText() const; ///< "0:29 left", "–"

Q_SIGNALS:
    void changed();

private:
    void enterStage(Stage stage);
    void finishAll();

    Phase phase_ = Phase::Idle;
    Stage stage_ = Stage::None;
    int step_ = 0;  ///< steps that are complete
    int steps_ = 0; ///< 0: unknown
    double stepSeconds_ = -1;
    double remainingSeconds_ = -1;
    double totalSeconds_ = -1;
    std::array<double, kParts> fractions_{};
};

} // namespace reelmesh
