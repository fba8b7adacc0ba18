// Keeps size and place of the window and the arrangement of its docks from one start to the next, in one JSON
// file. What cannot be read or lies on no screen is ignored. GUI thread.
#pragma once

#include <QJsonObject>
#include <QString>

class QWidget;

namespace reelmesh {

struct SavedPlace {
    QByteArray geometry;
    QJsonObject layouts; ///< of DockLayout
};

/// problem: set to a sentence if the file is damaged; it was put aside then.
SavedPlace readPlace(const QString& file, QString& problem);
/// Makes the folder; a failure costs the place only and is no message's worth.
void savePlace(const SavedPlace& place, const QString& file);
/// At least four fifths of the window end on a screen that is there.
void restoreGeometry(QWidget& window, const QByteArray& geometry);

} // namespace reelmesh
