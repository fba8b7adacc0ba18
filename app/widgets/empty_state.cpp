#include "empty_state.h"

#include <QAction>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "theme/icons.h"
#include "theme/metrics.h"

namespace reelmesh {

EmptyState::EmptyState(const Content& content, QWidget* parent) : QWidget(parent), sentence_(new QLabel) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPadding * 2, metrics::kPadding, metrics::kPadding * 2,
                               metrics::kPadding);
    column->setSpacing(metrics::kPadding);
    column->addStretch();
    if (!content.icon.isEmpty()) {
        auto* picture = new QLabel;
        picture->setPixmap(icon(content.icon, IconTint::Muted)
                               .pixmap(QSize(metrics::kEmptyIcon, metrics::kEmptyIcon), devicePixelRatioF()));
        column->addWidget(picture, 0, Qt::AlignHCenter);
    }
    sentence_->setObjectName("emptySentence");
    sentence_->setProperty("tone", content.action ? "second" : "muted");
    sentence_->setAlignment(Qt::AlignCenter);
    sentence_->setWordWrap(true);
    if (content.action) sentence_->setFont(metrics::textFont(metrics::kPromptText));
    setSentence(content.sentence);
    column->addWidget(sentence_);
    if (content.action) {
        auto* button = new QToolButton;
        button->setObjectName("emptyAction");
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setDefaultAction(content.action);
        button->setIconSize({metrics::kIcon, metrics::kIcon});
        button->setFixedHeight(metrics::kToolButton);
        if (content.mainAction) button->setProperty("role", "main");
        column->addWidget(button, 0, Qt::AlignHCenter);
    }
    column->addStretch();
}

void EmptyState::setSentence(const QString& sentence) {
    sentence_->setText(sentence);
}

} // namespace reelmesh
