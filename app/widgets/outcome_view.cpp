#include "outcome_view.h"

#include <QPainter>
#include <QTextLayout>
#include <QToolButton>

#include <algorithm>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kLine = 16, kTop = 7, kMarkIcon = 14, kLines = 3;

QFont lineFont(QFont::Weight weight = QFont::Normal) {
    return metrics::textFont(metrics::kSmallText, weight);
}

/// The parts of a line that carry it: the first number, and times.
bool isStrong(const QString& part) {
    return part.startsWith(QChar(0x2248)) && part.endsWith('s');
}

} // namespace

OutcomeView::OutcomeView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Outcome"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        auto* button = buttons_[i] = new QToolButton(this);
        button->setObjectName(QString("outcomeFix%1").arg(i + 1));
        button->setFont(metrics::textFont(metrics::kSmallText));
        button->setFixedHeight(metrics::kSmallControl);
        button->setFocusPolicy(Qt::StrongFocus);
        button->hide();
        connect(button, &QToolButton::clicked, this, [this, i] {
            // Running it may replace what is shown.
            const auto run = runs_[i];
            if (run) run();
        });
    }
}

void OutcomeView::showLines(const QStringList& lines, Freshness freshness) {
    problem_ = false;
    stale_ = freshness == Freshness::Stale;
    lines_ = lines;
    for (QToolButton* button : buttons_)
        button->hide();
    setToolTip(tr("What the next job will be, and about what it costs.") + '\n' + text());
    updateGeometry();
    update();
}

void OutcomeView::showProblem(const QString& problem, const QList<Fix>& fixes) {
    problem_ = true;
    stale_ = false;
    lines_ = QStringList{problem};
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        const bool offered = static_cast<qsizetype>(i) < fixes.size();
        buttons_[i]->setVisible(offered);
        runs_[i] = offered ? fixes[static_cast<qsizetype>(i)].run : nullptr;
        if (!offered) continue;
        const QString text = fixes[static_cast<qsizetype>(i)].text;
        buttons_[i]->setText(text);
        buttons_[i]->setAccessibleName(tr("Make it possible: %1").arg(text));
        buttons_[i]->setToolTip(tr("Change to %1; this was planned and is possible.").arg(text));
        buttons_[i]->adjustSize();
    }
    setToolTip(problem);
    updateGeometry();
    placeButtons();
    update();
}

QStringList OutcomeView::wrapped() const {
    if (!problem_ || lines_.isEmpty()) return lines_;
    QTextLayout layout(lines_.first(), lineFont());
    QStringList lines;
    int shown = 0;
    layout.beginLayout();
    while (lines.size() < kLines) {
        QTextLine line = layout.createLine();
        if (!line.isValid()) break;
        line.setLineWidth(std::max(40, width() - 2 * metrics::kPadding - kMarkIcon - metrics::kGap));
        shown = line.textStart() + line.textLength();
        // The space that a line is broken at takes room and shows nothing.
        lines << lines_.first().mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    // What does not fit is elided; the tooltip has it all.
    if (!lines.isEmpty() && shown < lines_.first().size()) lines.last() += ' ' + lines_.first().mid(shown);
    return lines;
}

QSize OutcomeView::sizeHint() const {
    const bool hasButtons = std::any_of(buttons_.begin(), buttons_.end(),
                                        [](const QToolButton* button) { return !button->isHidden(); });
    const auto rows = std::max<int>(hasButtons ? 0 : kLines, static_cast<int>(wrapped().size()));
    return {240, 2 * kTop + rows * kLine + (hasButtons ? metrics::kSmallControl + metrics::kGap : 0)};
}

QSize OutcomeView::minimumSizeHint() const {
    return {120, sizeHint().height()};
}

void OutcomeView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (event->oldSize().width() == event->size().width()) return;
    updateGeometry();
    placeButtons();
}

void OutcomeView::placeButtons() {
    int left = metrics::kPadding + kMarkIcon + metrics::kGap;
    const int top = kTop + static_cast<int>(wrapped().size()) * kLine + 2;
    for (QToolButton* button : buttons_) {
        if (button->isHidden()) continue;
        button->move(left, top);
        left += button->width() + metrics::kGap;
    }
}

void OutcomeView::drawLine(QPainter& painter, const QString& line, const QRect& place) const {
    const Tokens& t = tokens(palette());
    const QString elided = QFontMetrics(lineFont()).elidedText(line, Qt::ElideRight, place.width());
    int left = place.left();
    const QStringList parts = elided.split(QStringLiteral(" · "));
    const auto put = [&](const QString& text, QFont::Weight weight, const QColor& color) {
        painter.setFont(lineFont(weight));
        painter.setPen(color);
        painter.drawText(QRect(left, place.top(), place.right() - left + 1, place.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        left += QFontMetrics(painter.font()).horizontalAdvance(text);
    };
    const QColor plain = stale_ ? t.muted : t.second;
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (i > 0) put(QStringLiteral(" · "), QFont::Normal, t.muted);
        // A range in brackets is said quietly.
        const qsizetype bracket = parts[i].indexOf(QStringLiteral(" ("));
        const QString main = bracket < 0 ? parts[i] : parts[i].left(bracket);
        put(main, isStrong(main) && !stale_ ? QFont::DemiBold : QFont::Normal,
            isStrong(main) && !stale_ ? t.text : plain);
        if (bracket >= 0) put(parts[i].mid(bracket), QFont::Normal, t.muted);
    }
}

void OutcomeView::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens(palette());
    QPainter painter(this);
    painter.fillRect(rect(), t.alt);
    painter.fillRect(0, 0, width(), 1, t.border);
    QRect place(metrics::kPadding, kTop, width() - 2 * metrics::kPadding, kLine);
    if (problem_) {
        icon("warning", IconTint::Warning)
            .paint(&painter, place.left(), place.top() + 1, kMarkIcon, kMarkIcon);
        place.setLeft(place.left() + kMarkIcon + metrics::kGap);
    }
    for (const QString& line : wrapped()) {
        if (problem_) {
            painter.setFont(lineFont());
            painter.setPen(t.warning);
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                             QFontMetrics(lineFont()).elidedText(line, Qt::ElideRight, place.width()));
        } else {
            drawLine(painter, line, place);
        }
        place.translate(0, kLine);
    }
}

} // namespace reelmesh
