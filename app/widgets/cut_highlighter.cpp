#include "cut_highlighter.h"

#include <QTextDocument>

namespace reelmesh {

void CutHighlighter::setCut(int position, int room) {
    if (position == position_ && room == room_) return;
    position_ = position;
    room_ = room;
    rehighlight();
}

void CutHighlighter::setColor(const QColor& color) {
    if (color == color_) return;
    color_ = color;
    if (position_ >= 0) rehighlight();
}

void CutHighlighter::highlightBlock(const QString& text) {
    const int first = position_ - currentBlock().position();
    const int length = static_cast<int>(text.size());
    if (position_ < 0 || first > length) return;
    if (first > 0) {
        // The gap behind the last kept character is where the marker stands.
        QTextCharFormat gap;
        gap.setFontLetterSpacingType(QFont::AbsoluteSpacing);
        gap.setFontLetterSpacing(room_);
        setFormat(first - 1, 1, gap);
    }
    QTextCharFormat dropped;
    dropped.setFontStrikeOut(true);
    dropped.setForeground(color_);
    setFormat(std::max(first, 0), length - std::max(first, 0), dropped);
}

} // namespace reelmesh
