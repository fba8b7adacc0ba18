// Plays a clip in a loop with a raster painter (an OpenGL widget fails off-screen): keeps the aspect,
// smooth up to twice the size, whole pixels above. A badge lies over the picture, nothing in it.
// Knows no model. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QImage>
#include <QList>
#include <QTimer>
#include <QWidget>

#include "widgets/frame_clock.h"

namespace reelmesh {

class VideoView : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    explicit VideoView(QWidget* parent = nullptr);

    /// How a picture grows: its own pixels stay visible above twice their size; a preview, whose pixels stand for
    /// blocks of the video, is smoothed at any size.
    enum class Growth { Pixels, Smooth };
    /// Plays on from the same instant if the duration is the same. An empty list clears.
    void setClip(const QList<QImage>& frames, double framesPerSecond, Growth growth = Growth::Pixels);
    void setBadge(const QString& badge);
    /// The badge: what a test or a screen reader can read of the picture.
    QString text() const { return badge_; }

    void play();
    void pause();
    void togglePlaying();
    bool isPlaying() const { return clock_.isPlaying(); }
    /// Pauses and moves by that many frames, around the ends.
    void stepBy(int frames);
    /// -1 without a clip.
    int currentFrame() const { return shown_; }
    /// Where the picture lies.
    QRectF pictureRect() const;

Q_SIGNALS:
    void frameChanged(int frame);
    void playingChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void refresh();
    void paintBadge(QPainter& painter, const QPointF& corner) const;

    QList<QImage> frames_;
    Growth growth_ = Growth::Pixels;
    QString badge_;
    FrameClock clock_;
    QElapsedTimer time_;
    QTimer next_;
    int shown_ = -1;
};

} // namespace reelmesh
