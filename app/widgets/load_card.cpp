#include "load_card.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

#include "theme/icons.h"
#include "theme/lanes.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kTinyText = 10;
constexpr int kPadX = 8, kPadY = 6;
constexpr int kHead = 16, kUnderHead = 4;
constexpr int kCellLabel = 14, kCellGapX = 8, kCellGapY = 4;
constexpr int kLeastCell = 100;
constexpr int kRowHeight = 38;
constexpr int kRowName = 64, kRowGap = 8, kRowCurve = 86, kRowBar = 56;
constexpr int kBadgeIcon = 10, kBadgePad = 4;

int columnsFor(int width, int cells) {
    const int fit = (width - 2 * kPadX + kCellGapX) / (kLeastCell + kCellGapX);
    return std::clamp(fit, 1, std::max(1, std::min(3, cells)));
}

QString elided(const QFont& font, const QString& text, int width) {
    return QFontMetrics(font).elidedText(text, Qt::ElideRight, width);
}

QFont titleFont() {
    return metrics::textFont(metrics::kBaseText, QFont::DemiBold);
}

} // namespace

LoadCard::LoadCard(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void LoadCard::setContent(LoadCardContent content) {
    content_ = std::move(content);
    setFocusPolicy(content_.selectable ? Qt::StrongFocus : Qt::NoFocus);
    setCursor(content_.selectable ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setAccessibleName(content_.title);
    setAccessibleDescription(text());
    update();
}

void LoadCard::setForm(Form form, int graph) {
    if (form_ == form && graph_ == graph) return;
    form_ = form;
    graph_ = graph;
    update();
}

int LoadCard::heightFor(Form form, int width, int cells, int graph) {
    if (form == Form::Row) return kRowHeight;
    const int columns = columnsFor(width, cells);
    const int rows = std::max(1, (cells + columns - 1) / columns);
    return 2 * kPadY + kHead + kUnderHead + rows * (kCellLabel + graph) + (rows - 1) * kCellGapY;
}

QString LoadCard::text() const {
    QStringList parts;
    for (const LoadCell& cell : content_.cells)
        parts << cell.label + ' ' + cell.value;
    if (!content_.trouble.isEmpty()) parts = {content_.trouble};
    if (!content_.badge.isEmpty()) parts.prepend(content_.badge);
    return content_.title + ": " + parts.join(", ");
}

QVariantList LoadCard::uiItems() const {
    QVariantList items;
    for (const Place& place : form_ == Form::Card ? places() : rowPlaces())
        items << QVariantMap{{"name", place.cell->name}, {"rect", place.rect}, {"text", place.cell->value}};
    return items;
}

std::vector<LoadCard::Place> LoadCard::places() const {
    std::vector<Place> places;
    if (!content_.trouble.isEmpty()) return places;
    const int count = static_cast<int>(content_.cells.size());
    const int columns = columnsFor(width(), count);
    const int cellWidth = (width() - 2 * kPadX - (columns - 1) * kCellGapX) / columns;
    for (int i = 0; i < count; ++i) {
        const int x = kPadX + i % columns * (cellWidth + kCellGapX);
        const int y = kPadY + kHead + kUnderHead + i / columns * (kCellLabel + graph_ + kCellGapY);
        places.push_back(
            {&content_.cells[static_cast<std::size_t>(i)], QRect(x, y, cellWidth, kCellLabel + graph_)});
    }
    return places;
}

std::vector<LoadCard::Place> LoadCard::rowPlaces() const {
    std::vector<Place> places;
    if (!content_.trouble.isEmpty()) return places;
    const QFontMetrics numbers(metrics::numberFont(metrics::kSmallText));
    // From the right: figures as wide as they are, the bar; what is left is the curve's.
    int right = width() - kPadX;
    const int least = kPadX + kRowName + kRowGap + kRowBar;
    for (auto cell = content_.cells.rbegin(); cell != content_.cells.rend(); ++cell) {
        if (cell->rowValue.isEmpty()) continue;
        const bool first = &*cell == &content_.cells.front();
        const int wide = cell->bar ? kRowBar : std::max(42, numbers.horizontalAdvance(cell->rowValue));
        if (first) {
            places.push_back(
                {&*cell, QRect(kPadX + kRowName + kRowGap, 0, right - kPadX - kRowName - kRowGap, height())});
        } else if (right - wide - kRowGap >= least + numbers.horizontalAdvance("100 %") + kRowGap) {
            places.push_back({&*cell, QRect(right - wide, 0, wide, height())});
            right -= wide + kRowGap;
        }
    }
    std::ranges::reverse(places);
    return places;
}

QColor LoadCard::color(LoadCell::Tone tone) const {
    const Tokens& t = tokens(palette());
    const bool light = t.window.lightness() > 128;
    // Lane colours are made for dark grounds: thin lines need more on light ones.
    const auto lane = [light](Lane of) {
        return light ? laneStyle(of).color.darker(140) : laneStyle(of).color;
    };
    switch (tone) {
    case LoadCell::Tone::Accent: return t.accent;
    case LoadCell::Tone::Steady: return lane(Lane::Norm);
    case LoadCell::Tone::Traffic: return lane(Lane::AllToAll);
    case LoadCell::Tone::Warning: return t.warning;
    }
    return t.accent;
}

void LoadCard::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintFrame(painter);
    if (form_ == Form::Card)
        paintCard(painter);
    else
        paintRow(painter);
}

void LoadCard::paintFrame(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    const bool marked = content_.selected || hasFocus();
    if (form_ == Form::Row) {
        painter.fillRect(rect(), content_.selected ? t.selection : t.window);
        painter.fillRect(0, height() - 1, width(), 1, t.border);
        if (!hasFocus()) return;
        painter.setPen(QPen(t.accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(marked ? t.accent : t.border, marked ? 2 : 1));
    painter.setBrush(content_.selected ? t.selection : t.window);
    const double inset = marked ? 1 : 0.5;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), metrics::kRadius,
                            metrics::kRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void LoadCard::paintHead(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    const QRect line(kPadX, kPadY, width() - 2 * kPadX, kHead);
    const QFont title = titleFont(), small = metrics::textFont(metrics::kSmallText);
    const QFont tiny = metrics::textFont(kTinyText), number = metrics::numberFont(kTinyText);
    int left = line.left(), right = line.right() + 1;
    const auto gap = metrics::kGap + 2;

    painter.setFont(title);
    painter.setPen(t.text);
    painter.drawText(line, int(Qt::AlignLeft | Qt::AlignVCenter), content_.title);
    left += QFontMetrics(title).horizontalAdvance(content_.title) + gap;

    const int placeWidth = QFontMetrics(number).horizontalAdvance(content_.place);
    const int badgeWidth = content_.badge.isEmpty() ? 0
                                                    : QFontMetrics(tiny).horizontalAdvance(content_.badge) +
                                                          kBadgeIcon + 3 * kBadgePad;
    // The place gives way to a badge.
    if (left + badgeWidth + placeWidth + 2 * gap <= right) {
        painter.setFont(number);
        painter.setPen(t.muted);
        painter.drawText(line, int(Qt::AlignRight | Qt::AlignVCenter), content_.place);
        right -= placeWidth + gap;
    }
    const QString detail =
        elided(small, content_.detail, right - left - (badgeWidth > 0 ? badgeWidth + gap : 0));
    painter.setFont(small);
    painter.setPen(t.muted);
    painter.drawText(QRect(left, line.top(), right - left, line.height()),
                     int(Qt::AlignLeft | Qt::AlignVCenter), detail);
    if (badgeWidth == 0) return;
    left += QFontMetrics(small).horizontalAdvance(detail) + gap;
    const QRectF badge(left + 0.5, line.top() + 0.5, badgeWidth - 1, kHead - 1);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(t.warning);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(badge, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
    icon("warning", IconTint::Warning)
        .paint(&painter, QRect(left + kBadgePad, line.top() + 3, kBadgeIcon, kBadgeIcon));
    painter.setFont(tiny);
    painter.drawText(badge.adjusted(2 * kBadgePad + kBadgeIcon, 0, 0, 0),
                     int(Qt::AlignLeft | Qt::AlignVCenter), content_.badge);
}

void LoadCard::paintTrouble(QPainter& painter, const QRect& rect) const {
    const Tokens& t = tokens(palette());
    icon("error", IconTint::Error).paint(&painter, QRect(rect.left(), rect.center().y() - 7, 14, 14));
    const QFont font = metrics::textFont(metrics::kSmallText);
    painter.setFont(font);
    painter.setPen(t.error);
    const QRect words = rect.adjusted(14 + 2 * metrics::kGap, 0, 0, 0);
    if (form_ == Form::Row)
        painter.drawText(words, int(Qt::AlignLeft | Qt::AlignVCenter),
                         elided(font, content_.trouble, words.width()));
    else
        painter.drawText(words, int(Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap), content_.trouble);
}

void LoadCard::paintCard(QPainter& painter) const {
    paintHead(painter);
    if (!content_.trouble.isEmpty())
        paintTrouble(painter, rect().adjusted(kPadX, kPadY + kHead + kUnderHead, -kPadX, -kPadY));
    for (const Place& place : places())
        paintCell(painter, place);
}

void LoadCard::paintCell(QPainter& painter, const Place& place) const {
    const Tokens& t = tokens(palette());
    const LoadCell& cell = *place.cell;
    const QRect line(place.rect.topLeft(), QSize(place.rect.width(), kCellLabel));
    const QFont number = metrics::numberFont(kTinyText), label = metrics::textFont(kTinyText);
    painter.setFont(number);
    painter.setPen(cell.tone == LoadCell::Tone::Warning ? t.warning : t.text);
    painter.drawText(line, int(Qt::AlignRight | Qt::AlignVCenter), cell.value);
    const int room = line.width() - QFontMetrics(number).horizontalAdvance(cell.value) - metrics::kGap;
    painter.setFont(label);
    painter.setPen(t.muted);
    painter.drawText(line, int(Qt::AlignLeft | Qt::AlignVCenter), elided(label, cell.label, room));
    paintGraph(painter, QRectF(place.rect.left(), line.bottom() + 1, place.rect.width(), graph_), cell);
}

void LoadCard::paintGraph(QPainter& painter, const QRectF& rect, const LoadCell& cell) const {
    if (cell.bar) {
        paintMemoryBar(painter, rect, *cell.bar, color(cell.tone));
        return;
    }
    const Tokens& t = tokens(palette());
    paintSparkline(painter, rect, cell.points,
                   {color(cell.tone), cell.maximum, cell.limit, cell.limitWarns ? t.warning : t.muted});
}

void LoadCard::paintRow(QPainter& painter) const {
    const Tokens& t = tokens(palette());
    const QFont title = titleFont(), number = metrics::numberFont(metrics::kSmallText);
    const QFont tiny = metrics::numberFont(kTinyText);
    const QRect name(kPadX, 3, kRowName, 17), place(kPadX, 20, kRowName, 14);
    painter.setFont(title);
    painter.setPen(t.text);
    painter.drawText(name, int(Qt::AlignLeft | Qt::AlignVCenter), elided(title, content_.title, kRowName));
    painter.setFont(tiny);
    painter.setPen(t.muted);
    painter.drawText(place, int(Qt::AlignLeft | Qt::AlignVCenter), elided(tiny, content_.rowPlace, kRowName));
    if (!content_.trouble.isEmpty())
        paintTrouble(painter, rect().adjusted(kPadX + kRowName + kRowGap, 0, -kPadX, 0));
    for (const Place& at : rowPlaces()) {
        const LoadCell& cell = *at.cell;
        painter.setPen(cell.tone == LoadCell::Tone::Warning ? t.warning : t.text);
        if (cell.bar) {
            paintMemoryBar(painter, QRectF(at.rect.left(), 6, at.rect.width(), 12), *cell.bar,
                           color(cell.tone));
            painter.setFont(tiny);
            painter.setPen(t.muted);
            painter.drawText(QRect(at.rect.left(), 20, at.rect.width(), 14),
                             int(Qt::AlignLeft | Qt::AlignVCenter), cell.rowValue);
            continue;
        }
        painter.setFont(number);
        painter.drawText(at.rect, int(Qt::AlignRight | Qt::AlignVCenter), cell.rowValue);
        if (&cell != &content_.cells.front()) continue;
        const int figure = std::max(36, QFontMetrics(number).horizontalAdvance(cell.rowValue));
        const int wide = std::max(at.rect.width() - figure - kRowGap, 0);
        paintGraph(painter, QRectF(at.rect.left(), 6, wide, height() - 13), cell);
    }
}

bool LoadCard::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    for (const Place& place : form_ == Form::Card ? places() : rowPlaces()) {
        if (!place.rect.contains(help->pos())) continue;
        QToolTip::showText(help->globalPos(), place.cell->toolTip, this, place.rect);
        return true;
    }
    QToolTip::showText(help->globalPos(), content_.toolTip, this);
    return true;
}

void LoadCard::mouseReleaseEvent(QMouseEvent* event) {
    if (content_.selectable && event->button() == Qt::LeftButton && rect().contains(event->pos()))
        Q_EMIT clicked();
}

void LoadCard::keyPressEvent(QKeyEvent* event) {
    const bool press =
        event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Space;
    if (content_.selectable && press)
        Q_EMIT clicked();
    else
        QWidget::keyPressEvent(event);
}

} // namespace reelmesh
