// Keeps size and place of the window from one start to the next, in a small JSON file. What cannot
// be read or lies on no screen is ignored. GUI thread.
#pragma once

class QString;
class QWidget;

namespace reelmesh {

void restoreWindowPlace(QWidget& window, const QString& file);
/// Makes the folder; a failure costs the place only and is no message's worth.
void saveWindowPlace(const QWidget& window, const QString& file);

} // namespace reelmesh
