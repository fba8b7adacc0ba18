// Small JSON files of the program's own: read bounded, written whole or not at all, and put aside instead of
// overwritten when they are damaged. Any thread.
#pragma once

#include <QJsonObject>
#include <QString>

namespace reelmesh {

struct JsonFile {
    QJsonObject object;
    QString problem; ///< a sentence; "": read, or there is no such file
};

/// A damaged file is renamed to "name.damaged" and said.
JsonFile readJsonFile(const QString& path);
/// The same, but touches nothing.
JsonFile peekJsonFile(const QString& path);
/// Makes the folder. "": written, else why not.
QString writeJsonFile(const QString& path, const QJsonObject& object);

} // namespace reelmesh
