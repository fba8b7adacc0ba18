// What the user is composing: a job request, the rules of its model, and how many jobs Generate makes of it.
// Fields that are not set show the family's default. Values that are not legal, and texts that are no values,
// stay as typed and are faults until they are mended. GUI thread.
#pragma once

#include <QMap>
#include <QObject>
#include <QString>

#include <optional>
#include <vector>

#include "engine/request.h"

namespace reelmesh {

class EngineClient;

class RequestDraft : public QObject {
    Q_OBJECT

public:
    enum class SeedMode { Random, Fixed, Increment };
    Q_ENUM(SeedMode)
    static constexpr int kMostJobs = 100;

    using QObject::QObject;
    /// Asks for the rules of the model, now and whenever it changes. Once; the client outlives the draft.
    void connectTo(EngineClient& client);

    /// Takes a preset's text in place of all fields but the output folder.
    Result<bool> load(const QByteArray& presetJson, const QString& name);
    /// Takes the fields that the text sets, and leaves the others.
    Result<bool> apply(const QByteArray& presetJson, const QString& name);
    /// Whether all fields that the text sets stand as it sets them.
    bool matches(const QByteArray& presetJson) const;
    /// Everything at once: from a stored draft.
    void restore(JobRequest request, SeedMode mode, int count, bool lines);

    QString prompt() const { return QString::fromStdString(request_.prompt); }
    void setPrompt(const QString& prompt);
    /// The family's where none was written.
    QString negativePrompt() const;
    bool isNegativeEdited() const;
    void setNegativePrompt(const QString& prompt);
    /// Whether the job computes a branch for it.
    bool usesNegativePrompt() const;

    QString mesh() const { return QString::fromStdString(request_.mesh); }
    /// "auto" or "cfg2,ulysses4" ...
    void setMesh(const QString& mesh);
    /// 0: as many as the mesh asks, else one.
    int ranks() const { return request_.ranks; }
    void setRanks(int ranks);
    QString outputFolder() const { return QString::fromStdString(request_.output.path); }
    void setOutputFolder(const QString& folder);

    QString model() const { return QString::fromStdString(request_.model); }
    void setModel(const QString& folder);

    /// A key of the table as typed, with a decimal point. Text that is no value is kept and is a fault.
    void setField(const QString& key, const QString& text);
    /// Back to the family's default.
    void resetField(const QString& key);
    bool isSet(const QString& key) const;
    /// The field holds a value, legal or not, and no text that is none.
    bool isReadable(const QString& key) const { return !unreadable_.contains(key); }
    /// Typed text that is no value of the key; "": there is none.
    QString unreadable(const QString& key) const { return unreadable_.value(key).typed; }
    void setSize(std::int64_t width, std::int64_t height);
    void set(const JobRequest& request);

    SeedMode seedMode() const { return seedMode_; }
    void setSeedMode(SeedMode mode);
    /// Fixed on this number.
    void setSeed(std::uint64_t seed);
    /// Of the job queued last.
    std::optional<std::uint64_t> lastSeed() const { return lastSeed_; }
    void rememberSeed(std::uint64_t seed);

    int count() const { return count_; }
    void setCount(int count);
    bool isOneJobPerLine() const { return lines_; }
    void setOneJobPerLine(bool on);
    /// Prompts of the jobs to come: the whole text, or its lines that are not empty.
    QStringList prompts() const;
    /// How many jobs Generate makes.
    int jobCount() const { return static_cast<int>(prompts().size()) * count_; }

    /// A copy that later edits do not touch; without a seed in random mode.
    JobRequest request() const { return request_; }
    /// With the family's defaults as far as they are known.
    const JobRequest& complete() const { return complete_; }
    /// Frozen copies of what Generate queues. Empty when the draft is not legal.
    std::vector<JobRequest> requests() const;
    /// The same, and moves an incremented seed past them.
    std::vector<JobRequest> take();

    /// nullptr: not known yet, or the model cannot be read.
    const FamilyRules* rules() const { return rules_ ? &*rules_ : nullptr; }
    const std::optional<Error>& modelError() const { return modelError_; }
    std::optional<NumberRule> rule(const char* key) const;

    /// Every fault; the first one is the cause that Generate leads to.
    const std::vector<Error>& faults() const { return faults_; }
    /// nullptr: this field is legal.
    const Error* fault(const QString& key) const;
    bool isLegal() const { return faults_.empty(); }
    /// Key of the first fault: "frames", "mesh", "model" ...; "": legal.
    QString firstFault() const;

Q_SIGNALS:
    void changed();
    /// The rules of another model hold, or there are none.
    void rulesChanged();

private:
    struct Unreadable {
        QString typed;
        Error error;
    };

    void askRules();
    void edited();
    static QString keyOf(const Error& fault);

    EngineClient* client_ = nullptr;
    JobRequest request_;
    JobRequest complete_;
    std::optional<FamilyRules> rules_;
    std::optional<Error> modelError_;
    int rulesAsked_ = 0;
    QMap<QString, Unreadable> unreadable_;
    std::vector<Error> faults_;
    SeedMode seedMode_ = SeedMode::Random;
    std::optional<std::uint64_t> lastSeed_;
    int count_ = 1;
    bool lines_ = false;
};

} // namespace reelmesh
