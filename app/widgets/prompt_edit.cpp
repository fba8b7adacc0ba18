#include "prompt_edit.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QTextBlock>

#include "cut_highlighter.h"
#include "prompt_text.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kMarkerPadding = 4, kMarkerHeight = 15, kMarkerGap = 3;
constexpr double kMegabyte = 1024 * 1024;

/// The widget's own palette has the box's transparent ground.
const Tokens& theme() {
    return tokens(QGuiApplication::palette());
}

} // namespace

PromptEdit::PromptEdit(QWidget* parent)
    : QPlainTextEdit(parent), highlighter_(new CutHighlighter(document())) {
    setTabChangesFocus(true);
    setFont(metrics::textFont(metrics::kPromptText));
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    highlighter_->setColor(theme().muted);
}

QString PromptEdit::exactText() const {
    QString text = document()->toRawText();
    text.replace(QChar::ParagraphSeparator, '\n');
    text.replace(QChar::LineSeparator, '\n');
    return !unbroken_.isNull() && text == broken_ ? unbroken_ : text;
}

void PromptEdit::setExactText(const QString& text) {
    if (text == exactText()) return;
    const QString shown = inShortLines(text, kLongestLine);
    const bool isBroken = shown != text;
    unbroken_ = isBroken ? text : QString();
    broken_ = isBroken ? shown : QString();
    setPlainText(shown);
    if (!isBroken) return;
    Q_EMIT noticed(tr("A line of this prompt is longer than %L1 characters and is shown broken. "
                      "The prompt itself stays as it is until you edit it.")
                       .arg(kLongestLine));
}

void PromptEdit::setCut(int position, int limit) {
    cut_ = position;
    limit_ = limit;
    const int width = QFontMetrics(markerFont()).horizontalAdvance(markerText());
    highlighter_->setCut(position, width + 2 * kMarkerPadding + 2 * kMarkerGap);
    viewport()->update();
}

QString PromptEdit::markerText() const {
    return tr("✂ %1").arg(limit_);
}

QFont PromptEdit::markerFont() const {
    return metrics::textFont(metrics::kSmallText - 1);
}

QRect PromptEdit::markerRect() const {
    if (cut_ < 0 || cut_ > document()->characterCount()) return {};
    QTextCursor cursor(document());
    cursor.setPosition(cut_);
    const QRect at = cursorRect(cursor);
    const int width = highlighter_->room() - 2 * kMarkerGap;
    // At the beginning of a line the gap is at the end of the line before.
    int left = at.left() - highlighter_->room() + kMarkerGap;
    QRect line = at;
    if (left < 0 && cut_ > 0) {
        cursor.setPosition(cut_ - 1);
        line = cursorRect(cursor);
        cursor.setPosition(cut_);
        left = std::max(0, viewport()->width() - width - kMarkerGap);
    }
    const QRect rect(std::max(0, left), line.center().y() - kMarkerHeight / 2, width, kMarkerHeight);
    return rect.intersects(viewport()->rect()) ? rect : QRect();
}

QVariantList PromptEdit::uiItems() const {
    const QRect rect = markerRect();
    if (rect.isEmpty()) return {};
    return {QVariantMap{{"name", objectName() + "Cut"},
                        {"rect", rect.translated(viewport()->pos())},
                        {"text", markerText()}}};
}

void PromptEdit::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && event->modifiers() & Qt::ControlModifier) return event->ignore();
    if (event->modifiers() == Qt::AltModifier && event->key() == Qt::Key_Up) return Q_EMIT olderAsked();
    if (event->modifiers() == Qt::AltModifier && event->key() == Qt::Key_Down) return Q_EMIT newerAsked();
    QPlainTextEdit::keyPressEvent(event);
}

void PromptEdit::insertFromMimeData(const QMimeData* source) {
    const QString pasted = source->text();
    const qsizetype room = kMost_bytes - exactText().toUtf8().size();
    if (const qsizetype bytes = pasted.toUtf8().size(); bytes > room) {
        Q_EMIT noticed(tr("Not pasted: the text has %1 MiB, a prompt holds at most 1 MiB.")
                           .arg(static_cast<double>(bytes) / kMegabyte, 0, 'f', 1));
        return;
    }
    const QString clean = withoutControls(pasted);
    QString same = pasted;
    same.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    if (const qsizetype removed = same.size() - clean.size(); removed > 0)
        Q_EMIT noticed(removed == 1
                           ? tr("1 control character was left out of the pasted text.")
                           : tr("%1 control characters were left out of the pasted text.").arg(removed));
    const int begin = textCursor().selectionStart();
    const QString lines = inShortLines(clean, kLongestLine, begin - document()->findBlock(begin).position());
    if (lines != clean)
        Q_EMIT noticed(
            tr("A line longer than %L1 characters was broken into shorter ones.").arg(kLongestLine));
    QMimeData text;
    text.setText(lines);
    QPlainTextEdit::insertFromMimeData(&text);
}

void PromptEdit::paintEvent(QPaintEvent* event) {
    QPlainTextEdit::paintEvent(event);
    const QRect rect = markerRect();
    if (rect.isEmpty()) return;
    const Tokens& t = theme();
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(t.warning);
    painter.setBrush(t.warningGround);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setFont(markerFont());
    painter.drawText(rect, Qt::AlignCenter, markerText());
}

void PromptEdit::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        if (highlighter_) highlighter_->setColor(theme().muted);
}

} // namespace reelmesh
