#include "prompt_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPlainTextEdit>

#include "models/request_draft.h"
#include "theme/metrics.h"
#include "widgets/panel_title.h"

namespace reelmesh {
namespace {

/// The text as typed: toPlainText() would turn no-break spaces into plain ones.
QString exactText(const QPlainTextEdit& edit) {
    QString text = edit.document()->toRawText();
    text.replace(QChar::ParagraphSeparator, '\n');
    text.replace(QChar::LineSeparator, '\n');
    return text;
}

} // namespace

PromptPanel::PromptPanel(RequestDraft& draft, QWidget* parent)
    : QWidget(parent), draft_(draft), prompt_(new QPlainTextEdit), mesh_(new QComboBox),
      outcome_(new QLabel) {
    setObjectName("dockPrompt");
    prompt_->setObjectName("promptText");
    prompt_->setAccessibleName(tr("Prompt"));
    prompt_->setPlaceholderText(tr("What should happen?"));
    prompt_->setToolTip(tr("What the clip shows (prompt)"));
    prompt_->setFont(metrics::textFont(metrics::kPromptText));
    prompt_->setTabChangesFocus(true);

    mesh_->setObjectName("meshChoice");
    mesh_->setAccessibleName(tr("Mesh"));
    mesh_->setToolTip(tr("How the work is split over ranks (mesh)"));
    mesh_->addItem(tr("Automatic"), "auto");
    mesh_->addItem(tr("One rank"), "single");
    mesh_->addItem(tr("CFG on two ranks"), "cfg2");
    mesh_->setFixedHeight(metrics::kControl);
    auto* meshLabel = new QLabel(tr("Mesh"));
    meshLabel->setBuddy(mesh_);
    meshLabel->setProperty("tone", "second");

    outcome_->setObjectName("paramOutcome");
    outcome_->setWordWrap(true);
    outcome_->setProperty("tone", "muted");
    outcome_->setFont(metrics::textFont(metrics::kSmallText));

    auto* form = new QGridLayout;
    form->setContentsMargins(metrics::kPadding, metrics::kPadding, metrics::kPadding, metrics::kPadding);
    form->setHorizontalSpacing(metrics::kGap);
    form->setVerticalSpacing(metrics::kGroupGap);
    form->setColumnMinimumWidth(0, metrics::kLabelColumn);
    form->setColumnStretch(1, 1);
    form->setRowStretch(0, 1);
    form->addWidget(prompt_, 0, 0, 1, 2);
    form->addWidget(meshLabel, 1, 0);
    form->addWidget(mesh_, 1, 1);
    form->addWidget(outcome_, 2, 0, 1, 2);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new PanelTitle(tr("Prompt")));
    column->addLayout(form, 1);

    connect(prompt_, &QPlainTextEdit::textChanged, this, &PromptPanel::writePrompt);
    connect(mesh_, &QComboBox::currentIndexChanged, this,
            [this] { draft_.setMesh(mesh_->currentData().toString()); });
    connect(&draft_, &RequestDraft::changed, this, &PromptPanel::showDraft);
    showDraft();
}

void PromptPanel::focusPrompt() {
    prompt_->moveCursor(QTextCursor::End);
    prompt_->setFocus(Qt::OtherFocusReason);
}

void PromptPanel::writePrompt() {
    draft_.setPrompt(exactText(*prompt_));
}

void PromptPanel::showDraft() {
    // Setting the text anew would lose cursor and undo while typing.
    if (draft_.prompt() != exactText(*prompt_)) prompt_->setPlainText(draft_.prompt());
    mesh_->setCurrentIndex(mesh_->findData(draft_.mesh()));
    outcome_->setText(draft_.outcome());
}

} // namespace reelmesh
