// How many tokens the prompt has for the model's own tokenizer, and where the first dropped one begins: asked
// off the GUI thread a moment after typing, the latest wins. GUI thread; client and draft outlive it.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/engine.h"

namespace reelmesh {

class EngineClient;
class RequestDraft;

class PromptTokens : public QObject {
    Q_OBJECT

public:
    static constexpr int kDelay_ms = 40;

    PromptTokens(EngineClient& client, RequestDraft& draft, QObject* parent = nullptr);

    /// -1: not known yet. Of the longest line where each line is a job.
    int count() const { return count_; }
    /// 0: not known yet.
    int limit() const { return limit_; }
    bool isOverLimit() const { return limit_ > 0 && count_ > limit_; }
    /// Where the first dropped character stands in the draft's prompt; -1: nothing is dropped.
    int cutPosition() const { return cut_; }
    /// As the model sees it.
    QString cleaned() const { return cleaned_; }
    /// Of the draft's prompt as it is now.
    bool isCurrent() const { return current_; }

Q_SIGNALS:
    void changed();

private:
    struct Answer {
        int count = -1, limit = 0, cut = -1;
        QString cleaned;
    };

    static Answer count(Engine& engine, const std::string& model, const QStringList& prompts);
    void follow();
    void start();
    void receive(Answer answer, const QString& prompt);

    EngineClient& client_;
    RequestDraft& draft_;
    QTimer timer_;
    QString prompt_; ///< the draft's, as asked for last
    std::string model_;
    bool lines_ = false;
    bool inFlight_ = false, stale_ = true, current_ = false;
    int count_ = -1, limit_ = 0, cut_ = -1;
    QString cleaned_;
};

/// Where in a text stands what stands in its cleaned form at an offset: white space and character references
/// shrink when a prompt is cleaned.
int positionBeforeCleaning(const QString& text, const QString& cleaned, int offset);

} // namespace reelmesh
