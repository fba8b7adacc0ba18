// A row of numbered places, from 1, of which one is shown: the steps of a job, or the frames of a clip. What
// is there, coming or gone is drawn as spans. A slider for assistive programs; the user's wish goes out as
// chosen() and stepped(), the owner answers with showValue(). Knows no model. GUI thread.
#pragma once

#include <QAbstractSlider>
#include <QList>
#include <QVariantList>

namespace reelmesh {

class Scrubber : public QAbstractSlider {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    enum class Look { Steps, Time };
    enum class Fill { Kept, Decoded, Preview, Decoding };
    struct Span {
        Fill fill = Fill::Kept;
        int first = 1, count = 0; ///< places, from 1
        bool operator==(const Span&) const = default;
    };

    Scrubber(Look look, const QString& objectName, QWidget* parent = nullptr);

    /// Places without a span are to come, or gone.
    void setPlaces(int count, const QList<Span>& spans);
    /// 0: none. Does not emit chosen().
    void showValue(int value);
    int places() const { return places_; }
    const QList<Span>& spans() const { return spans_; }

    /// "12/40", "–" without a place.
    QString text() const;
    Q_INVOKABLE QVariantList uiItems() const;
    /// The place under a point.
    int placeAt(double x) const;
    /// Where a place is marked.
    double xOf(int place) const;
    QRectF spanRect(const Span& span) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// By pointer, Home, End or an assistive program.
    void chosen(int value);
    /// By arrow keys.
    void stepped(int by);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void sliderChange(SliderChange change) override;

private:
    QRectF track() const;
    void paintTicks(QPainter& painter) const;
    void paintSpan(QPainter& painter, const Span& span) const;
    void paintHandle(QPainter& painter) const;

    const Look look_;
    int places_ = 0;
    QList<Span> spans_;
    bool showing_ = false; ///< the owner sets the value
};

} // namespace reelmesh
