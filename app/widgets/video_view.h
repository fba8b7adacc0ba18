// Plays a clip with a raster painter (an OpenGL widget fails off-screen), frame by frame exact, and compares
// it with a second one on the same clock. Fit, 100 % in device pixels, wheel zoom at the cursor, dragging
// pans. Chips and layers lie over the picture, nothing in it. Knows no model and no key. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QVariantList>
#include <QWidget>

#include <optional>

#include "widgets/frame_clock.h"
#include "widgets/frame_compositor.h"
#include "widgets/layer_painter.h"
#include "widgets/video_clip.h"
#include "widgets/view_zoom.h"

namespace reelmesh {

class VideoView : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    explicit VideoView(QWidget* parent = nullptr);
    ~VideoView() override;

    /// A: plays on from the same instant. A clip without frames clears.
    void setClip(const VideoClip& clip);
    /// B; without frames there is nothing to compare with and the mode becomes Single.
    void setOther(const VideoClip& clip);
    const VideoClip& clip() const { return a_; }
    const VideoClip& other() const { return b_; }

    void setBadge(const QString& badge, Chip::Mark mark = Chip::Mark::Preview);
    /// A sentence at the lower left; "": none.
    void setNote(const QString& note);
    /// Not owned; nullptr: none. update() when it changes.
    void setLayer(const PictureLayer* layer);
    /// The badge: what a test or a screen reader can read of the picture.
    QString text() const { return badge_.text; }

    void play();
    void pause();
    void togglePlaying();
    bool isPlaying() const { return clock_.isPlaying(); }
    /// Pauses and moves by that many frames, around the ends.
    void stepBy(int frames);
    /// By time, rounded to frames.
    void skipBy(double seconds);
    void seek(int frame);
    /// -1 without a clip.
    int currentFrame() const { return shown_; }
    void setLoop(bool loop);
    bool isLoop() const { return clock_.atEnd() == FrameClock::AtEnd::Loop; }
    /// Of playback, below 0 backwards.
    void setSpeed(double speed);
    double speed() const { return clock_.speed(); }

    void setMode(CompareMode mode);
    CompareMode mode() const { return mode_; }
    void setGain(int gain);
    int gain() const { return gain_; }
    /// In flick mode: the other one.
    void flick();
    bool showsB() const { return showsB_; }

    void zoomToFit();
    /// One pixel of the picture on one of the screen.
    void zoomToActualSize();
    void zoomBy(double factor);
    bool isFit() const { return zoom_.isFit(); }
    /// Device pixels a pixel.
    double zoom() const;
    /// Where A lies; device pixels.
    QRect pictureDeviceRect() const { return pictureDeviceRect(devicePixelRatioF()); }
    /// The same in the widget's coordinates.
    QRectF pictureRect() const;
    /// The frame of A that is shown; null without.
    QImage currentImage() const;

    /// Name, rectangle and text of what is painted.
    Q_INVOKABLE QVariantList uiItems() const;

Q_SIGNALS:
    void frameChanged(int frame);
    void playingChanged();
    void zoomChanged();
    void modeChanged();
    /// The user drags the picture out of the window.
    void draggedOut();

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    enum class Drag { None, Pan, Divider, Out };
    struct PlacedChip {
        QString name;
        QRectF rect;
        Chip chip;
    };

    void refresh();
    void zoomAt(double scale, QPointF position);
    ViewZoom::Place place(double ratio) const;
    QRect pictureDeviceRect(double ratio) const { return zoom_.rect(place(ratio)); }
    Scene scene(double ratio) const;
    int otherFrame() const;
    int splitColumn(double ratio) const;
    QRectF dividerHandle() const;
    QPointF toHalf(QPointF position) const;
    Drag dragFor(const QMouseEvent& event) const;
    void showCursor(QPointF position);
    PictureView pictureView(double ratio) const;
    QList<PlacedChip> chips(double ratio) const;
    Chip chipOfA() const;
    Chip chipOfB() const;
    QString psnrText() const;
    void paintDivider(QPainter& painter, double ratio) const;

    VideoClip a_, b_;
    Chip badge_;
    QString note_;
    const PictureLayer* layer_ = nullptr;
    CompareMode mode_ = CompareMode::Single;
    int gain_ = 1;
    bool showsB_ = false;
    double divider_ = 0.5; ///< of the picture's width
    ViewZoom zoom_;
    Drag drag_ = Drag::None;
    QPointF dragFrom_;
    mutable FrameCompositor compositor_;
    FrameClock clock_;
    QElapsedTimer time_;
    QTimer next_;
    int shown_ = -1;
};

} // namespace reelmesh
