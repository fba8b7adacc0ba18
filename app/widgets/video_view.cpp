#include "video_view.h"

#include <QApplication>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kMargin = 8;
constexpr double kWheelNotch = 120, kZoomPerNotch = 1.25;
constexpr double kLeastForLower = 90;
constexpr double kHandleRadius = 11, kDividerReach = 8;

QRectF toLogical(const QRect& rect, double ratio) {
    return {rect.x() / ratio, rect.y() / ratio, rect.width() / ratio, rect.height() / ratio};
}

} // namespace

VideoView::VideoView(QWidget* parent) : QWidget(parent), compositor_([this] { update(); }) {
    setObjectName("viewerVideo");
    setAccessibleName(tr("Video"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMouseTracking(true);
    time_.start();
    clock_.play(time_.nsecsElapsed());
    next_.setSingleShot(true);
    next_.setTimerType(Qt::PreciseTimer);
    connect(&next_, &QTimer::timeout, this, &VideoView::refresh);
}

VideoView::~VideoView() = default;

void VideoView::setClip(const VideoClip& clip) {
    a_ = clip;
    clock_.setClip(a_.framesPerSecond, static_cast<int>(a_.frames.size()), time_.nsecsElapsed());
    refresh();
    update();
}

void VideoView::setOther(const VideoClip& clip) {
    b_ = clip;
    if (b_.frames.isEmpty()) setMode(CompareMode::Single);
    update();
}

void VideoView::setBadge(const QString& badge, Chip::Mark mark) {
    badge_ = {badge, mark, {}};
    setAccessibleDescription(badge);
    update();
}

void VideoView::setNote(const QString& note) {
    if (note_ == note) return;
    note_ = note;
    update();
}

void VideoView::setLayer(const PictureLayer* layer) {
    layer_ = layer;
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
    if (a_.frames.isEmpty()) return;
    const int from = shown_;
    pause();
    seek(from + frames);
}

void VideoView::skipBy(double seconds) {
    stepBy(static_cast<int>(std::lround(seconds * a_.framesPerSecond)));
}

void VideoView::seek(int frame) {
    clock_.seek(frame, time_.nsecsElapsed());
    refresh();
}

void VideoView::setLoop(bool loop) {
    clock_.setAtEnd(loop ? FrameClock::AtEnd::Loop : FrameClock::AtEnd::Stop, time_.nsecsElapsed());
    refresh();
}

void VideoView::setSpeed(double speed) {
    clock_.setSpeed(speed, time_.nsecsElapsed());
    refresh();
}

void VideoView::setMode(CompareMode mode) {
    if (b_.frames.isEmpty()) mode = CompareMode::Single;
    if (mode_ == mode) return;
    mode_ = mode;
    showsB_ = mode == CompareMode::Flick;
    update();
    Q_EMIT modeChanged();
}

void VideoView::setGain(int gain) {
    gain_ = gain;
    update();
    Q_EMIT modeChanged();
}

void VideoView::flick() {
    showsB_ = !showsB_;
    update();
}

void VideoView::zoomToFit() {
    zoom_.fit();
    update();
    Q_EMIT zoomChanged();
}

void VideoView::zoomToActualSize() {
    zoomAt(1, rect().center());
}

void VideoView::zoomBy(double factor) {
    zoomAt(zoom() * factor, QRectF(rect()).center());
}

double VideoView::zoom() const {
    return zoom_.scale(place(devicePixelRatioF()));
}

void VideoView::zoomAt(double scale, QPointF position) {
    const double ratio = devicePixelRatioF();
    zoom_.zoomTo(scale, toHalf(position) * ratio, place(ratio));
    update();
    Q_EMIT zoomChanged();
}

QRectF VideoView::pictureRect() const {
    return toLogical(pictureDeviceRect(), devicePixelRatioF());
}

QImage VideoView::currentImage() const {
    return shown_ < 0 ? QImage() : a_.frames[shown_];
}

void VideoView::refresh() {
    const auto now_ns = time_.nsecsElapsed();
    const bool over = clock_.isPlaying() && clock_.isOver(now_ns);
    if (over) clock_.pause(now_ns);
    const int frame = clock_.frame(now_ns);
    if (frame != shown_) {
        shown_ = frame;
        update();
        Q_EMIT frameChanged(frame);
    }
    if (over) Q_EMIT playingChanged();
    if (frame < 0 || !clock_.isPlaying() || !isVisible()) return next_.stop();
    next_.start(static_cast<int>(clock_.untilNext_ns(now_ns) / 1'000'000) + 1);
}

ViewZoom::Place VideoView::place(double ratio) const {
    QSize view(static_cast<int>(std::lround(width() * ratio)),
               static_cast<int>(std::lround(height() * ratio)));
    if (mode_ == CompareMode::SideBySide) view.setWidth(view.width() / 2);
    return {view, a_.pictureSize(), static_cast<int>(std::lround(kMargin * ratio))};
}

int VideoView::otherFrame() const {
    if (b_.frames.isEmpty() || shown_ < 0) return -1;
    // The same instant, whatever the two rates are.
    const double seconds = a_.framesPerSecond > 0 ? shown_ / a_.framesPerSecond : 0;
    return std::clamp(static_cast<int>(seconds * b_.framesPerSecond + 1e-6), 0,
                      static_cast<int>(b_.frames.size()) - 1);
}

int VideoView::splitColumn(double ratio) const {
    if (mode_ == CompareMode::SideBySide) return place(ratio).view.width();
    const QRect picture = pictureDeviceRect(ratio);
    return picture.left() + static_cast<int>(std::lround(divider_ * picture.width()));
}

Scene VideoView::scene(double ratio) const {
    Scene scene;
    scene.mode = mode_;
    scene.view = QRect(QPoint(0, 0), QSize(static_cast<int>(std::lround(width() * ratio)),
                                           static_cast<int>(std::lround(height() * ratio))));
    scene.a = {a_.frames[shown_], pictureDeviceRect(ratio), a_.growth == VideoClip::Growth::Smooth};
    scene.split = splitColumn(ratio);
    scene.gain = gain_;
    scene.showsB = showsB_;
    if (const int frame = otherFrame(); frame >= 0 && mode_ != CompareMode::Single) {
        // Another shape is fitted into A's rectangle.
        const QSize size = b_.pictureSize() == a_.pictureSize()
                               ? scene.a.rect.size()
                               : b_.pictureSize().scaled(scene.a.rect.size(), Qt::KeepAspectRatio);
        QRect rect(QPoint(0, 0), size);
        rect.moveCenter(scene.a.rect.center());
        if (size == scene.a.rect.size()) rect = scene.a.rect;
        if (mode_ == CompareMode::SideBySide) rect.translate(scene.split, 0);
        scene.b = {b_.frames[frame], rect, b_.growth == VideoClip::Growth::Smooth};
    }
    return scene;
}

void VideoView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), tokens(palette()).matte);
    if (shown_ >= 0) {
        // Of the device that is painted on: an image as well as the screen.
        const double ratio = painter.deviceTransform().m11();
        const Scene now = scene(ratio);
        painter.save();
        painter.scale(1 / ratio, 1 / ratio);
        compositor_.paint(painter, now);
        painter.restore();
        if (isPlaying()) {
            Scene::Picture next = now.a;
            next.image = a_.frames[(shown_ + 1) % a_.frames.size()];
            compositor_.prepare(next, now.view);
        }
        if (layer_) paintShapes(painter, layer_->shapes(pictureView(ratio)));
        paintDivider(painter, ratio);
        for (const PlacedChip& chip : chips(ratio))
            paintChip(painter, chip.rect, chip.chip);
    }
    if (hasFocus()) {
        painter.setPen(tokens(palette()).accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void VideoView::paintDivider(QPainter& painter, double ratio) const {
    if (mode_ != CompareMode::Wipe && mode_ != CompareMode::SideBySide) return;
    const double x = splitColumn(ratio) / ratio;
    const Tokens& t = tokens(Theme::Dark);
    if (mode_ == CompareMode::SideBySide)
        return painter.fillRect(QRectF(x - 1, 0, 2, height()), tokens(palette()).matte);
    const QRectF picture = toLogical(pictureDeviceRect(ratio), ratio) & QRectF(rect());
    painter.fillRect(QRectF(x - 1, picture.top(), 2, picture.height()), t.text);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.seam, 1));
    painter.setBrush(t.text);
    const QPointF middle(x, picture.center().y());
    painter.drawEllipse(middle, kHandleRadius, kHandleRadius);
    painter.setPen(QPen(t.seam, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    for (const double side : {-1.0, 1.0})
        painter.drawPolyline(QPolygonF{middle + QPointF(side * 3, -3), middle + QPointF(side * 6, 0),
                                       middle + QPointF(side * 3, 3)});
    painter.setRenderHint(QPainter::Antialiasing, false);
}

PictureView VideoView::pictureView(double ratio) const {
    PictureView view;
    view.picture = toLogical(pictureDeviceRect(ratio), ratio);
    view.visible = view.picture & QRectF(rect());
    view.frame = shown_;
    view.frames = static_cast<int>(a_.frames.size());
    view.noteHeight = note_.isEmpty() && mode_ == CompareMode::Single
                          ? 0
                          : chipSize({"x", {}, {}}, width()).height() + kMargin;
    return view;
}

Chip VideoView::chipOfA() const {
    if (mode_ == CompareMode::Single) return badge_;
    return {badge_.text.isEmpty() ? a_.label : badge_.text, Chip::Mark::None, tr("A")};
}

Chip VideoView::chipOfB() const {
    return {b_.label, Chip::Mark::None, tr("B")};
}

QString VideoView::psnrText() const {
    const QString number = QString("%1").arg(a_.frameNumber(shown_), 3, 10, QChar('0'));
    const QImage b = b_.frames[otherFrame()];
    if (b.size() != currentImage().size()) return tr("sizes differ · frame %1").arg(number);
    const auto psnr = compositor_.psnr(currentImage(), b, gain_);
    if (!psnr) return tr("PSNR – · frame %1").arg(number);
    if (std::isinf(*psnr)) return tr("equal · frame %1").arg(number);
    return tr("PSNR %1 dB · frame %2").arg(QLocale().toString(*psnr, 'f', 1), number);
}

QList<VideoView::PlacedChip> VideoView::chips(double ratio) const {
    QList<PlacedChip> chips;
    if (shown_ < 0) return chips;
    QRectF visible = toLogical(pictureDeviceRect(ratio), ratio) & QRectF(rect());
    const auto add = [&](const QString& name, const Chip& chip, QPointF corner, double room) {
        const QSizeF size = chipSize(chip, room);
        if (size.width() > 2 * kMargin) chips.append({name, {corner, size}, chip});
    };
    const auto addLower = [&](const QString& name, const QString& text) {
        const Chip chip{text, Chip::Mark::None, {}};
        // A small picture has room for the upper ones alone.
        if (visible.height() < kLeastForLower) return;
        const double height = chipSize(chip, visible.width()).height();
        add(name, chip, {visible.left() + kMargin, visible.bottom() - kMargin - height},
            visible.width() - 2 * kMargin);
    };
    const QPointF corner = visible.topLeft() + QPointF(kMargin, kMargin);
    const double split = splitColumn(ratio) / ratio;
    switch (mode_) {
    case CompareMode::Single: add("badge", badge_, corner, visible.width() - 2 * kMargin); break;
    case CompareMode::Flick:
        add(showsB_ ? "labelB" : "labelA", showsB_ ? chipOfB() : chipOfA(), corner,
            visible.width() - 2 * kMargin);
        break;
    case CompareMode::Difference:
        add("labelDifference", {gain_ > 1 ? tr("×%1").arg(gain_) : QString(), Chip::Mark::None, tr("A − B")},
            corner, visible.width() - 2 * kMargin);
        break;
    case CompareMode::Wipe:
        add("labelA", chipOfA(), corner, split - corner.x() - kMargin);
        add("labelB", chipOfB(), {std::max(split, visible.left()) + kMargin, corner.y()},
            visible.right() - split - 2 * kMargin);
        break;
    case CompareMode::SideBySide:
        visible = visible & QRectF(0, 0, split, height());
        add("labelA", chipOfA(), corner, visible.width() - 2 * kMargin);
        add("labelB", chipOfB(), corner + QPointF(split, 0), visible.width() - 2 * kMargin);
        break;
    }
    if (mode_ != CompareMode::Single) {
        addLower("psnr", psnrText());
    } else if (!note_.isEmpty()) {
        addLower("note", note_);
    }
    return chips;
}

QRectF VideoView::dividerHandle() const {
    if (mode_ != CompareMode::Wipe || shown_ < 0) return {};
    const double ratio = devicePixelRatioF();
    const QRectF picture = pictureRect() & QRectF(rect());
    return {splitColumn(ratio) / ratio - kDividerReach, picture.top(), 2 * kDividerReach, picture.height()};
}

QPointF VideoView::toHalf(QPointF position) const {
    const double half = splitColumn(devicePixelRatioF()) / devicePixelRatioF();
    if (mode_ == CompareMode::SideBySide && position.x() >= half) position.rx() -= half;
    return position;
}

VideoView::Drag VideoView::dragFor(const QMouseEvent& event) const {
    const bool canPan = zoom_.canPan(place(devicePixelRatioF()));
    if (event.button() == Qt::MiddleButton) return canPan ? Drag::Pan : Drag::None;
    if (event.button() != Qt::LeftButton || shown_ < 0) return Drag::None;
    if (dividerHandle().contains(event.position())) return Drag::Divider;
    if (canPan && !(event.modifiers() & Qt::ControlModifier)) return Drag::Pan;
    return pictureRect().contains(toHalf(event.position())) ? Drag::Out : Drag::None;
}

void VideoView::showCursor(QPointF position) {
    if (drag_ == Drag::Pan) return setCursor(Qt::ClosedHandCursor);
    if (drag_ == Drag::Divider || dividerHandle().contains(position)) return setCursor(Qt::SplitHCursor);
    if (zoom_.canPan(place(devicePixelRatioF()))) return setCursor(Qt::OpenHandCursor);
    unsetCursor();
}

void VideoView::wheelEvent(QWheelEvent* event) {
    if (shown_ < 0 || event->angleDelta().y() == 0) return event->ignore();
    zoomAt(zoom() * std::pow(kZoomPerNotch, event->angleDelta().y() / kWheelNotch), event->position());
    event->accept();
}

void VideoView::mousePressEvent(QMouseEvent* event) {
    drag_ = dragFor(*event);
    dragFrom_ = event->position();
    showCursor(event->position());
    event->accept();
}

void VideoView::mouseMoveEvent(QMouseEvent* event) {
    const double ratio = devicePixelRatioF();
    switch (drag_) {
    case Drag::None: break;
    case Drag::Pan:
        zoom_.panBy((event->position() - dragFrom_) * ratio, place(ratio));
        dragFrom_ = event->position();
        update();
        break;
    case Drag::Divider: {
        const QRectF picture = pictureRect();
        divider_ = std::clamp((event->position().x() - picture.left()) / picture.width(), 0.0, 1.0);
        update();
        break;
    }
    case Drag::Out:
        if ((event->position() - dragFrom_).manhattanLength() < QApplication::startDragDistance()) break;
        drag_ = Drag::None;
        Q_EMIT draggedOut();
        break;
    }
    showCursor(event->position());
}

void VideoView::mouseReleaseEvent(QMouseEvent* event) {
    drag_ = Drag::None;
    showCursor(event->position());
}

void VideoView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || shown_ < 0) return;
    isFit() ? zoomAt(1, event->position()) : zoomToFit();
}

void VideoView::resizeEvent(QResizeEvent*) {
    // Fit has another scale now.
    Q_EMIT zoomChanged();
}

void VideoView::showEvent(QShowEvent*) {
    refresh();
}

void VideoView::hideEvent(QHideEvent*) {
    next_.stop();
}

QVariantList VideoView::uiItems() const {
    QVariantList items;
    const auto add = [&](const QString& name, const QRectF& rect, const QString& text) {
        items << QVariantMap{
            {"name", objectName() + "/" + name}, {"rect", rect.toAlignedRect()}, {"text", text}};
    };
    if (shown_ < 0) return items;
    const double ratio = devicePixelRatioF();
    add("picture", pictureRect(), QString::number(a_.frameNumber(shown_)));
    if (mode_ == CompareMode::Wipe) add("divider", dividerHandle(), QString::number(divider_));
    for (const PlacedChip& chip : chips(ratio))
        add(chip.name, chip.rect, QStringList{chip.chip.head, chip.chip.text}.join(' ').trimmed());
    if (layer_)
        for (const LayerShape& shape : layer_->shapes(pictureView(ratio)))
            if (!shape.name.isEmpty()) add(shape.name, shape.rect, shape.text);
    return items;
}

} // namespace reelmesh
