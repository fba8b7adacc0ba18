#include "window_place.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QWidget>

namespace reelmesh {
namespace {

constexpr qint64 kLongestFile = 1 << 16;
const char kGeometryKey[] = "window";

} // namespace

void restoreWindowPlace(QWidget& window, const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > kLongestFile) return;
    const QJsonObject layout = QJsonDocument::fromJson(file.readAll()).object();
    // Qt brings a window back that was saved on a screen which is gone.
    window.restoreGeometry(QByteArray::fromBase64(layout[kGeometryKey].toString().toLatin1()));
}

void saveWindowPlace(const QWidget& window, const QString& path) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return;
    const QString geometry = QString::fromLatin1(window.saveGeometry().toBase64());
    file.write(QJsonDocument(QJsonObject{{kGeometryKey, geometry}}).toJson());
    file.commit();
}

} // namespace reelmesh
