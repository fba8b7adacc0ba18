#include "prompt_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QRegularExpression>
#include <QShortcut>
#include <QToolButton>

#include "history_popup.h"
#include "models/prompt_history.h"
#include "models/prompt_tokens.h"
#include "models/request_draft.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/count_button.h"
#include "widgets/fold_header.h"
#include "widgets/notice_bar.h"
#include "widgets/prompt_box.h"
#include "widgets/prompt_edit.h"

namespace reelmesh {
namespace {

constexpr int kNegativeHeight = 84, kSmallestPrompt = 64;

/// "(word:1.2)" as other programs weigh words.
const QRegularExpression& weights() {
    static const QRegularExpression expression(
        QStringLiteral("\\(([^()\\n:]{1,200}):\\s*[0-9]+(?:\\.[0-9]+)?\\s*\\)"));
    return expression;
}

QToolButton* flatButton(const char* name, const QString& iconName, const QString& accessible,
                        const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setProperty("role", "flat");
    button->setIcon(icon(iconName, IconTint::Muted));
    button->setFixedSize(metrics::kControl, metrics::kSmallControl - 1);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(accessible);
    button->setToolTip(toolTip);
    return button;
}

} // namespace

PromptPanel::PromptPanel(const Models& models, QWidget* parent)
    : QWidget(parent), models_(models), prompt_(new PromptEdit), count_(new CountButton(tr("tokens"))),
      star_(flatButton("promptStar", "star", tr("Star"), tr("Keep this prompt in the history for good."))),
      historyButton_(flatButton("promptHistory", "search", tr("Prompt history"),
                                tr("Search earlier prompts (Alt+Up and Alt+Down walk through them)."))),
      historyAction_(new QAction(icon("history", IconTint::Muted), tr("Prompt history"), this)),
      lines_(new QCheckBox(tr("One job per line"))), negative_(new PromptEdit),
      negativeReset_(new QToolButton), note_(new NoticeBar) {
    setObjectName("promptPanel");
    historyAction_->setObjectName("actPromptHistory");
    historyAction_->setToolTip(tr("Search earlier prompts."));
    lines_->setObjectName("promptLines");
    lines_->setToolTip(tr("Each line that is not empty becomes a job of its own."));
    lines_->setAccessibleName(lines_->text());
    note_->setObjectName("promptNote");
    note_->hide();

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPadding, metrics::kPadding, metrics::kPadding, metrics::kGap);
    column->setSpacing(metrics::kGap);
    column->addWidget(makePromptBox(), 3);
    column->addWidget(note_);
    column->addWidget(lines_);
    QWidget* negative = makeNegative();
    column->addWidget(fold_);
    column->addWidget(negative, 1);

    RequestDraft& draft = models_.draft;
    connect(prompt_, &PromptEdit::textChanged, this,
            [this] { models_.draft.setPrompt(prompt_->exactText()); });
    connect(negative_, &PromptEdit::textChanged, this,
            [this] { models_.draft.setNegativePrompt(negative_->exactText()); });
    for (PromptEdit* edit : {prompt_, negative_})
        connect(edit, &PromptEdit::noticed, this, &PromptPanel::showNotice);
    connect(prompt_, &PromptEdit::olderAsked, this,
            [this] { prompt_->setExactText(models_.history.older(prompt_->exactText())); });
    connect(prompt_, &PromptEdit::newerAsked, this,
            [this] { prompt_->setExactText(models_.history.newer(prompt_->exactText())); });
    connect(lines_, &QCheckBox::toggled, &draft, &RequestDraft::setOneJobPerLine);
    connect(star_, &QToolButton::clicked, this, [this] {
        models_.history.setStarred(models_.draft.prompt(),
                                   !models_.history.isStarred(models_.draft.prompt()));
    });
    connect(historyButton_, &QToolButton::clicked, this, &PromptPanel::openHistory);
    connect(historyAction_, &QAction::triggered, this, &PromptPanel::openHistory);
    connect(count_, &CountButton::clicked, this, &PromptPanel::showCleaned);
    connect(&draft, &RequestDraft::changed, this, &PromptPanel::showDraft);
    connect(&models_.tokens, &PromptTokens::changed, this, &PromptPanel::showTokens);
    connect(&models_.history, &PromptHistory::changed, this, &PromptPanel::showStar);
    auto* shortcut = new QShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_N, this);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this, [this] {
        fold_->setChecked(!fold_->isChecked());
        (fold_->isChecked() ? negative_ : prompt_)->setFocus(Qt::ShortcutFocusReason);
    });
    showDraft();
    showTokens();
}

QWidget* PromptPanel::makePromptBox() {
    prompt_->setObjectName("promptText");
    prompt_->setAccessibleName(tr("Prompt"));
    prompt_->setPlaceholderText(tr("What should happen?"));
    prompt_->setToolTip(tr("What the clip shows (prompt)."));
    prompt_->setMinimumHeight(kSmallestPrompt);
    count_->setObjectName("promptTokens");
    count_->setAccessibleName(tr("Tokens"));
    box_ = new PromptBox(prompt_, PromptBox::Foot::Row);
    box_->foot().addWidget(star_);
    box_->foot().addWidget(historyButton_);
    box_->foot().addStretch();
    box_->foot().addWidget(count_);
    return box_;
}

