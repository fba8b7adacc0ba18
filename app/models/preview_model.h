// The clip that the viewer plays: the preview after a step of the job in view, its decoded frames as they
// come, or a finished clip that was opened again; and B, what it is compared with. The engine keeps the
// previews; here is known which steps it still has. Choosing one never touches the job. Images share the
// engine's bytes. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QImage>
#include <QList>
#include <QObject>
#include <QString>
#include <QThreadPool>

#include <functional>
#include <optional>

#include "models/running_job.h"

namespace reelmesh {

class PreviewModel : public QObject {
    Q_OBJECT

public:
    enum class Content { Nothing, Preview, Decoded };
    /// What there is of a frame of the video.
    enum class FrameState { ToCome, Preview, Decoding, Decoded };
    struct TimeSpan {
        FrameState state = FrameState::ToCome;
        int first = 1, count = 0; ///< frames of the video, from 1
        bool operator==(const TimeSpan&) const = default;
    };
    /// The clip after a step or the nearest kept one before it; step -1: none.
    using Fetch = std::function<PreviewClip(JobId job, int step)>;
    /// Frames to look at, and what they are of.
    struct Clip {
        QList<QImage> frames;
        double framesPerSecond = 0;
        QSize size;          ///< of the video
        int frameStride = 1; ///< frames of the video a picture stands for
        bool isPreview = false;
        QString label; ///< "step 12/40", "a red kite, seed 7"
    };

    static constexpr qint64 kMostBytes = qint64(1) << 30;

    explicit PreviewModel(QObject* parent = nullptr);
    ~PreviewModel() override;
    void setFetch(Fetch fetch) { fetch_ = std::move(fetch); }
    /// A clip of more bytes is kept at half the resolution, or a quarter.
    void setMostBytes(qint64 bytes) { mostBytes_ = bytes; }

    void clear();
    /// From here on this job is in view, and its events are collected; those of others are ignored.
    void begin(const RunningJob& job);
    void apply(const PreviewReady& event);
    void apply(const StepDone& event);
    /// Frames must follow one another.
    void apply(const FramesDecoded& event);
    void apply(const JobStateChanged& event);
    /// A finished clip in place of the job, whose events are still collected; path: its file, "" for none.
    void showClip(const QList<QImage>& frames, double framesPerSecond, const QString& title,
                  const QString& path, const JobRequest& request);

    bool isOpened() const { return opened_.has_value(); }
    /// The job again, in place of an opened clip.
    void showJob();

    Content content() const;
    const Clip& clip() const { return shown_; }
    const QList<QImage>& frames() const { return shown_.frames; }
    double framesPerSecond() const { return shown_.framesPerSecond; }
    /// Of the whole video, of which frames() may hold a part.
    int totalFrames() const { return view().totalFrames; }
    /// From 1, of the picture at this index.
    int frameNumber(int index) const { return index * shown_.frameStride + 1; }
    /// The picture that stands for a frame of the video; the last one for those to come.
    int indexOf(int frameNumber) const;
    QList<TimeSpan> timeSpans() const;

    /// All decoded, or opened from a file.
    bool isComplete() const;
    bool isPartial() const { return view().partial; }
    /// 1: as decoded; 2: half the resolution, for want of memory.
    int divisor() const { return view().divisor; }
    JobId job() const { return view().job.id; }
    const JobRequest& request() const { return view().job.request; }
    /// Of the saved file; "": there is none.
    const QString& path() const { return view().path; }

    int steps() const { return view().steps; }
    /// Steps that have a clip, ascending, counted from 0.
    const QList<int>& keptSteps() const { return view().kept; }
    /// The step whose clip is shown, else the last that is done; -1: none.
    int shownStep() const;
    /// Shows the newest that there is.
    bool isLive() const { return view().chosen < 0; }
    /// The nearest kept step before it; the newest one follows the job again.
    void chooseStep(int step);
    /// Along the kept steps.
    void moveStep(int by);

    /// "step 12/40, preview", "decoding 9/21, 8 bands", "partial", "" for a whole clip.
    QString badge() const;
    /// What else is to say: how soon the first frame came, that resolution was given up.
    QString note() const;
    /// Why there is no picture yet; "" where nothing is to say.
    QString waiting() const;

    /// B, kept whatever becomes of A.
    const std::optional<Clip>& pinned() const { return pinned_; }
    void pin();
    void pinClip(const Clip& clip);
    void unpin();

Q_SIGNALS:
    void changed();
    void pinnedChanged();

private:
    /// What is known of one job, or of an opened clip.
    struct Source {
        RunningJob job; ///< id 0: an opened clip, or none
        QString title, path;
        QList<int> kept;
        int steps = 0, doneSteps = 0, newest = -1;
        int chosen = -1; ///< -1: the newest
        QList<QImage> decoded;
        qint64 received = 0; ///< frames, those that are still being reduced included
        int totalFrames = 0;
        int latentFrames = 0; ///< 0: not known
        int divisor = 1;
        double fullGib = 0; ///< of the clip at full resolution
        bool decoding = false, partial = false;
        QElapsedTimer decodeTime;
        double firstFrameSeconds = -1;
        int number = 0; ///< reduced frames of an earlier job are thrown away
    };

    Source& view() { return opened_ ? *opened_ : live_; }
    const Source& view() const { return opened_ ? *opened_ : live_; }
    bool isOf(JobId job) const { return job != 0 && job == live_.job.id; }
    void beginDecoding(const FramesDecoded& event);
    void append(const QList<QImage>& images);
    void findKept();
    /// What the source in view has to show now.
    void show();
    void showStep(int step);
    void showDecoded();
    int latentsOf(int frames) const;
    QString clipLabel() const;

    Fetch fetch_;
    qint64 mostBytes_ = kMostBytes;
    Source live_;
    std::optional<Source> opened_;
    Clip shown_;
    int shownStep_ = -1; ///< of a preview
    std::optional<Clip> pinned_;
    QThreadPool pool_;
};

} // namespace reelmesh
