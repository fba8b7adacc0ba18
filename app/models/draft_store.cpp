#include "draft_store.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMetaEnum>
#include <QPointer>

#include "json_file.h"
#include "request_draft.h"

namespace reelmesh {

DraftStore::DraftStore(RequestDraft& draft, QString file, QObject* parent)
    : QObject(parent), draft_(draft), file_(std::move(file)) {
    writer_.setMaxThreadCount(1);
    timer_.setSingleShot(true);
    timer_.setInterval(kDelay_ms);
    connect(&timer_, &QTimer::timeout, this, &DraftStore::write);
    connect(&draft_, &RequestDraft::changed, this, &DraftStore::schedule);
}

DraftStore::~DraftStore() {
    if (timer_.isActive()) write();
    writer_.waitForDone();
}

/// Not moved on by later changes: who types without a pause loses a second, not all.
void DraftStore::schedule() {
    if (!restoring_ && !timer_.isActive()) timer_.start();
}

void DraftStore::setPreset(const QString& name) {
    if (name == preset_) return;
    preset_ = name;
    schedule();
}

QJsonObject DraftStore::state() const {
    const std::string job = job_to_json(draft_.request(), JobScope::Whole);
    return {{"schema", 1},
            {"seed_mode",
             QMetaEnum::fromType<RequestDraft::SeedMode>().valueToKey(static_cast<int>(draft_.seedMode()))},
            {"count", draft_.count()},
            {"lines", draft_.isOneJobPerLine()},
            {"preset", preset_},
            {"job", QJsonDocument::fromJson(QByteArray::fromStdString(job)).object()}};
}

void DraftStore::write() {
    timer_.stop();
    if (file_.isEmpty()) return;
    writer_.start([file = file_, state = state(), self = QPointer<DraftStore>(this)] {
        const QString problem = writeJsonFile(file, state);
        if (problem.isEmpty()) return;
        QMetaObject::invokeMethod(
            self,
            [self, problem] {
                if (self) Q_EMIT self->writeFailed(problem);
            },
            Qt::QueuedConnection);
    });
}

bool DraftStore::restore() {
    JsonFile stored = readJsonFile(file_);
    if (!stored.problem.isEmpty()) Q_EMIT damaged(stored.problem);
    if (stored.object.isEmpty()) return false;
    const QByteArray job = QJsonDocument(stored.object["job"].toObject()).toJson();
    Result<JobRequest> request =
        job_from_json({job.constData(), static_cast<std::size_t>(job.size())}, file_.toStdString());
    if (!request) {
        const QString aside = file_ + ".damaged";
        QFile::remove(aside);
        QFile::rename(file_, aside);
        Q_EMIT damaged(
            tr("%1; it was kept as %2").arg(QString::fromStdString(error_message(request.error())), aside));
        return false;
    }
    // The folder is a setting, not part of what is composed.
    request->output = draft_.request().output;
    bool known = false;
    const int mode = QMetaEnum::fromType<RequestDraft::SeedMode>().keyToValue(
        stored.object["seed_mode"].toString().toLatin1(), &known);
    restoring_ = true;
    preset_ = stored.object["preset"].toString();
    draft_.restore(*request, known ? static_cast<RequestDraft::SeedMode>(mode) : draft_.seedMode(),
                   stored.object["count"].toInt(1), stored.object["lines"].toBool());
    restoring_ = false;
    return true;
}

} // namespace reelmesh
