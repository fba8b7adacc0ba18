// The row under a field that is not legal yet: what is wrong, and the legal neighbours as buttons. Follows
// its field; hidden while there is nothing to say. Knows no model. GUI thread; the field outlives it.
#pragma once

#include <QWidget>

#include <array>

class QLabel;
class QToolButton;

namespace reelmesh {

class NumberField;

class LegalHint : public QWidget {
    Q_OBJECT

public:
    /// Buttons are named "<field>Nearest1" and "<field>Nearest2".
    explicit LegalHint(NumberField& field, QWidget* parent = nullptr);

private:
    void follow();

    NumberField& field_;
    QLabel* icon_;
    QLabel* text_;
    std::array<QToolButton*, 2> buttons_{};
};

} // namespace reelmesh
