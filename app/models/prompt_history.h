// Prompts of earlier jobs, newest first, the starred ones kept for good; walked with the unsent text on top.
// Stored in a small file of its own. GUI thread.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QThreadPool>

namespace reelmesh {

class PromptHistory : public QObject {
    Q_OBJECT

public:
    struct Entry {
        QString prompt;
        bool starred = false;
    };
    static constexpr qsizetype kMost = 200; ///< not starred

    /// "": kept in memory alone.
    explicit PromptHistory(QString file = {}, QObject* parent = nullptr);
    ~PromptHistory() override;

    const QList<Entry>& entries() const { return entries_; }
    /// Those with all the words, starred ones first.
    QList<Entry> found(const QString& words) const;
    /// A job was made of it.
    void add(const QString& prompt);
    bool isStarred(const QString& prompt) const;
    void setStarred(const QString& prompt, bool starred);
    void clear();

    /// The next older prompt than the one shown, which is kept on top if it is none of the history's.
    QString older(const QString& shown);
    /// Back towards the unsent text.
    QString newer(const QString& shown);

Q_SIGNALS:
    void changed();
    void damaged(const QString& sentence);

private:
    qsizetype find(const QString& prompt) const;
    void store();

    QString file_;
    QList<Entry> entries_;
    QString unsent_;
    qsizetype at_ = -1; ///< -1: the unsent text
    QThreadPool writer_;
};

} // namespace reelmesh
