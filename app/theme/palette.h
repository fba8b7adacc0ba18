// The colours of the two themes as named tokens, and the application palette made from them.
// Tokens are constant tables; which one is in force follows from the palette, so nothing is kept.
#pragma once

#include <QColor>
#include <QPalette>

namespace reelmesh {

enum class Theme { Dark, Light };

struct Tokens {
    QColor matte, seam, window, bar, input, alt;
    QColor button, hover, border, strong;
    QColor text, second, muted, disabled;
    QColor accent, onAccent, selection;
    QColor warning, warningGround, error, errorGround, done;
};

const Tokens& tokens(Theme theme);
/// Those that a widget with this palette shows.
const Tokens& tokens(const QPalette& palette);
QPalette makePalette(Theme theme);

} // namespace reelmesh