QWidget* PromptPanel::makeNegative() {
    negative_->setObjectName("promptNegative");
    negative_->setAccessibleName(tr("Negative prompt"));
    negativeReset_->setObjectName("promptNegativeReset");
    negativeReset_->setText(tr("Model default"));
    negativeReset_->setAccessibleName(tr("Negative prompt: model default"));
    negativeReset_->setFixedHeight(metrics::kSmallControl);
    negativeReset_->setFont(metrics::textFont(metrics::kSmallText));
    negativeReset_->setFocusPolicy(Qt::StrongFocus);
    auto* folded = new QWidget;
    auto* column = new QVBoxLayout(folded);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGap);
    auto* box = new PromptBox(negative_, PromptBox::Foot::None);
    box->setMinimumHeight(kNegativeHeight);
    column->addWidget(box, 1);
    column->addWidget(negativeReset_, 0, Qt::AlignRight);
    fold_ = new FoldHeader(tr("Negative prompt"), *folded);
    fold_->setObjectName("promptNegativeFold");
    fold_->setToolTip(tr("What the clip shall not show (negative_prompt; Ctrl+Shift+N)."));
    connect(negativeReset_, &QToolButton::clicked, this,
            [this] { models_.draft.resetField("negative_prompt"); });
    return folded;
}

void PromptPanel::focusPrompt() {
    prompt_->moveCursor(QTextCursor::End);
    prompt_->setFocus(Qt::OtherFocusReason);
}

bool PromptPanel::focusFault() {
    const QString fault = models_.draft.firstFault();
    if (fault == "prompt" || (fault.isEmpty() && models_.draft.prompts().isEmpty())) {
        focusPrompt();
        return true;
    }
    if (fault != "negative_prompt") return false;
    fold_->setChecked(true);
    negative_->setFocus(Qt::OtherFocusReason);
    return true;
}

void PromptPanel::showDraft() {
    const RequestDraft& draft = models_.draft;
    prompt_->setExactText(draft.prompt());
    negative_->setExactText(draft.negativePrompt());
    lines_->setChecked(draft.isOneJobPerLine());
    const bool used = draft.usesNegativePrompt();
    const QString why = tr("Not used when CFG is 1 or less.");
    negative_->setEnabled(used);
    negative_->setToolTip(used ? tr("What the clip shall not show (negative_prompt).") : why);
    fold_->setRemark(!used                      ? tr("not used at CFG ≤ 1")
                     : draft.isNegativeEdited() ? tr("edited")
                                                : tr("model default"),
                     used && draft.isNegativeEdited() ? FoldHeader::Remark::Badge
                                                      : FoldHeader::Remark::Muted);
    negativeReset_->setEnabled(used && draft.isNegativeEdited());
    negativeReset_->setToolTip(!used                      ? why
                               : draft.isNegativeEdited() ? tr("Put the model's own text back.")
                                                          : tr("The model's own text stands already."));
    showStar();
    showNote();
}

void PromptPanel::showTokens() {
    const PromptTokens& tokens = models_.tokens;
    const bool known = tokens.limit() > 0;
    count_->setCount(known ? tr("%1 / %2").arg(tokens.count()).arg(tokens.limit()) : QStringLiteral("–"),
                     tokens.isOverLimit() ? CountButton::Tone::Warning : CountButton::Tone::Plain);
    count_->setToolTip(
        !known ? tr("Not counted yet: the engine is not open.")
        : tokens.isOverLimit()
            ? tr("The model reads %1 tokens; the rest is dropped. Click to see the cleaned prompt.")
                  .arg(tokens.limit())
            : tr("Tokens of the prompt as the model reads it. Click to see the cleaned prompt."));
    count_->setEnabled(known);
    box_->setUsed(known ? static_cast<double>(tokens.count()) / tokens.limit() : 0);
    if (tokens.isCurrent()) prompt_->setCut(tokens.cutPosition(), tokens.limit());
}

void PromptPanel::showStar() {
    const bool starred = models_.history.isStarred(models_.draft.prompt());
    star_->setIcon(starred ? icon("star-filled", IconTint::Accent) : icon("star", IconTint::Muted));
    const bool empty = models_.draft.prompt().trimmed().isEmpty();
    star_->setEnabled(!empty);
    star_->setToolTip(empty     ? tr("There is no prompt to keep.")
                      : starred ? tr("Kept in the history; click to let it go.")
                                : tr("Keep this prompt in the history for good."));
}

void PromptPanel::showNote() {
    const bool weighted = weights().match(models_.draft.prompt()).hasMatch();
    const bool shown = note_->property("weights").toBool();
    if (weighted == shown) return;
    note_->setProperty("weights", weighted);
    if (!weighted) return note_->dismiss();
    note_->showNotice(NoticeBar::Kind::Info,
                      tr("Weights such as (word:1.2) are literal for this text encoder."),
                      {{tr("Remove weights"), [this] {
                            QString text = prompt_->exactText();
                            text.replace(weights(), QStringLiteral("\\1"));
                            prompt_->setExactText(text);
                        }}});
}

void PromptPanel::showNotice(const QString& sentence) {
    note_->showNotice(NoticeBar::Kind::Warning, sentence);
}

void PromptPanel::showCleaned() {
    note_->showNotice(NoticeBar::Kind::Info, tr("The model reads: %1").arg(models_.tokens.cleaned()));
}

void PromptPanel::openHistory() {
    auto* popup = new HistoryPopup(models_.history, this);
    connect(popup, &HistoryPopup::chosen, this, [this](const QString& prompt) {
        prompt_->setExactText(prompt);
        focusPrompt();
    });
    popup->resize(box_->width(), popup->sizeHint().height());
    popup->move(box_->mapToGlobal(QPoint(0, box_->height())));
    popup->show();
}

} // namespace reelmesh
