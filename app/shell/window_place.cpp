#include "window_place.h"

#include <QGuiApplication>
#include <QScreen>
#include <QWidget>

#include "models/json_file.h"

namespace reelmesh {
namespace {

const char kGeometryKey[] = "window";
const char kLayoutsKey[] = "layouts";
constexpr double kLeastVisible = 0.8;

double area(const QSize& size) {
    return static_cast<double>(size.width()) * size.height();
}

double visibleShare(const QRect& place) {
    double seen = 0;
    for (const QScreen* screen : QGuiApplication::screens())
        seen += area(screen->availableGeometry().intersected(place).size());
    return place.isEmpty() ? 0 : seen / area(place.size());
}

} // namespace

SavedPlace readPlace(const QString& path, QString& problem) {
    const JsonFile read = readJsonFile(path);
    problem = read.problem;
    return {QByteArray::fromBase64(read.object[kGeometryKey].toString().toLatin1()),
            read.object[kLayoutsKey].toObject()};
}

void savePlace(const SavedPlace& place, const QString& path) {
    writeJsonFile(
        path, {{kGeometryKey, QString::fromLatin1(place.geometry.toBase64())}, {kLayoutsKey, place.layouts}});
}

void restoreGeometry(QWidget& window, const QByteArray& geometry) {
    const QRect before = window.geometry();
    if (geometry.isEmpty() || !window.restoreGeometry(geometry)) return;
    const QRect place = window.geometry();
    if (visibleShare(place) >= kLeastVisible) return;
    // The screen it was on is gone: the same size on the one that is there.
    const QRect room = window.screen()->availableGeometry();
    const QSize size = place.isEmpty() ? before.size() : place.size().boundedTo(room.size());
    window.setGeometry(QRect(room.topLeft(), size));
}

} // namespace reelmesh
