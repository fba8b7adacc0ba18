#include "parity_check.h"

#include <QLocale>

namespace reelmesh {
namespace {

QString shortNumber(double value) {
    return QLocale().toString(value, 'g', 2);
}

} // namespace

ParityCheck::ParityCheck(EngineClient& client, QObject* parent) : QObject(parent), client_(client) {
    connect(&client, &EngineClient::submitted, this, [this](JobId job) { submitted_.insert(job); });
    connect(&client, &EngineClient::jobStateChanged, this, &ParityCheck::onState);
}

ParityCheck::~ParityCheck() {
    cancel();
}

void ParityCheck::start(JobRequest request, const QString& mesh) {
    if (running_ || !isPossible()) return;
    cancelAsked_ = false;
    request.steps = kSteps;
    request.ranks = 0;
    request.mesh = mesh.toStdString();
    running_ = true;
    Q_EMIT started(mesh);
    client_.ask(
        this,
        [request](Engine& engine) {
            // The threads of a query may wait; the two runs go through the engine's queue.
            return engine.parity(request, {}, request.mesh, "single").get();
        },
        [this](const Result<ParityReport>& report) {
            running_ = false;
            if (report)
                Q_EMIT finished(*report);
            else
                Q_EMIT failed(report.error());
        });
}

void ParityCheck::cancel() {
    if (!running_) return;
    cancelAsked_ = true;
    for (const JobId job : own_)
        client_.cancel(job);
}

void ParityCheck::onState(const JobStateChanged& event) {
    // The engine queues the runs itself: they are the jobs that nobody here has submitted.
    if (!running_ || submitted_.count(event.job) > 0) return;
    own_.insert(event.job);
    if (cancelAsked_) client_.cancel(event.job);
}

QString ParityCheck::text(const ParityReport& report) {
    const QString latents = report.latents_equal
                                ? tr("latents bit-equal")
                                : tr("latents rel L2 %1").arg(shortNumber(report.latents_rel_l2));
    const QString bound = report.latents_bound == 0 ? tr("bit-equal needed")
                                                    : tr("at most %1").arg(shortNumber(report.latents_bound));
    return tr("%1 against %2: %3 (%4), frames max %5/255 (at most %6/255)")
        .arg(QString::fromStdString(report.mesh), QString::fromStdString(report.against), latents, bound,
             shortNumber(report.frames_max_abs * 255), shortNumber(report.frames_bound * 255));
}

} // namespace reelmesh
