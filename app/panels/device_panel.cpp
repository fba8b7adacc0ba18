#include "device_panel.h"

#include <QEvent>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>

#include "models/device_load_model.h"
#include "models/view_focus.h"
#include "panels/load_card_content.h"
#include "theme/metrics.h"
#include "widgets/empty_state.h"
#include "widgets/reason_strip.h"

namespace reelmesh {
namespace {

/// A card of three columns of cells.
constexpr int kColumn = 330;
/// So few are cards even if one must scroll.
constexpr std::size_t kAlwaysCards = 2;

} // namespace

DevicePanel::DevicePanel(DeviceLoadModel& model, ViewFocus& focus, QWidget* parent)
    : QWidget(parent), model_(model), focus_(focus), reason_(new ReasonStrip),
      empty_(new EmptyState({.icon = "device", .sentence = tr("Shows how busy devices and ranks are")})),
      scroll_(new QScrollArea), sheet_(new QWidget) {
    setObjectName("devices");
    setAccessibleName(tr("Device load"));
    reason_->setObjectName("deviceNoGpu");
    scroll_->setObjectName("deviceCards");
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->setWidget(sheet_);
    scroll_->viewport()->installEventFilter(this);
    scroll_->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(reason_);
    column->addWidget(empty_, 1);
    column->addWidget(scroll_, 1);
    connect(&model, &DeviceLoadModel::entriesChanged, this, &DevicePanel::makeCards);
    connect(&model, &DeviceLoadModel::changed, this, &DevicePanel::showFigures);
    connect(&focus, &ViewFocus::changed, this, &DevicePanel::showFigures);
    makeCards();
    showFigures();
}

QString DevicePanel::remark() const {
    QStringList parts{tr("60 s")};
    if (model_.samplesPerSecond() > 0) parts << tr("%1 Hz").arg(model_.samplesPerSecond());
    if (!model_.driver().isEmpty()) parts << tr("driver %1").arg(model_.driver());
    return parts.join(" · ");
}

void DevicePanel::makeCards() {
    while (cards_.size() > model_.entries().size()) {
        // A click on it may be what is being handled.
        cards_.back()->hide();
        cards_.back()->deleteLater();
        cards_.pop_back();
    }
    while (cards_.size() < model_.entries().size()) {
        auto* card = new LoadCard(sheet_);
        const std::size_t index = cards_.size();
        card->setObjectName(QString("deviceCard%1").arg(index));
        connect(card, &LoadCard::clicked, this, [this, index] {
            const int rank = model_.entries()[index].rank;
            focus_.setRank(focus_.rank() == rank ? ViewFocus::kNoRank : rank);
        });
        cards_.push_back(card);
    }
}

void DevicePanel::showFigures() {
    reason_->setReason(model_.noGpuReason());
    empty_->setVisible(!model_.hasSample());
    scroll_->setVisible(model_.hasSample());
    const std::vector<LoadEntry>& entries = model_.entries();
    for (std::size_t i = 0; i < cards_.size(); ++i)
        cards_[i]->setContent(loadCardContent(entries[i], model_, focus_.rank()));
    arrange();
    const QString remark = this->remark();
    if (remark == remark_) return;
    remark_ = remark;
    Q_EMIT remarkChanged(remark);
}

DevicePanel::Layout DevicePanel::layoutFor(LoadCard::Form form, int graph) const {
    const bool cards = form == LoadCard::Form::Card;
    const int pad = cards ? metrics::kPadding : 0, gap = cards ? metrics::kGroupGap : 0;
    const int room = scroll_->viewport()->width();
    const int count = static_cast<int>(cards_.size());
    const int columns = std::clamp((room - 2 * pad + gap) / (kColumn + gap), 1, std::max(1, count));
    const int width = (room - 2 * pad - (columns - 1) * gap) / columns;
    const std::vector<LoadEntry>& entries = model_.entries();
    const bool gpus = !entries.empty() && entries.front().kind == LoadEntry::Kind::Gpu;

    Layout layout{form, graph, {}, 0, 0};
    int top = pad;
    for (int first = 0; first < count; first += columns) {
        const int end = std::min(first + columns, count);
        int tallest = 0;
        for (int i = first; i < end; ++i)
            tallest = std::max(
                tallest,
                LoadCard::heightFor(form, width, int(cards_[std::size_t(i)]->content().cells.size()), graph));
        for (int i = first; i < end; ++i)
            layout.places.emplace_back(pad + (i - first) * (width + gap), top, width, tallest);
        if (!gpus || first < count - 1) layout.computing = top + tallest + pad;
        top += tallest + gap;
    }
    layout.height = top - gap + pad;
    return layout;
}

void DevicePanel::arrange() {
    const int room = scroll_->viewport()->height();
    Layout layout = layoutFor(LoadCard::Form::Card, LoadCard::kMostGraph);
    while (layout.computing > room && layout.graph > LoadCard::kLeastGraph)
        layout = layoutFor(LoadCard::Form::Card, layout.graph - 1);
    if (layout.computing > room)
        layout = cards_.size() > kAlwaysCards ? layoutFor(LoadCard::Form::Row, LoadCard::kMostGraph)
                                              : layoutFor(LoadCard::Form::Card, LoadCard::kMostGraph);
    for (std::size_t i = 0; i < cards_.size(); ++i) {
        cards_[i]->setForm(layout.form, layout.graph);
        cards_[i]->setGeometry(layout.places[i]);
        cards_[i]->show();
    }
    sheet_->resize(scroll_->viewport()->width(), layout.height);
}

bool DevicePanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) arrange();
    return QWidget::eventFilter(watched, event);
}

void DevicePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    Q_EMIT watchChanged(LoadWatch::Visible);
}

void DevicePanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    Q_EMIT watchChanged(LoadWatch::None);
}

} // namespace reelmesh
