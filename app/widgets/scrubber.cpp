#include "scrubber.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kHeight = 24, kLeastWidth = 80;
constexpr int kEnd = 6; ///< beside the track, half a pentagon
constexpr double kStepTrack = 4, kTimeTrack = 10;
constexpr QSizeF kHandle(8, 14);
constexpr double kDecodedOpacity = 0.55, kPreviewOpacity = 0.35;
constexpr double kLeastStepApart = 5, kLeastFrameApart = 24;

QString fillName(Scrubber::Fill fill) {
    switch (fill) {
    case Scrubber::Fill::Kept: return "kept";
    case Scrubber::Fill::Decoded: return "decoded";
    case Scrubber::Fill::Preview: return "preview";
    case Scrubber::Fill::Decoding: return "decoding";
    }
    return {};
}

void paintStripes(QPainter& painter, const QRectF& rect, const QColor& color) {
    painter.save();
    painter.setClipRect(rect);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 2.5));
    for (double x = rect.left() - rect.height(); x < rect.right(); x += 6)
        painter.drawLine(QPointF(x, rect.bottom() + 1), QPointF(x + rect.height() + 1, rect.top()));
    painter.restore();
}

/// Ticks between two long ones.
int tickEvery(int places, double width, double leastApart) {
    for (const int every : {1, 2, 4, 8, 16, 32, 64, 128, 256})
        if (width * every / places >= leastApart) return every;
    return places;
}

} // namespace

Scrubber::Scrubber(Look look, const QString& objectName, QWidget* parent)
    : QAbstractSlider(parent), look_(look) {
    setObjectName(objectName);
    setOrientation(Qt::Horizontal);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(false);
    setRange(0, 0);
}

void Scrubber::setPlaces(int count, const QList<Span>& spans) {
    if (count == places_ && spans == spans_) return;
    places_ = count;
    spans_ = spans;
    showing_ = true;
    setRange(count > 0 ? 1 : 0, count);
    showing_ = false;
    update();
}

void Scrubber::showValue(int value) {
    showing_ = true;
    setValue(value);
    showing_ = false;
}

QString Scrubber::text() const {
    if (places_ <= 0) return QStringLiteral("–");
    return QString("%1/%2").arg(value()).arg(places_);
}

QSize Scrubber::sizeHint() const {
    return {200, kHeight};
}

QSize Scrubber::minimumSizeHint() const {
    return {kLeastWidth, kHeight};
}

QRectF Scrubber::track() const {
    const double height = look_ == Look::Steps ? kStepTrack : kTimeTrack;
    return {double(kEnd), (kHeight - 4 - height) / 2.0 + 2, double(width() - 2 * kEnd), height};
}

int Scrubber::placeAt(double x) const {
    if (places_ <= 0) return 0;
    const QRectF line = track();
    const double along = (x - line.left()) / line.width() * places_;
    // A step is marked at its end, a frame in its middle.
    const double place = look_ == Look::Steps ? std::round(along) : std::floor(along) + 1;
    return std::clamp(static_cast<int>(place), 1, places_);
}

double Scrubber::xOf(int place) const {
    const QRectF line = track();
    const double along = look_ == Look::Steps ? place : place - 0.5;
    return line.left() + line.width() * std::max(0.0, along) / std::max(1, places_);
}

QRectF Scrubber::spanRect(const Span& span) const {
    const QRectF line = track();
    const double unit = line.width() / std::max(1, places_);
    return {line.left() + (span.first - 1) * unit, line.top(), span.count * unit, line.height()};
}

void Scrubber::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = tokens(palette());
    const QRectF line = track();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(t.border);
    painter.setBrush(t.input);
    painter.drawRoundedRect(line.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const Span& span : spans_)
        paintSpan(painter, span);
    paintTicks(painter);
    if (places_ > 0 && value() > 0 && isEnabled()) paintHandle(painter);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(t.accent);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    }
}

