// What jobs will cost, asked of the engine's planner off the GUI thread and kept by shape: jobs that differ
// in prompt and seed alone have one plan. GUI thread; the client outlives it.
#pragma once

#include <QHash>
#include <QObject>
#include <QSet>

#include "bridge/engine_client.h"
#include "models/job_item.h"

namespace reelmesh {

class JobEstimates : public QObject {
    Q_OBJECT

public:
    struct Estimate {
        Plan plan;
        double seconds = -1; ///< < 0: unknown
    };

    explicit JobEstimates(EngineClient& client, QObject* parent = nullptr);

    /// Gives the job its shape, and its plan if that is known; else known() follows.
    void fill(JobItem& job);

Q_SIGNALS:
    void known(const QString& shape, const reelmesh::JobEstimates::Estimate& estimate);

private:
    EngineClient& client_;
    QHash<QString, Estimate> estimates_;
    QSet<QString> asked_;
};

} // namespace reelmesh
