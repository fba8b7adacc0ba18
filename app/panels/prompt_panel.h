// Prompt and negative prompt, their tokens, and what was written before. Layout and connections only; edits
// the draft, follows it. GUI thread; the models outlive the panel.
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QCheckBox;
class QToolButton;

namespace reelmesh {

class CountButton;
class FoldHeader;
class NoticeBar;
class PromptBox;
class PromptEdit;
class PromptHistory;
class PromptTokens;
class RequestDraft;

class PromptPanel : public QWidget {
    Q_OBJECT

public:
    struct Models {
        RequestDraft& draft;
        PromptTokens& tokens;
        PromptHistory& history;
    };

    explicit PromptPanel(const Models& models, QWidget* parent = nullptr);
    /// Cursor behind the last character.
    void focusPrompt();
    /// To the prompt that is the draft's first fault; false: the fault is elsewhere.
    bool focusFault();
    /// For the panel's title: earlier prompts.
    QList<QAction*> titleActions() const { return {historyAction_}; }

private:
    QWidget* makePromptBox();
    QWidget* makeNegative();
    void showDraft();
    void showTokens();
    void showStar();
    void showNote();
    void showNotice(const QString& sentence);
    void showCleaned();
    void openHistory();

    Models models_;
    PromptEdit* prompt_;
    PromptBox* box_ = nullptr;
    CountButton* count_;
    QToolButton* star_;
    QToolButton* historyButton_;
    QAction* historyAction_;
    QCheckBox* lines_;
    FoldHeader* fold_ = nullptr;
    PromptEdit* negative_;
    QToolButton* negativeReset_;
    NoticeBar* note_;
};

} // namespace reelmesh
