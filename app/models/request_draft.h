// What the user is composing: a job request, begun from a preset. GUI thread.
#pragma once

#include <QObject>
#include <QString>

#include "engine/request.h"

namespace reelmesh {

class RequestDraft : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Takes a preset's text in place of all fields but the output folder.
    Result<bool> load(const QByteArray& presetJson, const QString& name);

    QString prompt() const { return QString::fromStdString(request_.prompt); }
    QString mesh() const { return QString::fromStdString(request_.mesh); }
    QString outputFolder() const { return QString::fromStdString(request_.output.path); }
    void setPrompt(const QString& prompt);
    /// "auto" or "cfg2,ulysses4" ...
    void setMesh(const QString& mesh);
    /// 0: as many as the mesh asks, else one.
    int ranks() const { return request_.ranks; }
    void setRanks(int ranks);
    void setOutputFolder(const QString& folder);

    /// A copy that later edits do not touch.
    JobRequest request() const { return request_; }
    /// Two lines, of the fields that are set: "128 × 128 · 17 frames at 16 fps = 1.06 s", "16 steps · seed
    /// 27".
    QString outcome() const;

Q_SIGNALS:
    void changed();

private:
    JobRequest request_;
};

} // namespace reelmesh
