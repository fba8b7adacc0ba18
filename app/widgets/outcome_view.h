// What the draft will become, in three lines, or why it is impossible with ways out as buttons. Numbers
// before the first unit stand out. Knows no model. GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>

#include <array>
#include <functional>

class QToolButton;

namespace reelmesh {

class OutcomeView : public QWidget {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    /// Buttons are named outcomeFix1 ... 3.
    explicit OutcomeView(QWidget* parent = nullptr);

    /// muted: not of the draft as it is now.
    enum class Freshness { Current, Stale };
    void showLines(const QStringList& lines, Freshness freshness);
    struct Fix {
        QString text;
        std::function<void()> run;
    };
    void showProblem(const QString& problem, const QList<Fix>& fixes);
    QString text() const { return lines_.join('\n'); }
    bool isProblem() const { return problem_; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void drawLine(QPainter& painter, const QString& line, const QRect& place) const;
    QStringList wrapped() const;
    void placeButtons();

    QStringList lines_;
    bool problem_ = false, stale_ = false;
    std::array<QToolButton*, 3> buttons_{};
    std::array<std::function<void()>, 3> runs_;
};

} // namespace reelmesh
