#include "video_view.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kMargin = 8;
constexpr double kWholePixelsAbove = 2.0;

} // namespace

VideoView::VideoView(QWidget* parent) : QWidget(parent) {
    setObjectName("viewerVideo");
    setAccessibleName(tr("Video"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAttribute(Qt::WA_OpaquePaintEvent);
    time_.start();
    clock_.play(time_.nsecsElapsed());
    next_.setSingleShot(true);
    next_.setTimerType(Qt::PreciseTimer);
    connect(&next_, &QTimer::timeout, this, &VideoView::refresh);
}

void VideoView::setClip(const QList<QImage>& frames, double framesPerSecond, Growth growth) {
    frames_ = frames;
    growth_ = growth;
    clock_.setClip(framesPerSecond, static_cast<int>(frames.size()), time_.nsecsElapsed());
    refresh();
    update();
}

void VideoView::setBadge(const QString& badge) {
    if (badge_ == badge) return;
    badge_ = badge;
    update();
}

void VideoView::play() {
    clock_.play(time_.nsecsElapsed());
    refresh();
    Q_EMIT playingChanged();
}

void VideoView::pause() {
    clock_.pause(time_.nsecsElapsed());
    refresh();
    Q_EMIT playingChanged();
}

void VideoView::togglePlaying() {
    isPlaying() ? pause() : play();
}

void VideoView::stepBy(int frames) {
    if (frames_.isEmpty()) return;
    pause();
    clock_.seek(shown_ + frames, time_.nsecsElapsed());
    refresh();
}

QRectF VideoView::pictureRect() const {
    if (shown_ < 0) return {};
    const QSizeF room = rect().adjusted(kMargin, kMargin, -kMargin, -kMargin).size();
    const QSizeF size = QSizeF(frames_[shown_].size()).scaled(room, Qt::KeepAspectRatio);
    // Edges on device pixels, or the border is smeared.
    const double ratio = devicePixelRatioF();
    const auto snap = [ratio](double value) { return std::round(value * ratio) / ratio; };
    return {snap((width() - size.width()) / 2), snap((height() - size.height()) / 2), snap(size.width()),
            snap(size.height())};
}

void VideoView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens(palette()).matte);
    if (shown_ < 0) return;
    const QRectF target = pictureRect();
    const QImage& image = frames_[shown_];
    const double scale = target.width() * devicePixelRatioF() / image.width();
    painter.setRenderHint(QPainter::SmoothPixmapTransform,
                          growth_ == Growth::Smooth || scale <= kWholePixelsAbove);
    painter.drawImage(target, image);
    if (!badge_.isEmpty()) paintBadge(painter, target.topLeft());
    if (hasFocus()) {
        painter.setPen(tokens(palette()).accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void VideoView::paintBadge(QPainter& painter, const QPointF& corner) const {
    const QFontMetrics sizes(font());
    const QRectF chip(corner + QPointF(kMargin, kMargin),
                      QSizeF(sizes.horizontalAdvance(badge_) + 28, metrics::kControl - 2));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 199));
    painter.drawRoundedRect(chip, metrics::kRadius, metrics::kRadius);
    // The chip is dark in both themes, so its colours come from the dark one.
    painter.setBrush(tokens(Theme::Dark).accent);
    painter.drawEllipse(QPointF(chip.left() + 10, chip.center().y()), 2.5, 2.5);
    painter.setPen(tokens(Theme::Dark).text);
    painter.drawText(chip.adjusted(19, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, badge_);
}

void VideoView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Space: return togglePlaying();
    case Qt::Key_Left:
    case Qt::Key_Comma: return stepBy(-1);
    case Qt::Key_Right:
    case Qt::Key_Period: return stepBy(1);
    case Qt::Key_Home: return stepBy(-shown_);
    case Qt::Key_End: return stepBy(static_cast<int>(frames_.size()) - 1 - shown_);
    default: QWidget::keyPressEvent(event);
    }
}

void VideoView::refresh() {
    const auto now_ns = time_.nsecsElapsed();
    const int frame = clock_.frame(now_ns);
    if (frame != shown_) {
        shown_ = frame;
        update();
        Q_EMIT frameChanged(frame);
    }
    if (frame < 0 || !clock_.isPlaying()) return next_.stop();
    next_.start(static_cast<int>(clock_.untilNext_ns(now_ns) / 1'000'000) + 1);
}

} // namespace reelmesh
