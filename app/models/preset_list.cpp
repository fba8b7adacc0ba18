#include "preset_list.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

#include "json_file.h"
#include "request_draft.h"

namespace reelmesh {
namespace {

constexpr qsizetype kLongestName = 80;

/// "first_video.json": "First video".
QString nameOf(const QString& file) {
    QString name = QFileInfo(file).completeBaseName().replace('_', ' ');
    if (!name.isEmpty()) name[0] = name[0].toUpper();
    return name;
}

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

PresetList::PresetList(RequestDraft& draft, QString folder, QObject* parent)
    : QObject(parent), draft_(draft), folder_(std::move(folder)) {
    connect(&draft_, &RequestDraft::rulesChanged, this, &PresetList::reload);
    reload();
}

void PresetList::reload() {
    presets_.clear();
    problems_.clear();
    const QString family =
        draft_.rules() ? QString::fromStdString(draft_.rules()->preset) : QStringLiteral("sample");
    const QDir builtIn(":/presets/" + family);
    for (const QString& file : builtIn.entryList({"*.json"}, QDir::Files, QDir::Name))
        presets_.append({nameOf(file), contents(builtIn.filePath(file)), true});
    const QDir saved(folder_);
    for (const QString& file :
         folder_.isEmpty() ? QStringList() : saved.entryList({"*.json"}, QDir::Files, QDir::Name)) {
        const JsonFile read = readJsonFile(saved.filePath(file));
        if (!read.problem.isEmpty())
            problems_ << read.problem;
        else
            presets_.append({QFileInfo(file).completeBaseName(), QJsonDocument(read.object).toJson(), false});
    }
    Q_EMIT changed();
}

const PresetList::Preset* PresetList::find(const QString& name) const {
    // A saved one stands in for one of the program's.
    const auto found = std::find_if(presets_.rbegin(), presets_.rend(),
                                    [&](const Preset& preset) { return preset.name == name; });
    return found == presets_.rend() ? nullptr : &*found;
}

bool PresetList::isModified() const {
    const Preset* preset = find(current_);
    return preset && !draft_.matches(preset->json);
}

void PresetList::setCurrent(const QString& name) {
    if (name == current_) return;
    current_ = name;
    Q_EMIT currentChanged(name);
    Q_EMIT changed();
}

Result<bool> PresetList::choose(const QString& name) {
    const Preset* preset = find(name);
    if (!preset) return false;
    const auto applied = draft_.apply(preset->json, name);
    if (applied) setCurrent(name);
    return applied;
}

QByteArray PresetList::parametersJson() const {
    const std::string job = job_to_json(draft_.complete(), JobScope::EmbeddedSettings);
    QJsonObject object = QJsonDocument::fromJson(QByteArray::fromStdString(job)).object();
    for (const char* key : {"prompt", "seed", "model", "mesh", "ranks"})
        object.remove(QLatin1String(key));
    if (!draft_.isNegativeEdited()) object.remove("negative_prompt");
    if (!draft_.isSet("shift")) object.remove("shift");
    return QJsonDocument(object).toJson();
}

QString PresetList::save(const QString& name) {
    const QString plain = name.trimmed().left(kLongestName);
    if (plain.isEmpty() || plain.contains('/') || plain.startsWith('.'))
        return tr("A preset needs a name without slashes that begins with no point");
    const QString problem = writeJsonFile(QDir(folder_).filePath(plain + ".json"),
                                          QJsonDocument::fromJson(parametersJson()).object());
    if (!problem.isEmpty()) return problem;
    reload();
    setCurrent(plain);
    return {};
}

QString PresetList::importFile(const QString& path) {
    const JsonFile read = peekJsonFile(path);
    if (!read.problem.isEmpty()) return read.problem;
    if (read.object.isEmpty()) return tr("%1 holds no settings").arg(path);
    const QByteArray json = QJsonDocument(read.object).toJson();
    // Taken first: a file that is no job is not copied.
    if (const auto applied = draft_.apply(json, path); !applied)
        return QString::fromStdString(error_message(applied.error()));
    const QString name = QFileInfo(path).completeBaseName();
    const QString problem = writeJsonFile(QDir(folder_).filePath(name + ".json"), read.object);
    reload();
    setCurrent(name);
    return problem;
}

QString PresetList::exportFile(const QString& path) const {
    return writeJsonFile(path, QJsonDocument::fromJson(parametersJson()).object());
}

} // namespace reelmesh
