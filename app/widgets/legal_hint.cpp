#include "legal_hint.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "number_field.h"
#include "theme/icons.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

constexpr int kMarkIcon = 14;

} // namespace

LegalHint::LegalHint(NumberField& field, QWidget* parent)
    : QWidget(parent), field_(field), icon_(new QLabel), text_(new QLabel) {
    setObjectName(field.objectName() + "Hint");
    text_->setObjectName(field.objectName() + "HintText");
    text_->setFont(metrics::textFont(metrics::kSmallText));
    text_->setWordWrap(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(metrics::kGap);
    row->addWidget(icon_);
    row->addWidget(text_, 1);
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        auto* button = buttons_[i] = new QToolButton;
        button->setObjectName(field.objectName() + QString("Nearest%1").arg(i + 1));
        button->setFixedHeight(metrics::kSmallControl);
        button->setFont(metrics::numberFont(metrics::kSmallText));
        button->setFocusPolicy(Qt::StrongFocus);
        connect(button, &QToolButton::clicked, this, [this, button] {
            field_.setFocus(Qt::OtherFocusReason);
            field_.take(button->text());
        });
        row->addWidget(button);
    }
    connect(&field_, &NumberField::stateChanged, this, &LegalHint::follow);
    follow();
}

void LegalHint::follow() {
    const bool legal = field_.isLegal();
    const QStringList offers = field_.neighbours();
    text_->setText(field_.hint());
    text_->setToolTip(field_.hint());
    text_->setProperty("tone", legal ? "muted" : "warning");
    // The tone is read when the style is applied.
    text_->setStyleSheet(text_->styleSheet());
    icon_->setPixmap(icon(legal ? "info" : "warning", legal ? IconTint::Muted : IconTint::Warning)
                         .pixmap(QSize(kMarkIcon, kMarkIcon), devicePixelRatioF()));
    for (std::size_t i = 0; i < buttons_.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        buttons_[i]->setVisible(at < offers.size());
        if (at >= offers.size()) continue;
        buttons_[i]->setText(offers[at]);
        buttons_[i]->setToolTip(tr("Take %1, a legal value.").arg(offers[at]));
        buttons_[i]->setAccessibleName(tr("%1: take %2").arg(field_.accessibleName(), offers[at]));
    }
    setVisible(!field_.hint().isEmpty());
}

} // namespace reelmesh
