// A button of a bar: an icon, a word or both, a chevron where a menu opens. Flat; checked is the selection's
// ground with an accent frame. Its word can be hidden where room is short and is still its text. Knows no
// model. GUI thread.
#pragma once

#include <QToolButton>

namespace reelmesh {

class BarButton : public QToolButton {
    Q_OBJECT

public:
    enum class WordSide { Right, Left };

    explicit BarButton(const QString& objectName, const QString& iconName = {}, QWidget* parent = nullptr);

    void setIconName(const QString& name);
    QString iconName() const { return iconName_; }
    /// After or before the icon.
    void setWordSide(WordSide side);
    void setWordVisible(bool visible);
    /// Room for the widest of these words, so that a change moves no neighbour.
    void setWordRoom(const QStringList& words);
    void setWordFont(const QFont& font);

    /// Enabled with what it does, or disabled with why not.
    void setReason(const QString& whyNot);
    void setHelp(const QString& help);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    /// Arrows are the owner's: frames, not neighbours.
    void keyPressEvent(QKeyEvent* event) override;

private:
    int wordWidth() const;
    void showHelp();

    QString iconName_, help_, whyNot_;
    QFont wordFont_;
    QStringList wordRoom_;
    WordSide wordSide_ = WordSide::Right;
    bool wordVisible_ = true;
};

} // namespace reelmesh
