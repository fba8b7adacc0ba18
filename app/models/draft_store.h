// Keeps the draft over restarts and kills: written to a file within a second of a change, on a thread of its
// own, whole or not at all. GUI thread; the draft outlives it.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <QTimer>

namespace reelmesh {

class RequestDraft;

class DraftStore : public QObject {
    Q_OBJECT

public:
    static constexpr int kDelay_ms = 1000;

    DraftStore(RequestDraft& draft, QString file, QObject* parent = nullptr);
    /// Writes what is not written yet.
    ~DraftStore() override;

    /// Puts what is stored into the draft; false: there was nothing. Call before edits. A damaged file is
    /// kept aside as "name.damaged" and said by damaged().
    bool restore();
    /// Name of the preset that the draft began from; kept with it.
    QString preset() const { return preset_; }
    void setPreset(const QString& name);

Q_SIGNALS:
    void damaged(const QString& sentence);
    void writeFailed(const QString& sentence);

private:
    void schedule();
    void write();
    QJsonObject state() const;

    RequestDraft& draft_;
    QString file_;
    QString preset_;
    QTimer timer_;
    QThreadPool writer_; ///< one thread: writes stay in order
    bool restoring_ = false;
};

} // namespace reelmesh
