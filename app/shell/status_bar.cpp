#include "status_bar.h"

#include <QHBoxLayout>
#include <QLabel>

#include <cmath>

#include "models/job_status.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/stage_bar.h"

namespace reelmesh {
namespace {

struct Look {
    const char* icon;
    IconTint tint;
};

Look lookOf(JobStatus::Phase phase) {
    switch (phase) {
    case JobStatus::Phase::Idle: return {"clip", IconTint::Muted};
    case JobStatus::Phase::Stopping: return {"cancel", IconTint::Warning};
    case JobStatus::Phase::Done: return {"ok", IconTint::Done};
    case JobStatus::Phase::Failed: return {"error", IconTint::Error};
    case JobStatus::Phase::Canceled: return {"cancel", IconTint::Muted};
    default: return {"play", IconTint::Accent};
    }
}

QLabel* makeField(const char* name, const QString& accessibleName, const QFont& font, const QString& widest) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setAccessibleName(accessibleName);
    label->setFont(font);
    label->setFixedWidth(label->fontMetrics().horizontalAdvance(widest) + metrics::kGap);
    return label;
}

} // namespace

StatusBar::StatusBar(JobStatus& status, QWidget* parent)
    : QStatusBar(parent), status_(status), icon_(new QLabel),
      stage_(makeField("statusStage", tr("State"), metrics::textFont(metrics::kSmallText),
                       tr("Denoise 1000/1000"))),
      rate_(makeField("statusRate", tr("Time per step"), metrics::numberFont(metrics::kSmallText),
                      tr("%1 s/step").arg("0000.0"))),
      progress_(new StageBar({JobStatus::kPartWeights.begin(), JobStatus::kPartWeights.end()})),
      percent_(makeField("statusPercent", tr("Progress"), metrics::numberFont(metrics::kSmallText), "100 %")),
      remaining_(makeField("statusEta", tr("Time left"), metrics::numberFont(metrics::kSmallText),
                           tr("%1:%2 left").arg("000", "00"))),
      queue_(new QLabel), dropped_(new QLabel) {
    setFixedHeight(metrics::kStatusBar);
    setSizeGripEnabled(false);
    rate_->setProperty("tone", "muted");
    progress_->setObjectName("statusProgress");
    progress_->setAccessibleName(tr("Progress: prepare, denoise, decode, save"));

    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 0);
    row->setSpacing(metrics::kPadding);
    row->addWidget(icon_);
    row->addWidget(stage_);
    row->addWidget(rate_);
    row->addWidget(progress_);
    row->addWidget(percent_);
    row->addWidget(remaining_);
    row->addStretch();
    queue_->setObjectName("statusQueue");
    queue_->setAccessibleName(tr("Queue"));
    dropped_->setObjectName("statusDropped");
    dropped_->setAccessibleName(tr("Dropped telemetry events"));
    dropped_->setToolTip(tr("Events of the timeline that were lost because the program was busy"));
    dropped_->setProperty("tone", "muted");
    percent_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (QLabel* label : {queue_, dropped_}) {
        label->setFont(metrics::textFont(metrics::kSmallText));
        row->addWidget(label);
    }
    setQueue(tr("Queue empty"));
    setDropped(0);
    addWidget(line, 1);
    connect(&status_, &JobStatus::changed, this, &StatusBar::showStatus);
    showStatus();
}

void StatusBar::showStatus() {
    const Look look = lookOf(status_.phase());
    icon_->setPixmap(icon(look.icon, look.tint).pixmap(QSize(14, 14), devicePixelRatioF()));
    stage_->setText(status_.stageText());
    rate_->setText(status_.rateText());
    progress_->setFractions({status_.fractions().begin(), status_.fractions().end()});
    remaining_->setText(status_.remainingText());
    percent_->setText(status_.isActive() ? tr("%1 %").arg(std::lround(status_.progress() * 100)) : QString());
}

void StatusBar::setQueue(const QString& text) {
    queue_->setText(text);
}

void StatusBar::setDropped(std::uint64_t dropped) {
    dropped_->setText(tr("dropped %1").arg(dropped));
}

} // namespace reelmesh
