#include "show_in_folder.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUrl>

namespace reelmesh {

bool canShowInFolder() {
    return !QStandardPaths::findExecutable("xdg-open").isEmpty();
}

void showInFolder(const QString& path) {
    QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath()));
}

} // namespace reelmesh
