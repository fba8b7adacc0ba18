// The two rows under the picture: the steps of the job and the frames of the video, each with its counter.
// Steps are chosen in the model; frames are the view's, so the wish goes out. GUI thread; the model outlives
// it.
#pragma once

#include <QWidget>

class QLabel;

namespace reelmesh {

class PreviewModel;
class Scrubber;

class ScrubberRows : public QWidget {
    Q_OBJECT

public:
    explicit ScrubberRows(PreviewModel& preview, QWidget* parent = nullptr);

    /// The frame that is shown, from 1, and its text; 0 and "–": none.
    void showFrame(int number, const QString& text);

Q_SIGNALS:
    void frameChosen(int number);
    void framesStepped(int by);
    /// The pointer holds the time row.
    void heldChanged(bool held);

private:
    QWidget* makeRow(const QString& label, Scrubber* scrubber, QLabel* counter);
    void showClip();
    void showReasons();

    PreviewModel& preview_;
    Scrubber* steps_;
    Scrubber* time_;
    QLabel* stepsText_;
    QLabel* timeText_;
};

} // namespace reelmesh
