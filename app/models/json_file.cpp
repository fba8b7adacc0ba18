#include "json_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>

namespace reelmesh {
namespace {

constexpr qint64 kLongest_bytes = 4 << 20;

QString tr(const char* text) {
    return QCoreApplication::translate("JsonFile", text);
}

} // namespace

JsonFile peekJsonFile(const QString& path) {
    QFile file(path);
    if (path.isEmpty() || !file.exists()) return {};
    if (!file.open(QIODevice::ReadOnly))
        return {{}, tr("%1 cannot be read: %2").arg(path, file.errorString())};
    if (file.size() > kLongest_bytes)
        return {{}, tr("%1 is too long to be a file of this program").arg(path)};
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
    if (!document.isObject())
        return {{}, tr("%1 is damaged at byte %2: %3").arg(path).arg(error.offset).arg(error.errorString())};
    return {document.object(), {}};
}

JsonFile readJsonFile(const QString& path) {
    JsonFile read = peekJsonFile(path);
    if (read.problem.isEmpty()) return read;
    const QString aside = path + ".damaged";
    QFile::remove(aside);
    if (QFile::rename(path, aside))
        read.problem += tr("; it was kept as %1 and the defaults hold").arg(aside);
    return read;
}

QString writeJsonFile(const QString& path, const QJsonObject& object) {
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    const QByteArray text = QJsonDocument(object).toJson();
    if (file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && file.commit()) return {};
    return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

} // namespace reelmesh
