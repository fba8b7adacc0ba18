// The viewer's controls in one row: transport, loop, speed, comparison, counter, zoom, overlays, out. Where
// room is short, words go first, then what a key does as well; icons stay. Layout only: the panel connects
// it. GUI thread.
#pragma once

#include <QList>
#include <QWidget>

class QLabel;

namespace reelmesh {

class BarButton;

class PlayerBar : public QWidget {
    Q_OBJECT

public:
    explicit PlayerBar(QWidget* parent = nullptr);

    BarButton *first, *back, *play, *forward, *last;
    BarButton *loop, *speed, *mode, *pin;
    QLabel* frame;
    BarButton *fit, *actualSize, *overlays, *overlaysMenu, *save, *exportClip;

    /// All of the row.
    const QList<BarButton*>& buttons() const { return buttons_; }
    /// "017/081 1.06 s"; room is kept for as long a text of this many digits.
    void showFrame(const QString& text, int digits);
    /// After a word changed.
    void fitToWidth();

    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    BarButton* add(const QString& name, const QString& icon);
    void addLine();
    int needed() const;

    QList<BarButton*> buttons_;
    QList<QWidget*> lines_;
};

} // namespace reelmesh
