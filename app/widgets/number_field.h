// A field for one number with its legal values: arrows and wheel step over those alone, what is typed stays
// as typed. An illegal value turns the field amber and is told by hint(), with its legal neighbours; Enter
// takes the nearest. Reads decimal comma and point, spaces and full-width digits; shows points, whatever the
// locale. Knows no model. GUI thread.
#pragma once

#include <QAbstractSpinBox>
#include <QList>
#include <QString>

#include <optional>

#include "engine/request.h"

class QLabel;

namespace reelmesh {

class NumberField : public QAbstractSpinBox {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)
    Q_PROPERTY(bool legal READ isLegal)

public:
    explicit NumberField(QWidget* parent = nullptr);

    void setRule(const NumberRule& rule);
    const NumberRule& rule() const { return rule_; }
    /// What the grid is called: "frames are 4n+1".
    void setGridWords(const QString& words) { gridWords_ = words; }
    void setDecimals(int decimals);
    /// Muted, behind the number.
    void setUnit(const QString& unit);
    /// Fractions such as 30000/1001 are values too.
    void setFractions(bool allowed) { fractions_ = allowed; }

    /// From outside; emits nothing, and leaves alone what is being typed and means the same.
    void setValue(double value);
    /// The same with a text of its own: "30000/1001".
    void setValue(double value, const QString& text);
    /// No value is known: shows "–".
    void clearValue();
    /// Nothing if the text is no number.
    std::optional<double> value() const;
    bool isLegal() const { return legal_; }
    /// Texts of the legal neighbours of an illegal value, at most two.
    QStringList neighbours() const;
    /// "80: frames are 4n+1"; "79 → 81" after Enter took it; "" while there is nothing to say.
    QString hint() const { return hint_; }
    /// Takes one of neighbours().
    void take(const QString& neighbour);

    void stepBy(int steps) override;
    QString textOf(double value) const;

Q_SIGNALS:
    /// Typed, stepped or taken: the number with a decimal point, or the text that is none.
    void edited(const QString& plain);
    /// Legality, neighbours or hint are others.
    void stateChanged();
    /// Two numbers were pasted: "1280*720".
    void sizePasted(std::int64_t width, std::int64_t height);

protected:
    StepEnabled stepEnabled() const override;
    QValidator::State validate(QString& input, int& at) const override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    std::optional<double> parsed(const QString& plain) const;
    void onTyped();
    void showText(const QString& text);
    void judge();
    void placeUnit();

    NumberRule rule_{0, 1e9, 1, 0};
    QString gridWords_;
    QString hint_;
    int decimals_ = 0;
    bool fractions_ = false;
    bool legal_ = true;
    QLabel* unit_;
};

/// Reads "1280x720", also with * or × and spaces; nothing else.
std::optional<std::pair<std::int64_t, std::int64_t>> parseSize(const QString& text);

} // namespace reelmesh
