#include "mesh_fault.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QToolButton>

#include "theme/icons.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

constexpr int kOffers = 3;

} // namespace

MeshFault::MeshFault(MeshChoice& choice, QWidget* parent)
    : QWidget(parent), choice_(choice), icon_(new QLabel), text_(new QLabel) {
    setObjectName("meshFault");
    icon_->setPixmap(icon("warning", IconTint::Warning)
                         .pixmap(QSize(metrics::kIcon, metrics::kIcon), devicePixelRatioF()));
    text_->setObjectName("meshFaultText");
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setFont(metrics::textFont(metrics::kSmallText));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::kGap);
    for (int i = 0; i < kOffers; ++i) {
        auto* offer = new QToolButton;
        offer->setObjectName(QString("meshNearest%1").arg(i + 1));
        offer->setFixedHeight(metrics::kSmallControl);
        offer->setFont(metrics::numberFont(metrics::kSmallText));
        connect(offer, &QToolButton::clicked, this,
                [this, offer] { choice_.setText(offer->property("mesh").toString()); });
        buttons->addWidget(offer);
        offers_ << offer;
    }
    buttons->addStretch();
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(metrics::kPadding, metrics::kGap, metrics::kPadding, metrics::kGap);
    grid->setHorizontalSpacing(metrics::kPadding);
    grid->setVerticalSpacing(metrics::kGap);
    grid->addWidget(icon_, 0, 0, Qt::AlignTop);
    grid->addWidget(text_, 0, 1);
    grid->addLayout(buttons, 1, 1);
    grid->setColumnStretch(1, 1);
    connect(&choice, &MeshChoice::changed, this, &MeshFault::showChoice);
    showChoice();
}

void MeshFault::showChoice() {
    const bool illegal = choice_.legality() == MeshChoice::Legality::Illegal;
    setVisible(illegal);
    if (!illegal) return;
    // The offers stand beside it as buttons.
    const QString fault = choice_.fault();
    text_->setText(fault.section(QStringLiteral("; these work:"), 0, 0));
    text_->setToolTip(fault);
    const QStringList nearest = choice_.nearest();
    for (qsizetype i = 0; i < offers_.size(); ++i) {
        offers_[i]->setVisible(i < nearest.size());
        if (i >= nearest.size()) continue;
        offers_[i]->setText(nearest[i]);
        offers_[i]->setProperty("mesh", nearest[i]);
        offers_[i]->setAccessibleName(tr("Use %1").arg(nearest[i]));
        offers_[i]->setToolTip(tr("Uses %1, which is legal here.").arg(nearest[i]));
    }
}

} // namespace reelmesh
