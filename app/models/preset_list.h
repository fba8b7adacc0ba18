// Presets of the chosen model: those that come with the program, and those saved in a folder. Each is a job
// file with any subset of the fields. GUI thread; the draft outlives it.
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>

#include "engine/error.h"

namespace reelmesh {

class RequestDraft;

class PresetList : public QObject {
    Q_OBJECT

public:
    struct Preset {
        QString name;
        QByteArray json;
        bool builtIn = true;
    };

    /// folder: of saved presets; made when the first one is saved.
    PresetList(RequestDraft& draft, QString folder, QObject* parent = nullptr);

    const QList<Preset>& presets() const { return presets_; }
    /// Name of the one that the draft began from; "": none.
    QString current() const { return current_; }
    /// The draft differs from it.
    bool isModified() const;
    /// Takes its fields into the draft.
    Result<bool> choose(const QString& name);
    /// Only says that the draft began from it.
    void setCurrent(const QString& name);

    /// Writes the draft's parameters under a name, in place of a saved preset of that name. "": saved, else
    /// why not.
    QString save(const QString& name);
    /// Copies a job file into the folder and chooses it.
    QString importFile(const QString& path);
    QString exportFile(const QString& path) const;
    /// Sentences about saved files that cannot be read.
    QStringList problems() const { return problems_; }

Q_SIGNALS:
    void changed();
    void currentChanged(const QString& name);

private:
    void reload();
    QByteArray parametersJson() const;
    const Preset* find(const QString& name) const;

    RequestDraft& draft_;
    QString folder_;
    QList<Preset> presets_;
    QString current_;
    QStringList problems_;
};

} // namespace reelmesh
