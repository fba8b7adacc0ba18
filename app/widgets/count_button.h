// A muted word and a number beside it, in amber when it is too many; a click asks for more. Knows no model.
// GUI thread.
#pragma once

#include <QAbstractButton>

namespace reelmesh {

class CountButton : public QAbstractButton {
    Q_OBJECT

public:
    explicit CountButton(const QString& word, QWidget* parent = nullptr);
    enum class Tone { Plain, Warning };
    void setCount(const QString& text, Tone tone);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString word_;
    Tone tone_ = Tone::Plain;
};

} // namespace reelmesh
