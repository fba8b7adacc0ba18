// Results that take too long for the GUI thread: asked for while painting, computed on threads of their own,
// announced when they are there. Keeps the last few. GUI thread; the tasks must not touch widgets.
#pragma once

#include <QList>
#include <QObject>
#include <QSet>
#include <QThreadPool>

#include <functional>
#include <memory>
#include <optional>

namespace reelmesh {

template <class Key, class Result>
class BackgroundCache {
public:
    /// ready: called on the GUI thread after each result.
    BackgroundCache(int capacity, std::function<void()> ready)
        : capacity_(capacity), ready_(std::move(ready)) {
        pool_.setMaxThreadCount(1);
    }
    /// Waits for the tasks that run.
    ~BackgroundCache() {
        pool_.clear();
        pool_.waitForDone();
    }

    /// What is there under the key; otherwise nothing, and the task begins unless too many are before it.
    std::optional<Result> get(const Key& key, std::function<Result()> task) {
        for (qsizetype i = 0; i < kept_.size(); ++i) {
            if (kept_[i].first != key) continue;
            kept_.move(i, kept_.size() - 1);
            return kept_.last().second;
        }
        if (!pending_.contains(key) && pending_.size() < kMostPending) start(key, std::move(task));
        return {};
    }

private:
    static constexpr int kMostPending = 3;

    void start(const Key& key, std::function<Result()> task) {
        pending_.insert(key);
        pool_.start([this, key, task = std::move(task)] {
            auto result = std::make_shared<Result>(task());
            QMetaObject::invokeMethod(
                &context_,
                [this, key, result] {
                    pending_.remove(key);
                    if (kept_.size() >= capacity_) kept_.removeFirst();
                    kept_.append({key, *result});
                    ready_();
                },
                Qt::QueuedConnection);
        });
    }

    const int capacity_;
    std::function<void()> ready_;
    QList<std::pair<Key, Result>> kept_; ///< the last used at the end
    QSet<Key> pending_;
    QObject context_; ///< a queued reply dies with it
    QThreadPool pool_;
};

} // namespace reelmesh
