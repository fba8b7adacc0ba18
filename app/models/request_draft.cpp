#include "request_draft.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

#include <algorithm>

#include "bridge/engine_client.h"

namespace reelmesh {
namespace {

std::string_view view(const QByteArray& bytes) {
    return {bytes.constData(), static_cast<std::size_t>(bytes.size())};
}

template <class Value>
void takeSet(std::optional<Value>& field, const std::optional<Value>& preset) {
    if (preset) field = preset;
}

/// What cannot be unset is taken where the preset's own text names it.
void takeNamed(std::string& field, const std::string& preset, const QJsonObject& names, const char* key) {
    if (names.contains(QLatin1String(key))) field = preset;
}

JobRequest merged(JobRequest request, const JobRequest& preset, const QJsonObject& names) {
    takeNamed(request.prompt, preset.prompt, names, "prompt");
    takeSet(request.negative_prompt, preset.negative_prompt);
    takeSet(request.width, preset.width);
    takeSet(request.height, preset.height);
    takeSet(request.frames, preset.frames);
    takeSet(request.fps, preset.fps);
    takeSet(request.steps, preset.steps);
    takeSet(request.guidance, preset.guidance);
    takeSet(request.guidance2, preset.guidance2);
    takeSet(request.shift, preset.shift);
    takeSet(request.sampler, preset.sampler);
    takeSet(request.seed, preset.seed);
    takeSet(request.boundary, preset.boundary);
    takeNamed(request.model, preset.model, names, "model");
    takeNamed(request.dtype, preset.dtype, names, "dtype");
    takeNamed(request.preview, preset.preview, names, "preview");
    takeNamed(request.mesh, preset.mesh, names, "mesh");
    if (names.contains("devices")) request.devices = preset.devices;
    if (names.contains("ranks")) request.ranks = preset.ranks;
    return request;
}

struct Clear {
    const char* key;
    void (*run)(JobRequest&);
};

/// Fields that have a default of the family or of their own.
constexpr Clear kClears[] = {
    {"negative_prompt", [](JobRequest& job) { job.negative_prompt.reset(); }},
    {"width", [](JobRequest& job) { job.width.reset(); }},
    {"height", [](JobRequest& job) { job.height.reset(); }},
    {"frames", [](JobRequest& job) { job.frames.reset(); }},
    {"fps", [](JobRequest& job) { job.fps.reset(); }},
    {"steps", [](JobRequest& job) { job.steps.reset(); }},
    {"guidance", [](JobRequest& job) { job.guidance.reset(); }},
    {"guidance2", [](JobRequest& job) { job.guidance2.reset(); }},
    {"shift", [](JobRequest& job) { job.shift.reset(); }},
    {"sampler", [](JobRequest& job) { job.sampler.reset(); }},
    {"seed", [](JobRequest& job) { job.seed.reset(); }},
    {"boundary", [](JobRequest& job) { job.boundary.reset(); }},
    {"dtype", [](JobRequest& job) { job.dtype = JobRequest().dtype; }},
    {"preview", [](JobRequest& job) { job.preview = JobRequest().preview; }},
};

bool clearField(JobRequest& request, const QString& key) {
    for (const Clear& clear : kClears) {
        if (key != QLatin1String(clear.key)) continue;
        clear.run(request);
        return true;
    }
    return false;
}

} // namespace

void RequestDraft::connectTo(EngineClient& client) {
    client_ = &client;
    connect(&client, &EngineClient::opened, this, &RequestDraft::askRules);
    connect(&client, &EngineClient::submitted, this, [this](JobId, const JobRequest& resolved) {
        if (resolved.seed) rememberSeed(*resolved.seed);
    });
    askRules();
}

void RequestDraft::askRules() {
    if (!client_ || client_->state() != EngineClient::State::Ready) return;
    const int asked = ++rulesAsked_;
    client_->ask(
        this, [model = request_.model](Engine& engine) { return engine.rules(model); },
        [this, asked](Result<FamilyRules> answer) {
            if (asked != rulesAsked_) return;
            rules_.reset();
            modelError_.reset();
            if (answer)
                rules_ = std::move(*answer);
            else
                modelError_ = answer.error();
            edited();
            Q_EMIT rulesChanged();
        });
}

void RequestDraft::edited() {
    complete_ = rules_ ? with_defaults(request_, *rules_) : request_;
    faults_.clear();
    for (const Unreadable& field : std::as_const(unreadable_))
        faults_.push_back(field.error);
    std::vector<Error> illegal = rules_ ? validate(complete_, *rules_) : validate_without_model(complete_);
    for (Error& fault : illegal)
        if (!unreadable_.contains(keyOf(fault))) faults_.push_back(std::move(fault));
    if (modelError_) faults_.insert(faults_.begin(), *modelError_);
    Q_EMIT changed();
}

Result<bool> RequestDraft::load(const QByteArray& presetJson, const QString& name) {
    Result<JobRequest> preset = job_from_json(view(presetJson), name.toStdString());
    if (!preset) return preset.error();
    preset->output = request_.output;
    set(*preset);
    return true;
}

Result<bool> RequestDraft::apply(const QByteArray& presetJson, const QString& name) {
    const Result<JobRequest> preset = job_from_json(view(presetJson), name.toStdString());
    if (!preset) return preset.error();
    set(merged(request_, *preset, QJsonDocument::fromJson(presetJson).object()));
    return true;
}

bool RequestDraft::matches(const QByteArray& presetJson) const {
    const Result<JobRequest> preset = job_from_json(view(presetJson), "preset");
    return preset && unreadable_.isEmpty() &&
           merged(complete_, *preset, QJsonDocument::fromJson(presetJson).object()) == complete_;
}

void RequestDraft::set(const JobRequest& request) {
    const bool otherModel = request.model != request_.model;
    request_ = request;
    unreadable_.clear();
    if (request_.seed && seedMode_ == SeedMode::Random) seedMode_ = SeedMode::Fixed;
    if (!request_.seed) seedMode_ = SeedMode::Random;
    if (otherModel) askRules();
    edited();
}

void RequestDraft::restore(JobRequest request, SeedMode mode, int count, bool lines) {
    count_ = std::clamp(count, 1, kMostJobs);
    lines_ = lines;
    set(request);
    setSeedMode(mode);
}

void RequestDraft::setPrompt(const QString& prompt) {
    std::string text = prompt.toStdString();
    if (text == request_.prompt) return;
    request_.prompt = std::move(text);
    edited();
}

QString RequestDraft::negativePrompt() const {
    return QString::fromStdString(complete_.negative_prompt.value_or(""));
}

bool RequestDraft::isNegativeEdited() const {
    return request_.negative_prompt && rules_ && request_.negative_prompt != rules_->defaults.negative_prompt;
}

void RequestDraft::setNegativePrompt(const QString& prompt) {
    std::string text = prompt.toStdString();
    if (text == complete_.negative_prompt.value_or("")) return;
    request_.negative_prompt = std::move(text);
    edited();
}

bool RequestDraft::usesNegativePrompt() const {
    return (!complete_.guidance || *complete_.guidance > 1) && (!rules_ || rules_->guidance_branches > 1);
}

void RequestDraft::setMesh(const QString& mesh) {
    if (mesh == this->mesh()) return;
    request_.mesh = mesh.toStdString();
    edited();
}

void RequestDraft::setRanks(int ranks) {
    if (request_.ranks == ranks) return;
    request_.ranks = ranks;
    edited();
}

void RequestDraft::setOutputFolder(const QString& folder) {
    if (folder == outputFolder()) return;
    request_.output.path = folder.toStdString();
    edited();
}

void RequestDraft::setModel(const QString& folder) {
    if (folder == model()) return;
    request_.model = folder.toStdString();
    // What the model before had and this one may not.
    request_.guidance2.reset();
    request_.boundary.reset();
    askRules();
    edited();
}

void RequestDraft::setField(const QString& key, const QString& text) {
    JobRequest changed = request_;
    const auto read = set_field(changed, key.toStdString(), text.toStdString());
    if (!read)
        unreadable_[key] = {text, read.error()};
    else if (!unreadable_.remove(key) && changed == request_)
        return;
    request_ = std::move(changed);
    if (key == "seed" && read && seedMode_ == SeedMode::Random) seedMode_ = SeedMode::Fixed;
    edited();
}

void RequestDraft::resetField(const QString& key) {
    unreadable_.remove(key);
    if (clearField(request_, key)) edited();
}

bool RequestDraft::isSet(const QString& key) const {
    JobRequest without = request_;
    return clearField(without, key) && !(without == request_);
}

void RequestDraft::setSize(std::int64_t width, std::int64_t height) {
    unreadable_.remove("width");
    unreadable_.remove("height");
    request_.width = width;
    request_.height = height;
    edited();
}

void RequestDraft::setSeedMode(SeedMode mode) {
    if (mode == seedMode_ && request_.seed.has_value() == (mode != SeedMode::Random)) return;
    seedMode_ = mode;
    unreadable_.remove("seed");
    if (mode == SeedMode::Random)
        request_.seed.reset();
    else if (!request_.seed)
        request_.seed = lastSeed_.value_or(0);
    edited();
}

void RequestDraft::setSeed(std::uint64_t seed) {
    unreadable_.remove("seed");
    request_.seed = seed;
    if (seedMode_ == SeedMode::Random) seedMode_ = SeedMode::Fixed;
    edited();
}

void RequestDraft::rememberSeed(std::uint64_t seed) {
    lastSeed_ = seed;
    Q_EMIT changed();
}

void RequestDraft::setCount(int count) {
    count = std::clamp(count, 1, kMostJobs);
    if (count == count_) return;
    count_ = count;
    edited();
}

void RequestDraft::setOneJobPerLine(bool on) {
    if (on == lines_) return;
    lines_ = on;
    edited();
}

QStringList RequestDraft::prompts() const {
    if (!lines_) return {prompt()};
    QStringList lines;
    for (const QString& line : prompt().split('\n'))
        if (!line.trimmed().isEmpty()) lines << line.trimmed();
    return lines;
}

std::vector<JobRequest> RequestDraft::requests() const {
    std::vector<JobRequest> jobs;
    if (!isLegal()) return jobs;
    std::uint64_t seed = request_.seed.value_or(0);
    for (const QString& prompt : prompts()) {
        for (int i = 0; i < count_; ++i) {
            JobRequest job = request_;
            job.prompt = prompt.toStdString();
            if (seedMode_ == SeedMode::Increment) job.seed = seed++;
            jobs.push_back(std::move(job));
        }
    }
    return jobs;
}

std::vector<JobRequest> RequestDraft::take() {
    std::vector<JobRequest> jobs = requests();
    if (seedMode_ == SeedMode::Increment && !jobs.empty()) setSeed(*request_.seed + jobs.size());
    return jobs;
}

std::optional<NumberRule> RequestDraft::rule(const char* key) const {
    return rules_ ? number_rule(key, *rules_) : std::nullopt;
}

QString RequestDraft::keyOf(const Error& fault) {
    switch (fault.code) {
    case ErrorCode::BadField:
    case ErrorCode::PromptTooLong:
    case ErrorCode::PromptNotUtf8: return QString::fromStdString(fault.text("field"));
    case ErrorCode::MeshSyntax:
    case ErrorCode::MeshIllegal:
    case ErrorCode::MeshNotInBuild:
    case ErrorCode::MeshTooLarge: return QStringLiteral("mesh");
    default: return QStringLiteral("model");
    }
}

const Error* RequestDraft::fault(const QString& key) const {
    const auto found =
        std::find_if(faults_.begin(), faults_.end(), [&](const Error& fault) { return keyOf(fault) == key; });
    return found == faults_.end() ? nullptr : &*found;
}

QString RequestDraft::firstFault() const {
    return faults_.empty() ? QString() : keyOf(faults_.front());
}

} // namespace reelmesh
