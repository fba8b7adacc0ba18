#include "prompt_tokens.h"

#include <QRegularExpression>

#include <algorithm>

#include "bridge/engine_client.h"
#include "request_draft.h"

namespace reelmesh {
namespace {

/// How far the two texts may differ before they agree again, and how much then counts as agreeing.
constexpr qsizetype kLongestDifference = 96, kAgreement = 4;

/// "&amp;", "&#39;", also when it was written twice over: "&amp;lt;".
qsizetype referenceLength(const QString& text, qsizetype at) {
    static const QRegularExpression reference(QStringLiteral("&(?:amp;)*#?\\w{1,31};"));
    const auto match = reference.match(text, at, QRegularExpression::NormalMatch,
                                       QRegularExpression::AnchorAtOffsetMatchOption);
    return match.hasMatch() ? match.capturedLength() : 0;
}

bool agree(QStringView text, QStringView cleaned) {
    const qsizetype length = std::min({kAgreement, text.size(), cleaned.size()});
    if (length == 0) return text.isEmpty() == cleaned.isEmpty();
    return text.left(length) == cleaned.left(length);
}

} // namespace

int positionBeforeCleaning(const QString& text, const QString& cleaned, int offset) {
    qsizetype at = 0, clean = 0;
    const QStringView raw(text), shown(cleaned);
    const auto isSame = [](QChar one, QChar other) {
        return one == other || (one.isSpace() && other.isSpace());
    };
    while (clean < offset && at < text.size()) {
        if (raw[at] == '&') {
            const qsizetype length = referenceLength(text, at);
            if (length > 0 && !shown.mid(clean).startsWith(raw.mid(at, length))) {
                at += length;
                clean += shown[clean].isHighSurrogate() ? 2 : 1;
                continue;
            }
        }
        if (isSame(raw[at], shown[clean])) {
            const bool space = raw[at].isSpace();
            ++at;
            ++clean;
            while (space && at < text.size() && raw[at].isSpace() &&
                   !(clean < cleaned.size() && shown[clean].isSpace()))
                ++at;
            continue;
        }
        if (raw[at].isSpace()) {
            ++at;
            continue;
        }
        // The smallest difference after which both agree.
        bool found = false;
        for (qsizetype total = 1; total <= kLongestDifference && !found; ++total) {
            for (qsizetype left = 0; left <= total && !found; ++left) {
                const qsizetype skipped = total - left;
                if (at + skipped > text.size() || clean + left > cleaned.size()) continue;
                if (!agree(raw.mid(at + skipped), shown.mid(clean + left))) continue;
                at += skipped;
                clean += left;
                found = true;
            }
        }
        if (!found) {
            ++at;
            ++clean;
        }
    }
    // A character reference as a whole is what was dropped; white space before it was not.
    while (at < text.size() && raw[at].isSpace() && clean < cleaned.size() && !shown[clean].isSpace())
        ++at;
    return static_cast<int>(at);
}

PromptTokens::PromptTokens(EngineClient& client, RequestDraft& draft, QObject* parent)
    : QObject(parent), client_(client), draft_(draft) {
    timer_.setSingleShot(true);
    timer_.setInterval(kDelay_ms);
    connect(&timer_, &QTimer::timeout, this, &PromptTokens::start);
    connect(&draft_, &RequestDraft::changed, this, &PromptTokens::follow);
    connect(&client_, &EngineClient::opened, this, [this] {
        stale_ = true;
        timer_.start();
    });
    follow();
    timer_.start();
}

void PromptTokens::follow() {
    const QString prompt = draft_.prompt();
    const std::string model = draft_.request().model;
    if (prompt == prompt_ && model == model_ && lines_ == draft_.isOneJobPerLine()) return;
    prompt_ = prompt;
    model_ = model;
    lines_ = draft_.isOneJobPerLine();
    stale_ = true;
    current_ = false;
    if (!timer_.isActive()) timer_.start();
}

void PromptTokens::start() {
    if (inFlight_ || client_.state() != EngineClient::State::Ready) return;
    inFlight_ = true;
    stale_ = false;
    const QStringList prompts = lines_ ? prompt_.split('\n') : QStringList{prompt_};
    client_.ask(
        this, [model = model_, prompts](Engine& engine) { return count(engine, model, prompts); },
        [this, prompt = prompt_](Answer answer) { receive(std::move(answer), prompt); });
}

PromptTokens::Answer PromptTokens::count(Engine& engine, const std::string& model,
                                         const QStringList& prompts) {
    Answer longest;
    int begin = 0;
    for (const QString& prompt : prompts) {
        const Result<TokenizedPrompt> tokens = engine.tokenize(model, prompt.toStdString()).get();
        if (tokens && static_cast<int>(tokens->count) > longest.count) {
            longest.count = static_cast<int>(tokens->count);
            longest.limit = static_cast<int>(tokens->limit);
            longest.cleaned = QString::fromStdString(tokens->text);
            longest.cut = -1;
            if (tokens->cut_byte >= 0) {
                const auto kept = QString::fromUtf8(tokens->text.data(), tokens->cut_byte);
                longest.cut =
                    begin + positionBeforeCleaning(prompt, longest.cleaned, static_cast<int>(kept.size()));
            }
        }
        begin += static_cast<int>(prompt.size()) + 1;
    }
    return longest;
}

void PromptTokens::receive(Answer answer, const QString& prompt) {
    inFlight_ = false;
    if (stale_) {
        if (!timer_.isActive()) start();
        return;
    }
    count_ = answer.count;
    limit_ = answer.limit;
    cut_ = answer.cut < 0 ? -1 : std::min(answer.cut, static_cast<int>(prompt.size()));
    cleaned_ = std::move(answer.cleaned);
    current_ = true;
    Q_EMIT changed();
}

} // namespace reelmesh
