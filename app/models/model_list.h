// Models to choose from: the sample model and folders that were added. What a folder is, is asked of the
// engine, which reads configurations only. GUI thread; the client outlives it.
#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include "engine/engine.h"

namespace reelmesh {

class EngineClient;

class ModelList : public QObject {
    Q_OBJECT

public:
    enum class State { Unknown, Ready, Unusable };
    struct Model {
        QString folder; ///< "": the sample model
        QString name;
        QString family; ///< "wan2.1-t2v-14b"; "": not known
        State state = State::Unknown;
        QString problem; ///< what is missing, a sentence
    };

    explicit ModelList(EngineClient& client, QObject* parent = nullptr);

    const QList<Model>& models() const { return models_; }
    /// Those that were added, to be stored.
    QStringList folders() const;
    void setFolders(const QStringList& folders);
    /// Nothing if it is there already.
    void add(const QString& folder);
    int indexOf(const QString& folder) const;

Q_SIGNALS:
    void changed();
    void foldersChanged(const QStringList& folders);

private:
    void ask(const QString& folder);

    EngineClient& client_;
    QList<Model> models_;
};

} // namespace reelmesh
