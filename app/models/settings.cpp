#include "settings.h"

#include <QJsonArray>
#include <QMetaEnum>

#include <algorithm>

#include "models/json_file.h"

namespace reelmesh {
namespace {

constexpr int kWrite_ms = 300;

template <class Enum>
QString keyOf(Enum value) {
    return QString(QMetaEnum::fromType<Enum>().valueToKey(static_cast<int>(value))).toLower();
}

template <class Enum>
Enum valueOf(const QJsonValue& text, Enum otherwise) {
    const QMetaEnum all = QMetaEnum::fromType<Enum>();
    for (int i = 0; i < all.keyCount(); ++i)
        if (text.toString() == QString(all.key(i)).toLower()) return static_cast<Enum>(all.value(i));
    return otherwise;
}

int scaleOf(const QJsonObject& json) {
    return std::clamp(json["scale_percent"].toInt(100), Settings::kLeastScale, Settings::kMostScale);
}

} // namespace

Settings::Settings(QString file, QObject* parent) : QObject(parent), file_(std::move(file)) {
    writeTimer_.setSingleShot(true);
    writeTimer_.setInterval(kWrite_ms);
    connect(&writeTimer_, &QTimer::timeout, this, &Settings::write);
}

Settings::~Settings() {
    if (unsaved_) write();
}

QString Settings::load() {
    const JsonFile read = readJsonFile(file_);
    if (read.problem.isEmpty()) fromJson(read.object);
    return read.problem;
}

int Settings::storedScalePercent(const QString& file) {
    const JsonFile read = peekJsonFile(file);
    return read.problem.isEmpty() ? scaleOf(read.object) : 100;
}

void Settings::setScalePercent(int percent) {
    set(scalePercent_, std::clamp(percent, kLeastScale, kMostScale));
}

void Settings::setTraceDetail(int detail) {
    set(traceDetail_, std::clamp(detail, 0, 2));
}

void Settings::removeModelFolder(const QString& folder) {
    if (modelFolders_.removeAll(folder) > 0) noteChange();
}

void Settings::noteChange() {
    unsaved_ = true;
    writeTimer_.start();
    Q_EMIT changed();
}

void Settings::write() {
    unsaved_ = false;
    if (file_.isEmpty()) return;
    const QString problem = writeJsonFile(file_, toJson());
    if (!problem.isEmpty()) Q_EMIT writeFailed(problem);
}

QJsonObject Settings::toJson() const {
    QJsonObject json = unknown_;
    json["schema"] = 1;
    json["theme"] = keyOf(theme_);
    json["scale_percent"] = scalePercent_;
    json["output_folder"] = outputFolder_;
    json["model_folders"] = QJsonArray::fromStringList(modelFolders_);
    json["after_failure"] = keyOf(afterFailure_);
    json["welcomed"] = welcomed_;
    json["trace_detail"] = traceDetail_;
    return json;
}

void Settings::fromJson(const QJsonObject& json) {
    unknown_ = json;
    theme_ = valueOf(json["theme"], theme_);
    scalePercent_ = scaleOf(json);
    outputFolder_ = json["output_folder"].toString();
    modelFolders_.clear();
    for (const QJsonValue& folder : json["model_folders"].toArray())
        if (!folder.toString().isEmpty()) modelFolders_ << folder.toString();
    afterFailure_ = valueOf(json["after_failure"], afterFailure_);
    welcomed_ = json["welcomed"].toBool();
    traceDetail_ = std::clamp(json["trace_detail"].toInt(1), 0, 2);
}

} // namespace reelmesh
