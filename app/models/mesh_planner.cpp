#include "mesh_planner.h"

namespace reelmesh {
namespace {

constexpr int kDebounce_ms = 40;

/// No plan depends on these; typing a prompt must not plan.
JobRequest withoutWords(JobRequest request) {
    request.prompt.clear();
    request.negative_prompt.reset();
    request.seed.reset();
    request.output = {};
    return request;
}

} // namespace

MeshPlanner::MeshPlanner(EngineClient& client, RequestDraft& draft, const Targets& targets, QObject* parent)
    : QObject(parent), client_(client), draft_(draft), targets_(targets) {
    soon_.setSingleShot(true);
    soon_.setInterval(kDebounce_ms);
    connect(&soon_, &QTimer::timeout, this, &MeshPlanner::ask);
    connect(&client, &EngineClient::opened, this, &MeshPlanner::ask);
    connect(&draft, &RequestDraft::changed, &soon_, qOverload<>(&QTimer::start));
    if (client.state() == EngineClient::State::Ready) soon_.start();
}

JobRequest MeshPlanner::openQuestion(JobRequest request) {
    request.mesh = "auto";
    request.ranks = 0;
    return request;
}

void MeshPlanner::ask() {
    if (asking_ || client_.state() != EngineClient::State::Ready) return;
    JobRequest request = withoutWords(draft_.request());
    if (asked_ == request) return;
    asked_ = request;
    asking_ = true;
    client_.ask(
        this,
        [request](Engine& engine) {
            const HardwareSnapshot hardware = engine.hardware();
            const JobRequest open = openQuestion(request);
            return Answer{hardware, request, engine.plan(request, hardware), engine.plan(open, hardware)};
        },
        [this](const Answer& answer) { take(answer); });
}

void MeshPlanner::take(const Answer& answer) {
    asking_ = false;
    if (answer.all) {
        targets_.choice.setAlternatives(*answer.all, answer.hardware);
        targets_.table.setPlans(*answer.all);
    }
    if (answer.own) {
        targets_.choice.setPlans(*answer.own, answer.asked);
        targets_.picture.setPlans(*answer.own, answer.hardware);
        if (!answer.own->plans.empty()) targets_.table.setCurrent(answer.own->plans.front().mesh);
    } else {
        targets_.choice.setPlanError(answer.own.error(), answer.asked);
        targets_.picture.setHardware(answer.hardware);
    }
    Q_EMIT planned();
    // The draft may have changed meanwhile.
    ask();
}

} // namespace reelmesh