void Scrubber::paintSpan(QPainter& painter, const Span& span) const {
    const Tokens& t = tokens(palette());
    QRectF rect = spanRect(span);
    const double ratio = devicePixelRatioF();
    const auto snap = [ratio](double x) { return std::round(x * ratio) / ratio; };
    rect = QRectF(QPointF(snap(rect.left()), rect.top()), QPointF(snap(rect.right()), rect.bottom()));
    QColor color = t.accent;
    switch (span.fill) {
    case Fill::Kept: {
        // Dropped steps are gaps: a step that stands alone needs room beside it.
        const bool whole = span.first == 1 && spans_.size() == 1;
        painter.fillRect(whole ? rect : rect.adjusted(0.5, 0, -0.5, 0), color);
        return;
    }
    case Fill::Decoded: color.setAlphaF(kDecodedOpacity); break;
    case Fill::Preview: color.setAlphaF(kPreviewOpacity); break;
    case Fill::Decoding:
        color.setAlphaF(kDecodedOpacity);
        return paintStripes(painter, rect.adjusted(0, 0.5, 0, -0.5), color);
    }
    painter.fillRect(rect, color);
}

void Scrubber::paintTicks(QPainter& painter) const {
    if (places_ <= 1) return;
    const Tokens& t = tokens(palette());
    const double top = track().bottom() + 2;
    const int every =
        tickEvery(places_, track().width(), look_ == Look::Steps ? kLeastStepApart : kLeastFrameApart);
    const int longEvery = look_ == Look::Steps ? every * 5 : every * 4;
    const int first = look_ == Look::Steps ? every : 1;
    int reached = 0;
    for (const Span& span : spans_)
        if (span.fill == Fill::Kept) reached = std::max(reached, span.first + span.count - 1);
    for (int place = first; place <= places_; place += every) {
        const bool isLong = look_ == Look::Steps ? place % longEvery == 0 : (place - 1) % longEvery == 0;
        const double height = isLong ? 4 : 2;
        painter.fillRect(QRectF(std::round(xOf(place)) - 0.5, top, 1, height),
                         place <= reached ? t.accent : t.strong);
    }
}

void Scrubber::paintHandle(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    const double x = xOf(value());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(t.text);
    if (look_ == Look::Steps) {
        painter.setPen(t.window);
        const QRectF handle(x - kHandle.width() / 2, track().center().y() - kHandle.height() / 2,
                            kHandle.width(), kHandle.height());
        painter.drawRoundedRect(handle, 2, 2);
        return;
    }
    painter.setPen(Qt::NoPen);
    const double middle = std::round(x);
    painter.drawRect(QRectF(middle - 1, 2, 2, kHeight - 4));
    painter.drawPolygon(
        QPolygonF{{middle - 5, 1}, {middle + 5, 1}, {middle + 5, 5}, {middle, 10}, {middle - 5, 5}});
}

void Scrubber::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || places_ <= 0) return event->ignore();
    setSliderDown(true);
    Q_EMIT chosen(placeAt(event->position().x()));
}

void Scrubber::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) Q_EMIT chosen(placeAt(event->position().x()));
}

void Scrubber::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) setSliderDown(false);
}

void Scrubber::keyPressEvent(QKeyEvent* event) {
    if (places_ <= 0 || event->modifiers() & ~Qt::KeypadModifier) return event->ignore();
    switch (event->key()) {
    case Qt::Key_Left: return Q_EMIT stepped(-1);
    case Qt::Key_Right: return Q_EMIT stepped(1);
    case Qt::Key_Home: return Q_EMIT chosen(1);
    case Qt::Key_End: return Q_EMIT chosen(places_);
    default: event->ignore();
    }
}

void Scrubber::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

void Scrubber::sliderChange(SliderChange change) {
    QAbstractSlider::sliderChange(change);
    if (change != SliderValueChange) return;
    setAccessibleDescription(text());
    if (!showing_) Q_EMIT chosen(value());
}

QVariantList Scrubber::uiItems() const {
    QVariantList items;
    const auto add = [&](const QString& name, const QRectF& rect, const QString& text) {
        items << QVariantMap{
            {"name", objectName() + "/" + name}, {"rect", rect.toAlignedRect()}, {"text", text}};
    };
    for (const Span& span : spans_)
        add(fillName(span.fill), spanRect(span),
            QString("%1-%2").arg(span.first).arg(span.first + span.count - 1));
    if (places_ > 0)
        add("handle", QRectF(xOf(value()) - kHandle.width() / 2, 0, kHandle.width(), kHeight), text());
    return items;
}

} // namespace reelmesh
