#include "plan_model.h"

#include <algorithm>

#include "bridge/engine_client.h"
#include "outcome.h"
#include "request_draft.h"

namespace reelmesh {
namespace {

constexpr int kMostFixes = 3;

/// What a plan follows from: texts, seed and the file's name change nothing.
JobRequest planned(JobRequest request) {
    request.prompt.clear();
    request.negative_prompt.reset();
    request.seed.reset();
    request.output = {};
    request.unknown_keys_json.clear();
    return request;
}

bool isPossible(Engine& engine, const JobRequest& request, const HardwareSnapshot& hardware) {
    const Result<PlanSet> plans = engine.plan(request, hardware);
    return plans && !plans->plans.empty() && !plans->plans.front().refusal;
}

std::vector<std::string> offersOf(const Error& error) {
    for (const ErrorArgument& argument : error.arguments)
        if (const auto* list = std::get_if<std::vector<std::string>>(&argument.value))
            if (argument.name == "nearest") return *list;
    return {};
}

bool isAboutMesh(const Error& error) {
    return error.code == ErrorCode::MeshIllegal || error.code == ErrorCode::MeshNotInBuild ||
           error.code == ErrorCode::MeshTooLarge || error.code == ErrorCode::MeshSyntax;
}

std::optional<JobRequest> fewerFrames(Engine& engine, JobRequest request, const FamilyRules& rules,
                                      const HardwareSnapshot& hardware) {
    const std::optional<NumberRule> rule = number_rule("frames", rules);
    if (!rule || !request.frames || !rule->holds(static_cast<double>(*request.frames))) return std::nullopt;
    const auto stride = static_cast<std::int64_t>(rule->grid);
    std::int64_t possible = -1, impossible = (*request.frames - 1) / stride;
    while (impossible - possible > 1) {
        const std::int64_t middle = (possible + impossible) / 2;
        request.frames = middle * stride + 1;
        (isPossible(engine, request, hardware) ? possible : impossible) = middle;
    }
    if (possible < 0) return std::nullopt;
    request.frames = possible * stride + 1;
    return request;
}

std::optional<JobRequest> smallerSize(Engine& engine, JobRequest request, const FamilyRules& rules,
                                      const HardwareSnapshot& hardware) {
    if (!request.width || !request.height) return std::nullopt;
    const auto pixels = [](const TrainedSize& size) { return size.width * size.height; };
    const std::int64_t now = *request.width * *request.height;
    const bool wide = *request.width >= *request.height;
    std::vector<TrainedSize> sizes = rules.sizes;
    std::erase_if(sizes, [&](const TrainedSize& size) { return pixels(size) >= now; });
    std::stable_sort(sizes.begin(), sizes.end(), [&](const TrainedSize& one, const TrainedSize& other) {
        if (pixels(one) != pixels(other)) return pixels(one) > pixels(other);
        return (one.width >= one.height) == wide && (other.width >= other.height) != wide;
    });
    for (const TrainedSize& size : sizes) {
        request.width = size.width;
        request.height = size.height;
        if (isPossible(engine, request, hardware)) return request;
    }
    return std::nullopt;
}

} // namespace

PlanModel::PlanModel(EngineClient& client, RequestDraft& draft, QObject* parent)
    : QObject(parent), client_(client), draft_(draft) {
    timer_.setSingleShot(true);
    timer_.setInterval(kDelay_ms);
    connect(&timer_, &QTimer::timeout, this, &PlanModel::start);
    connect(&draft_, &RequestDraft::changed, this, &PlanModel::follow);
    connect(&client_, &EngineClient::opened, this, &PlanModel::refresh);
    wanted_ = planned(draft_.complete());
    refresh();
}

const Plan* PlanModel::chosen() const {
    return answer_.chosen < 0 ? nullptr : &answer_.plans.plans[static_cast<std::size_t>(answer_.chosen)];
}

void PlanModel::follow() {
    JobRequest wanted = planned(draft_.complete());
    if (wanted == wanted_) return;
    wanted_ = std::move(wanted);
    refresh();
}

void PlanModel::refresh() {
    stale_ = true;
    current_ = false;
    // Not moved on by later changes: the line follows while a key is held.
    if (!timer_.isActive()) timer_.start();
}

void PlanModel::start() {
    if (inFlight_ || client_.state() != EngineClient::State::Ready) return;
    inFlight_ = true;
    stale_ = false;
    client_.ask(
        this, [request = wanted_](Engine& engine) { return plan(engine, request); },
        [this](Answer answer) { receive(std::move(answer)); });
}

void PlanModel::receive(Answer answer) {
    inFlight_ = false;
    if (stale_) {
        if (!timer_.isActive()) start();
        return;
    }
    answer_ = std::move(answer);
    current_ = true;
    Q_EMIT changed();
}

PlanModel::Answer PlanModel::plan(Engine& engine, const JobRequest& request) {
    Answer answer;
    answer.hardware = engine.hardware();
    JobRequest any = request;
    any.mesh = "auto";
    any.ranks = 0;
    Result<PlanSet> all = engine.plan(any, answer.hardware);
    if (all) answer.plans = *all;
    const Result<PlanSet> own = any == request ? all : engine.plan(request, answer.hardware);
    if (!own) {
        answer.error = own.error();
    } else if (own->plans.empty()) {
        return answer;
    } else if (const Plan& best = own->plans.front(); best.refusal) {
        answer.error = best.refusal;
    } else {
        const auto same =
            std::find_if(answer.plans.plans.begin(), answer.plans.plans.end(), [&](const Plan& plan) {
                return plan.mesh == best.mesh && plan.ranks == best.ranks;
            });
        answer.chosen = static_cast<int>(same - answer.plans.plans.begin());
        if (same == answer.plans.plans.end())
            answer.plans.plans.push_back(best);
        else
            *same = best;
        return answer;
    }
    answer.fixes = findFixes(engine, request, answer);
    return answer;
}

QList<PlanModel::Fix> PlanModel::findFixes(Engine& engine, const JobRequest& request, const Answer& answer) {
    QList<Fix> fixes;
    const auto add = [&](const QString& text, const JobRequest& fixed) {
        if (fixes.size() < kMostFixes) fixes.append({text, fixed});
    };
    const auto tryMesh = [&](const std::string& mesh) {
        JobRequest other = request;
        other.mesh = mesh;
        other.ranks = 0;
        if (!isPossible(engine, other, answer.hardware)) return false;
        add(meshWords(QString::fromStdString(mesh)), other);
        return true;
    };
    const bool ownMesh = request.mesh != "auto" || request.ranks != 0;
    if (isAboutMesh(*answer.error)) {
        for (const std::string& mesh : offersOf(*answer.error))
            if (fixes.size() < kMostFixes - 1) tryMesh(mesh);
        tryMesh("auto");
        return fixes;
    }
    if (answer.error->code != ErrorCode::MemoryTooSmall) return fixes;
    const Result<FamilyRules> rules = engine.rules(request.model);
    if (!rules) return fixes;
    if (const auto fixed = fewerFrames(engine, request, *rules, answer.hardware))
        add(*fixed->frames == 1 ? tr("1 frame") : tr("%1 frames").arg(*fixed->frames), *fixed);
    if (ownMesh) {
        // The best of the others that fits.
        const auto& plans = answer.plans.plans;
        const auto legal =
            std::find_if(plans.begin(), plans.end(), [](const Plan& plan) { return !plan.refusal; });
        if (legal != plans.end()) tryMesh(legal->mesh);
    }
    if (const auto fixed = smallerSize(engine, request, *rules, answer.hardware))
        add(tr("%1×%2").arg(*fixed->width).arg(*fixed->height), *fixed);
    return fixes;
}

void PlanModel::apply(const Fix& fix) {
    // Only what a fix may change: defaults stay defaults.
    const JobRequest now = draft_.complete();
    if (fix.request.width != now.width || fix.request.height != now.height)
        draft_.setSize(*fix.request.width, *fix.request.height);
    if (fix.request.frames != now.frames) draft_.setField("frames", QString::number(*fix.request.frames));
    draft_.setRanks(fix.request.ranks);
    draft_.setMesh(QString::fromStdString(fix.request.mesh));
}

bool PlanModel::canGenerate() const {
    return whyNot().isEmpty();
}

QString PlanModel::whyNot() const {
    if (!draft_.isLegal()) return QString::fromStdString(error_message(draft_.faults().front()));
    if (draft_.prompts().isEmpty()) return tr("No line has a prompt");
    if (current_ && answer_.error) return problemText(*answer_.error);
    return {};
}

} // namespace reelmesh
