// What a prompt's text must be like before it is shown: free of control characters, in lines that an editor
// lays out at once. Pure functions.
#pragma once

#include <QString>

namespace reelmesh {

/// Without the control characters that no prompt holds; new lines and tabs stay.
QString withoutControls(const QString& text);

/// The text in lines of at most `most` characters, `column` of which are taken in the first line. A longer line
/// is broken at its last space, which becomes the new line, else between two characters that are whole.
QString inShortLines(const QString& text, qsizetype most, qsizetype column = 0);

} // namespace reelmesh
