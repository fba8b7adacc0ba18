// A field for a prompt: Tab leaves it, Enter is a new line, Ctrl+Enter is left to the window. Pasted control
// characters are taken out and pasted megabytes refused, both said. What lies behind a cut is struck through
// after a marker. Knows no model. GUI thread.
#pragma once

#include <QPlainTextEdit>
#include <QString>

namespace reelmesh {

class CutHighlighter;

class PromptEdit : public QPlainTextEdit {
    Q_OBJECT
    Q_PROPERTY(int cut READ cutPosition)

public:
    static constexpr qsizetype kMost_bytes = 1 << 20;

    explicit PromptEdit(QWidget* parent = nullptr);

    /// As typed: toPlainText() would turn no-break spaces into plain ones.
    QString exactText() const;
    /// Leaves cursor and undo alone if it is the text already.
    void setExactText(const QString& text);
    /// position: first dropped character, -1: none; limit: for the marker "✂ 512".
    void setCut(int position, int limit);
    int cutPosition() const { return cut_; }
    /// Where the marker is drawn, in the viewport; empty: it is not in sight.
    QRect markerRect() const;
    /// For tests: the marker, {name, rect, text}.
    Q_INVOKABLE QVariantList uiItems() const;

Q_SIGNALS:
    /// A paste was cleaned or refused: a sentence.
    void noticed(const QString& sentence);
    void olderAsked();
    void newerAsked();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void insertFromMimeData(const QMimeData* source) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QString markerText() const;
    QFont markerFont() const;

    CutHighlighter* highlighter_;
    int cut_ = -1, limit_ = 0;
};

/// Without the control characters that no prompt holds; new lines and tabs stay.
QString withoutControls(const QString& text);

} // namespace reelmesh
