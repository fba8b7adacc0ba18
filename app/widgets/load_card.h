// One device, rank or machine as a painted card or, where room is short, as one row: a head and cells with a
// curve or a memory bar. Knows no model: it shows the content that it is given. GUI thread.
#pragma once

#include <QVariant>
#include <QWidget>

#include <optional>
#include <vector>

#include "sparkline.h"

namespace reelmesh {

struct LoadCell {
    enum class Tone { Accent, Steady, Traffic, Warning };

    QString name;     ///< of the item in tests: "deviceUtil0"
    QString label;    ///< "Util"
    QString value;    ///< "97 %"; "–": unknown
    QString rowValue; ///< shorter, for the row; "": the cell is not in the row
    QString toolTip;
    Tone tone = Tone::Accent;
    std::vector<SparklinePoint> points;
    double maximum = 1;
    double limit = std::numeric_limits<double>::quiet_NaN();
    bool limitWarns = false;      ///< it is one that is better not reached
    std::optional<MemoryBar> bar; ///< in the place of the curve
};

struct LoadCardContent {
    QString title;    ///< "GPU 5"
    QString detail;   ///< "H100 80GB · c1 u1"
    QString place;    ///< at the right: "00000000:AB:00.0"
    QString rowPlace; ///< under the title in the row: "AB:00.0"
    QString badge;    ///< "SW thermal"; "": none
    QString trouble;  ///< instead of the cells: why there are none
    QString toolTip;
    bool selectable = false;
    bool selected = false;
    std::vector<LoadCell> cells;
};

class LoadCard : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    enum class Form { Card, Row };

    explicit LoadCard(QWidget* parent = nullptr);

    void setContent(LoadCardContent content);
    const LoadCardContent& content() const { return content_; }
    /// graph: height of a card's curves, kLeastGraph ... kMostGraph.
    void setForm(Form form, int graph = kMostGraph);
    /// What a card of this width needs.
    static int heightFor(Form form, int width, int cells, int graph = kMostGraph);
    static constexpr int kLeastGraph = 16, kMostGraph = 24;

    /// All that it shows, for tests and screen readers: "GPU 5: Util 99 %, Memory 33.6 of 80.0 GiB ...".
    QString text() const;
    /// {name, rect, text} of each cell that is drawn now.
    Q_INVOKABLE QVariantList uiItems() const;

Q_SIGNALS:
    void clicked();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Place {
        const LoadCell* cell;
        QRect rect;
    };
    std::vector<Place> places() const;
    std::vector<Place> rowPlaces() const;
    void paintCard(QPainter& painter) const;
    void paintRow(QPainter& painter) const;
    void paintFrame(QPainter& painter) const;
    void paintHead(QPainter& painter) const;
    void paintCell(QPainter& painter, const Place& place) const;
    void paintGraph(QPainter& painter, const QRectF& rect, const LoadCell& cell) const;
    void paintTrouble(QPainter& painter, const QRect& rect) const;
    QColor color(LoadCell::Tone tone) const;

    LoadCardContent content_;
    Form form_ = Form::Card;
    int graph_ = kMostGraph;
};

} // namespace reelmesh
