// A field for a prompt: Tab leaves it, Enter is a new line, Ctrl+Enter is left to the window. Pasted control
// characters are taken out, pasted megabytes refused and endless lines broken, each said. What lies behind a cut
// is struck through after a marker. Knows no model. GUI thread.
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
    /// QPlainTextEdit lays out a whole line at once: longer ones would hold up the GUI thread.
    static constexpr int kLongestLine = 8192;

    explicit PromptEdit(QWidget* parent = nullptr);

    /// As typed or set: toPlainText() would turn no-break spaces into plain ones.
    QString exactText() const;
    /// Leaves cursor and undo alone if it is the text already. Lines that are too long are shown broken, which
    /// is said; exactText() stays the text until an edit.
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
    QString unbroken_, broken_; ///< the text as set, and as shown where they differ; else null
    int cut_ = -1, limit_ = 0;
};

} // namespace reelmesh
