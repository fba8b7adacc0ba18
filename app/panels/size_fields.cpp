#include "size_fields.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QStandardItemModel>

#include <algorithm>
#include <cmath>

#include "draft_fields.h"
#include "models/request_draft.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/form_rows.h"
#include "widgets/legal_hint.h"
#include "widgets/number_field.h"

namespace reelmesh {

SizeFields::SizeFields(RequestDraft& draft, QWidget* parent)
    : QWidget(parent), draft_(draft), rows_(new FormRows(this)), size_(new QComboBox),
      width_(new NumberField), height_(new NumberField), frames_(new NumberField), seconds_(new NumberField),
      fps_(new NumberField) {
    makeSizeRows();
    makeClipRows();
    connect(&draft_, &RequestDraft::rulesChanged, this, &SizeFields::followRules);
    connect(&draft_, &RequestDraft::changed, this, &SizeFields::showDraft);
    followRules();
}

void SizeFields::makeSizeRows() {
    nameField(*size_, "paramSize", tr("Size"), tr("Sizes that the model was trained for (width, height)."));
    size_->setFixedHeight(metrics::kControl);
    size_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    size_->setMinimumContentsLength(8);
    rows_->addRow(tr("Size"), size_);
    connect(size_, &QComboBox::activated, this, [this](int index) {
        const QSize size = size_->itemData(index).toSize();
        if (size.isEmpty()) return;
        ratio_ = static_cast<double>(size.width()) / size.height();
        draft_.setSize(size.width(), size.height());
    });

    nameField(*width_, "paramWidth", tr("Width, px"), helpOf("width"));
    nameField(*height_, "paramHeight", tr("Height, px"), helpOf("height"));
    swap_ = iconButton("paramSwap", "swap", tr("Swap width and height"), tr("Swap width and height."));
    lock_ = iconButton("paramLock", "unlock", tr("Lock the ratio"),
                       tr("Keep the ratio of width to height while one of them changes."));
    lock_->setCheckable(true);
    rows_->addRow(tr("Width, height"), width_, {swap_, height_, lock_});
    auto* fields = static_cast<QHBoxLayout*>(rows_->itemAtPosition(rows_->rowCount() - 1, 1)->layout());
    fields->setStretchFactor(height_, 1);
    rows_->addWide(new LegalHint(*width_));
    rows_->addWide(new LegalHint(*height_));
    connect(swap_, &QToolButton::clicked, this, &SizeFields::swapSides);
    connect(lock_, &QToolButton::toggled, this, [this](bool locked) {
        lock_->setIcon(icon(locked ? "lock" : "unlock", locked ? IconTint::Accent : IconTint::Text));
        const auto& now = draft_.complete();
        if (now.width && now.height && *now.height > 0)
            ratio_ = static_cast<double>(*now.width) / static_cast<double>(*now.height);
    });
    bindNumber(draft_, *width_, "width");
    bindNumber(draft_, *height_, "height");
    for (NumberField* side : {width_, height_}) {
        const char* key = side == width_ ? "width" : "height";
        side->setMinimumWidth(46);
        connect(side, &NumberField::edited, this,
                [this, key](const QString& plain) { editSide(key, plain); });
        connect(side, &NumberField::sizePasted, this,
                [this](std::int64_t width, std::int64_t height) { draft_.setSize(width, height); });
    }
}

void SizeFields::makeClipRows() {
    nameField(*frames_, "paramFrames", tr("Frames"), helpOf("frames"));
    nameField(*seconds_, "paramSeconds", tr("Duration, s"),
              tr("Length of the clip: frames by playback rate (frames)."));
    nameField(*fps_, "paramFps", tr("Playback rate, frames a second"),
              tr("Playback only: the frames stay the same (fps)."));
    seconds_->setUnit(tr("s"));
    seconds_->setDecimals(2);
    fps_->setFractions(true);
    fps_->setRule(*number_rule("fps", FamilyRules{}));
    frames_->setMinimumWidth(60);
    seconds_->setMinimumWidth(72);
    auto* equals = new QLabel(QStringLiteral("="));
    equals->setProperty("tone", "muted");
    rows_->addRow(tr("Frames"), frames_, {equals, seconds_});
    auto* fields = static_cast<QHBoxLayout*>(rows_->itemAtPosition(rows_->rowCount() - 1, 1)->layout());
    fields->setStretchFactor(seconds_, 1);
    rows_->addWide(new LegalHint(*frames_));
    rows_->addWide(new LegalHint(*seconds_));
    rows_->addRow(tr("Playback fps"), fps_);
    rows_->addWide(new LegalHint(*fps_));
    bindNumber(draft_, *frames_, "frames");
    connect(seconds_, &NumberField::edited, this, [this](const QString& plain) {
        bool ok = false;
        const double seconds = plain.toDouble(&ok);
        const auto& rate = draft_.complete().fps;
        draft_.setField("frames",
                        ok && rate ? QString::number(std::llround(seconds * rate->value())) : plain);
    });
    connect(fps_, &NumberField::edited, this,
            [this](const QString& plain) { draft_.setField("fps", plain); });
}

void SizeFields::followRules() {
    const FamilyRules* rules = draft_.rules();
    size_->clear();
    if (rules) {
        QString group;
        for (const TrainedSize& size : rules->sizes) {
            const QString name = QString::fromStdString(size.group);
            const QString sides = tr("%1×%2").arg(size.width).arg(size.height);
            size_->addItem(tr("%1 · %2").arg(name, sides),
                           QSize(static_cast<int>(size.width), static_cast<int>(size.height)));
        }
        const QString multiple = tr("sides are multiples of %1").arg(rules->side_multiple);
        width_->setGridWords(multiple);
        height_->setGridWords(multiple);
        const QString count =
            rules->frame_stride == 1 ? QString() : tr("frames are %1n+1").arg(rules->frame_stride);
        frames_->setGridWords(count);
        seconds_->setGridWords(count);
    }
    showDraft();
}

void SizeFields::showDraft() {
    const JobRequest& now = draft_.complete();
    if (now.width && now.height) {
        const QSize size(static_cast<int>(*now.width), static_cast<int>(*now.height));
        const int index = size_->findData(size);
        size_->setCurrentIndex(index);
        if (index < 0)
            size_->setPlaceholderText(tr("%1×%2, untrained size").arg(*now.width).arg(*now.height));
    } else {
        size_->setCurrentIndex(-1);
        size_->setPlaceholderText(QStringLiteral("–"));
    }
    if (draft_.isReadable("fps")) {
        if (now.fps)
            fps_->setValue(now.fps->value(), QString::number(now.fps->value(), 'g', 5));
        else
            fps_->clearValue();
    }
    // The fault is told where it was made, not twice.
    if (!now.frames || !now.fps || (draft_.fault("frames") && !seconds_->hasFocus()))
        return seconds_->clearValue();
    if (!draft_.isReadable("frames")) return;
    const double rate = now.fps->value();
    if (const auto frames = draft_.rule("frames"))
        seconds_->setRule(
            {frames->minimum / rate, frames->maximum / rate, frames->step / rate, frames->grid / rate});
    seconds_->setValue(static_cast<double>(*now.frames) / rate);
}

void SizeFields::editSide(const char* key, const QString& plain) {
    if (!lock_->isChecked() || ratio_ <= 0) return;
    const auto rule = draft_.rule(key);
    bool ok = false;
    const double value = plain.toDouble(&ok);
    if (!rule || !ok || !rule->holds(value)) return;
    const bool isWidth = key == QLatin1String("width");
    const double wish = isWidth ? value / ratio_ : value * ratio_;
    const std::vector<double> legal = rule->nearest(wish);
    const double other = *std::min_element(legal.begin(), legal.end(), [wish](double one, double two) {
        return std::abs(one - wish) < std::abs(two - wish);
    });
    draft_.setField(isWidth ? "height" : "width", QString::number(static_cast<qint64>(other)));
}

void SizeFields::swapSides() {
    const JobRequest& now = draft_.complete();
    if (!now.width || !now.height) return;
    ratio_ = 1 / ratio_;
    draft_.setSize(*now.height, *now.width);
}

QWidget* SizeFields::fieldOf(const QString& key) const {
    return key == "width"    ? width_
           : key == "height" ? height_
           : key == "frames" ? frames_
           : key == "fps"    ? fps_
                             : nullptr;
}

} // namespace reelmesh
