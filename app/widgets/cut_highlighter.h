// Strikes a text through from a position on, and leaves room for a marker before it. GUI thread.
#pragma once

#include <QSyntaxHighlighter>

namespace reelmesh {

class CutHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    using QSyntaxHighlighter::QSyntaxHighlighter;
    /// position -1: nothing is struck through; room in pixels.
    void setCut(int position, int room);
    void setColor(const QColor& color);
    int room() const { return room_; }

protected:
    void highlightBlock(const QString& text) override;

private:
    int position_ = -1, room_ = 0;
    QColor color_;
};

} // namespace reelmesh
