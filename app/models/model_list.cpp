#include "model_list.h"

#include <QDir>
#include <QFileInfo>

#include "bridge/engine_client.h"

namespace reelmesh {

ModelList::ModelList(EngineClient& client, QObject* parent) : QObject(parent), client_(client) {
    models_.append({QString(), tr("Sample (built in)"), QString(), State::Unknown, QString()});
    connect(&client_, &EngineClient::opened, this, [this] {
        for (const Model& model : std::as_const(models_))
            ask(model.folder);
    });
    ask({});
}

QStringList ModelList::folders() const {
    QStringList folders;
    for (const Model& model : models_)
        if (!model.folder.isEmpty()) folders << model.folder;
    return folders;
}

void ModelList::setFolders(const QStringList& folders) {
    for (const QString& folder : folders)
        add(folder);
}

void ModelList::add(const QString& folder) {
    const QString path = QDir::cleanPath(folder);
    if (folder.isEmpty() || indexOf(path) >= 0) return;
    models_.append({path, QFileInfo(path).fileName(), QString(), State::Unknown, QString()});
    Q_EMIT changed();
    Q_EMIT foldersChanged(folders());
    ask(path);
}

int ModelList::indexOf(const QString& folder) const {
    for (qsizetype i = 0; i < models_.size(); ++i)
        if (models_[i].folder == folder) return static_cast<int>(i);
    return -1;
}

void ModelList::ask(const QString& folder) {
    if (client_.state() != EngineClient::State::Ready) return;
    client_.ask(
        this, [folder = folder.toStdString()](Engine& engine) { return engine.rules(folder); },
        [this, folder](const Result<FamilyRules>& rules) {
            const int at = indexOf(folder);
            if (at < 0) return;
            Model& model = models_[at];
            model.state = rules ? State::Ready : State::Unusable;
            model.family = rules ? QString::fromStdString(rules->preset) : QString();
            model.problem = rules ? QString() : QString::fromStdString(error_message(rules.error()));
            Q_EMIT changed();
        });
}

} // namespace reelmesh
