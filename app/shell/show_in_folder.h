// Opens the desktop's file manager at a file. GUI thread.
#pragma once

class QString;

namespace reelmesh {

/// Whether this desktop has a program for it; the button is left out where there is none.
bool canShowInFolder();
void showInFolder(const QString& path);

} // namespace reelmesh
