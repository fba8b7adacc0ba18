#include "event_details.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "timeline/event_text.h"

namespace reelmesh {
namespace {

constexpr int kSwatch = 11;

} // namespace

EventDetails::EventDetails(QWidget* parent)
    : QWidget(parent), swatch_(new QLabel), title_(new QLabel), rows_(new QWidget) {
    setObjectName("timelinePinned");
    setAccessibleName(tr("Pinned event"));
    title_->setFont(metrics::textFont(metrics::kSmallText, QFont::DemiBold));
    auto* remark = new QLabel(tr("pinned"));
    remark->setFont(metrics::textFont(metrics::kSmallText));
    remark->setProperty("tone", "muted");
    auto* close = new QToolButton;
    close->setObjectName("timelineUnpin");
    close->setProperty("role", "flat");
    close->setIcon(icon("close", IconTint::Muted));
    close->setFixedSize(metrics::kControl, metrics::kSmallControl);
    close->setToolTip(tr("Ends the pin (Esc)."));
    close->setAccessibleName(tr("Unpin the event"));
    connect(close, &QToolButton::clicked, this, &EventDetails::closed);
    auto* head = new QHBoxLayout;
    head->setSpacing(metrics::kGap + 2);
    head->addWidget(swatch_);
    head->addWidget(title_);
    head->addWidget(remark);
    head->addStretch();
    head->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPadding, metrics::kGap, metrics::kGap, metrics::kGap);
    column->setSpacing(metrics::kGap);
    column->addLayout(head);
    column->addWidget(rows_);
    column->addStretch();
    auto* grid = new QGridLayout(rows_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(metrics::kPadding * 2);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
}

void EventDetails::setEvent(const TelemetryEvent& event, const TraceView& view) {
    title_->setText(eventTitle(event));
    text_ = eventText(event, view);
    setAccessibleDescription(text_);
    QPixmap swatch(QSize(kSwatch, kSwatch) * devicePixelRatioF());
    swatch.setDevicePixelRatio(devicePixelRatioF());
    swatch.fill(Qt::transparent);
    QPainter painter(&swatch);
    fillLane(painter, QRectF(0, 0, kSwatch, kSwatch), laneOf(event));
    painter.end();
    swatch_->setPixmap(swatch);

    auto* grid = static_cast<QGridLayout*>(rows_->layout());
    while (QLayoutItem* item = grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    int line = 0;
    for (const auto& [label, value] : eventRows(event, view)) {
        auto* name = new QLabel(label);
        auto* words = new QLabel(value);
        for (QLabel* each : {name, words})
            each->setFont(metrics::textFont(metrics::kSmallText));
        name->setProperty("tone", "muted");
        words->setTextInteractionFlags(Qt::TextSelectableByMouse);
        words->setWordWrap(true);
        words->setToolTip(value);
        grid->addWidget(name, line, 0, Qt::AlignTop);
        grid->addWidget(words, line++, 1, Qt::AlignTop);
    }
}

} // namespace reelmesh
