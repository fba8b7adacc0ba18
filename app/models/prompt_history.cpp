#include "prompt_history.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTimer>

#include <algorithm>

#include "json_file.h"

namespace reelmesh {

PromptHistory::PromptHistory(QString file, QObject* parent) : QObject(parent), file_(std::move(file)) {
    writer_.setMaxThreadCount(1);
    const JsonFile stored = readJsonFile(file_);
    for (const QJsonValue entry : stored.object["prompts"].toArray())
        if (!entry["prompt"].toString().isEmpty())
            entries_.append({entry["prompt"].toString(), entry["starred"].toBool()});
    // Nobody listens yet.
    if (!stored.problem.isEmpty())
        QTimer::singleShot(0, this, [this, problem = stored.problem] { Q_EMIT damaged(problem); });
}

PromptHistory::~PromptHistory() {
    writer_.waitForDone();
}

qsizetype PromptHistory::find(const QString& prompt) const {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.prompt == prompt; });
    return found == entries_.end() ? -1 : found - entries_.begin();
}

QList<PromptHistory::Entry> PromptHistory::found(const QString& words) const {
    const QStringList all = words.split(' ', Qt::SkipEmptyParts);
    QList<Entry> found;
    for (const Entry& entry : entries_)
        if (std::all_of(all.begin(), all.end(), [&](const QString& word) {
                return entry.prompt.contains(word, Qt::CaseInsensitive);
            }))
            found.append(entry);
    std::stable_partition(found.begin(), found.end(), [](const Entry& entry) { return entry.starred; });
    return found;
}

void PromptHistory::add(const QString& prompt) {
    at_ = -1;
    if (prompt.trimmed().isEmpty()) return;
    Entry entry{prompt, isStarred(prompt)};
    if (const qsizetype at = find(prompt); at >= 0) entries_.removeAt(at);
    entries_.prepend(entry);
    qsizetype plain = 0;
    entries_.removeIf([&](const Entry& old) { return !old.starred && ++plain > kMost; });
    store();
}

bool PromptHistory::isStarred(const QString& prompt) const {
    const qsizetype at = find(prompt);
    return at >= 0 && entries_[at].starred;
}

void PromptHistory::setStarred(const QString& prompt, bool starred) {
    if (prompt.trimmed().isEmpty() || isStarred(prompt) == starred) return;
    if (const qsizetype at = find(prompt); at >= 0)
        entries_[at].starred = starred;
    else
        entries_.prepend({prompt, starred});
    store();
}

void PromptHistory::clear() {
    entries_.removeIf([](const Entry& entry) { return !entry.starred; });
    at_ = -1;
    store();
}

QString PromptHistory::older(const QString& shown) {
    if (at_ >= 0 && (at_ >= entries_.size() || entries_[at_].prompt != shown)) at_ = -1;
    if (at_ < 0) {
        unsent_ = shown;
        // What was just sent is no step back.
        if (!entries_.isEmpty() && entries_.first().prompt == shown && entries_.size() > 1) at_ = 0;
    }
    at_ = std::min(at_ + 1, entries_.size() - 1);
    return at_ < 0 ? shown : entries_[at_].prompt;
}

QString PromptHistory::newer(const QString& shown) {
    if (at_ < 0 || at_ >= entries_.size() || entries_[at_].prompt != shown) return shown;
    --at_;
    if (at_ == 0 && unsent_ == entries_.first().prompt) at_ = -1;
    return at_ < 0 ? unsent_ : entries_[at_].prompt;
}

void PromptHistory::store() {
    Q_EMIT changed();
    if (file_.isEmpty()) return;
    QJsonArray prompts;
    for (const Entry& entry : std::as_const(entries_))
        prompts.append(QJsonObject{{"prompt", entry.prompt}, {"starred", entry.starred}});
    writer_.start([file = file_, prompts] { writeJsonFile(file, {{"schema", 1}, {"prompts", prompts}}); });
}

} // namespace reelmesh
