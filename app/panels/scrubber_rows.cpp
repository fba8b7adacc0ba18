#include "scrubber_rows.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "models/preview_model.h"
#include "theme/metrics.h"
#include "widgets/scrubber.h"

namespace reelmesh {
namespace {

constexpr int kRowLabel = 36, kRowCounter = 62;

QList<Scrubber::Span> stepSpans(const PreviewModel& preview) {
    QList<Scrubber::Span> spans;
    for (const int step : preview.keptSteps()) {
        if (!spans.isEmpty() && spans.last().first + spans.last().count == step + 1) {
            ++spans.last().count;
        } else {
            spans.append({Scrubber::Fill::Kept, step + 1, 1});
        }
    }
    return spans;
}

QList<Scrubber::Span> timeSpans(const PreviewModel& preview) {
    QList<Scrubber::Span> spans;
    for (const PreviewModel::TimeSpan& span : preview.timeSpans()) {
        switch (span.state) {
        case PreviewModel::FrameState::Decoded:
            spans.append({Scrubber::Fill::Decoded, span.first, span.count});
            break;
        case PreviewModel::FrameState::Preview:
            spans.append({Scrubber::Fill::Preview, span.first, span.count});
            break;
        case PreviewModel::FrameState::Decoding:
            spans.append({Scrubber::Fill::Decoding, span.first, span.count});
            break;
        case PreviewModel::FrameState::ToCome: break;
        }
    }
    return spans;
}

QLabel* makeCounter(const QString& name) {
    auto* counter = new QLabel(QStringLiteral("–"));
    counter->setObjectName(name);
    counter->setFont(metrics::numberFont(metrics::kSmallText));
    counter->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    counter->setMinimumWidth(kRowCounter);
    return counter;
}

} // namespace

ScrubberRows::ScrubberRows(PreviewModel& preview, QWidget* parent)
    : QWidget(parent), preview_(preview), steps_(new Scrubber(Scrubber::Look::Steps, "viewerSteps")),
      time_(new Scrubber(Scrubber::Look::Time, "viewerTime")), stepsText_(makeCounter("viewerStepsText")),
      timeText_(makeCounter("viewerTimeText")) {
    steps_->setAccessibleName(tr("Step"));
    time_->setAccessibleName(tr("Time"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 2);
    column->setSpacing(0);
    column->addWidget(makeRow(tr("Step"), steps_, stepsText_));
    column->addWidget(makeRow(tr("Time"), time_, timeText_));
    connect(steps_, &Scrubber::chosen, this, [this](int step) { preview_.chooseStep(step - 1); });
    connect(steps_, &Scrubber::stepped, this, [this](int by) { preview_.moveStep(by); });
    connect(time_, &Scrubber::chosen, this, &ScrubberRows::frameChosen);
    connect(time_, &Scrubber::stepped, this, &ScrubberRows::framesStepped);
    connect(time_, &Scrubber::sliderPressed, this, [this] { Q_EMIT heldChanged(true); });
    connect(time_, &Scrubber::sliderReleased, this, [this] { Q_EMIT heldChanged(false); });
    connect(&preview_, &PreviewModel::changed, this, &ScrubberRows::showClip);
    showClip();
}

QWidget* ScrubberRows::makeRow(const QString& label, Scrubber* scrubber, QLabel* counter) {
    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(metrics::kPadding, 1, metrics::kPadding, 1);
    row->setSpacing(metrics::kGap);
    auto* name = new QLabel(label);
    name->setFont(metrics::textFont(metrics::kSmallText));
    name->setProperty("tone", "muted");
    name->setMinimumWidth(kRowLabel);
    name->setBuddy(scrubber);
    row->addWidget(name);
    row->addWidget(scrubber, 1);
    row->addWidget(counter);
    return line;
}

void ScrubberRows::showFrame(int number, const QString& text) {
    time_->showValue(number);
    timeText_->setText(text);
}

void ScrubberRows::showClip() {
    steps_->setPlaces(preview_.steps(), stepSpans(preview_));
    const int step = preview_.shownStep() + 1;
    steps_->showValue(step);
    stepsText_->setText(step > 0 ? QString("%1/%2").arg(step).arg(preview_.steps()) : QStringLiteral("–"));
    time_->setPlaces(preview_.frames().isEmpty() ? 0 : preview_.totalFrames(), timeSpans(preview_));
    showReasons();
}

void ScrubberRows::showReasons() {
    const bool hasSteps = !preview_.keptSteps().isEmpty();
    const bool isOff = preview_.job() != 0 && preview_.request().preview == "off";
    steps_->setEnabled(hasSteps);
    steps_->setToolTip(hasSteps
                           ? tr("Look back at the preview of an earlier step (PgUp, PgDn); the job runs on")
                       : isOff ? tr("Previews are off for this job")
                               : tr("No previews of steps: they are made while a job denoises"));
    const bool hasFrames = !preview_.frames().isEmpty();
    time_->setEnabled(hasFrames);
    time_->setToolTip(hasFrames ? tr("Go to a frame (Left and Right: one frame)")
                                : tr("There is no clip yet"));
}

} // namespace reelmesh
