#include "sampling_fields.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "draft_fields.h"
#include "models/request_draft.h"
#include "theme/metrics.h"
#include "widgets/fold_header.h"
#include "widgets/form_rows.h"
#include "widgets/legal_hint.h"
#include "widgets/number_field.h"
#include "widgets/plain_number.h"
#include "widgets/rule_line.h"

namespace reelmesh {
namespace {

constexpr int kSmallestChoice = 72;
constexpr int kStepChips[] = {4, 8, 20, 30, 40, 50};

void restyle(QWidget& widget, bool illegal) {
    if (widget.property("illegal").toBool() == illegal) return;
    widget.setProperty("illegal", illegal);
    widget.update();
}

} // namespace

SamplingFields::SamplingFields(RequestDraft& draft, QWidget* parent)
    : QWidget(parent), draft_(draft), rows_(new FormRows), steps_(new NumberField), cfg_(new NumberField),
      cfgHigh_(new NumberField), cfgLow_(new NumberField), shift_(new NumberField), count_(new NumberField),
      boundary_(new NumberField), shiftAuto_(new QToolButton), seed_(new QLineEdit),
      boundaryRemark_(new QLabel) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGroupGap - 1);
    column->addLayout(rows_);
    makeSteps();
    makeGuidance();
    sampler_ = makeChoice("paramSampler", "sampler", tr("Sampler"),
                          {{"UniPC", "unipc"}, {"DPM++ 2M", "dpmpp_2m"}, {"Euler", "euler"}});
    rows_->addRow(tr("Sampler"), sampler_);
    makeSeed();
    column->addWidget(new RuleLine);
    makeAdvanced();
    connect(&draft_, &RequestDraft::changed, this, &SamplingFields::showDraft);
    connect(&draft_, &RequestDraft::rulesChanged, this, &SamplingFields::showExperts);
    showExperts();
    showDraft();
}

void SamplingFields::makeSteps() {
    nameField(*steps_, "paramSteps", tr("Steps"), helpOf("steps"));
    rows_->addRow(tr("Steps"), steps_);
    bindNumber(draft_, *steps_, "steps");
    auto* chips = new QHBoxLayout;
    chips->setSpacing(metrics::kGap);
    for (const int steps : kStepChips) {
        auto* chip = new QToolButton;
        nameField(*chip, "", tr("%1 steps").arg(steps), tr("Take %1 steps.").arg(steps));
        chip->setObjectName(QString("paramSteps%1").arg(steps));
        chip->setText(QString::number(steps));
        chip->setFont(metrics::textFont(metrics::kSmallText));
        chip->setCheckable(true);
        chip->setFixedHeight(metrics::kSmallControl);
        chip->setMinimumWidth(22);
        chip->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        chip->setStyleSheet(QStringLiteral("padding: 0"));
        chip->setFocusPolicy(Qt::StrongFocus);
        connect(chip, &QToolButton::clicked, this, [this, steps] {
            draft_.setField("steps", QString::number(steps));
            showDraft();
        });
        chips->addWidget(chip);
        chips_ << chip;
    }
    rows_->addField(chips);
    rows_->addWide(new LegalHint(*steps_));
}

void SamplingFields::makeGuidance() {
    const std::tuple<NumberField*, const char*, const char*, QString> fields[] = {
        {cfg_, "paramCfg", "guidance", tr("CFG scale")},
        {cfgHigh_, "paramCfgHigh", "guidance", tr("CFG scale, high noise")},
        {cfgLow_, "paramCfgLow", "guidance2", tr("CFG scale, low noise")},
        {shift_, "paramShift", "shift", tr("Shift")}};
    for (const auto& [field, name, key, label] : fields) {
        nameField(*field, name, label, helpOf(key));
        field->setDecimals(1);
        bindNumber(draft_, *field, key);
    }
    auto* cfgHint = new LegalHint(*cfg_);
    oneExpert_ = {rows_->addRow(tr("CFG scale"), cfg_), cfg_};
    rows_->addWide(cfgHint);
    twoExperts_ = {rows_->addRow(tr("CFG high, low"), cfgHigh_, {cfgLow_}), cfgHigh_, cfgLow_};
    static_cast<QHBoxLayout*>(rows_->itemAtPosition(rows_->rowCount() - 1, 1)->layout())
        ->setStretchFactor(cfgLow_, 1);
    rows_->addWide(new LegalHint(*cfgHigh_));
    rows_->addWide(new LegalHint(*cfgLow_));

    nameField(*shiftAuto_, "paramShiftAuto", tr("Shift: automatic"),
              tr("Let model and size decide the shift; touching the number ends it."));
    shiftAuto_->setText(tr("Auto"));
    shiftAuto_->setCheckable(true);
    shiftAuto_->setFixedHeight(metrics::kControl);
    shiftAuto_->setFocusPolicy(Qt::StrongFocus);
    rows_->addRow(tr("Shift"), shift_, {shiftAuto_});
    rows_->addWide(new LegalHint(*shift_));
    connect(shiftAuto_, &QToolButton::clicked, this, [this](bool automatic) {
        if (automatic)
            draft_.resetField("shift");
        else if (draft_.complete().shift)
            draft_.setField("shift", QString::number(*draft_.complete().shift, 'g', 15));
        showDraft();
    });
}

void SamplingFields::makeSeed() {
    nameField(*seed_, "paramSeed", tr("Seed"), helpOf("seed"));
    seed_->setFixedHeight(metrics::kControl);
    seed_->setFont(metrics::numberFont(metrics::kBaseText));
    seed_->setMaxLength(64);
    seed_->setLayoutDirection(Qt::LeftToRight);
    dice_ = iconButton("paramDice", "dice", tr("Roll a seed"), tr("Draw a seed now and keep it (Fixed)."));
    reuse_ = iconButton("paramSeedReuse", "seed-reuse", tr("Use the last seed again"), QString());
    rows_->addRow(tr("Seed"), seed_, {dice_, reuse_});
    connect(seed_, &QLineEdit::textEdited, this, [this](const QString& text) {
        const QString plain = plainNumber(text);
        if (plain.isEmpty())
            draft_.setSeedMode(RequestDraft::SeedMode::Random);
        else
            draft_.setField("seed", plain);
    });
    connect(dice_, &QToolButton::clicked, this,
            [this] { draft_.setSeed(QRandomGenerator::global()->generate() & 0x7fffffffU); });
    connect(reuse_, &QToolButton::clicked, this, [this] {
        if (draft_.lastSeed()) draft_.setSeed(*draft_.lastSeed());
    });

    seedMode_ = new QComboBox;
    nameField(*seedMode_, "paramSeedMode", tr("Seed mode"),
              tr("Random draws a seed for each job; Increment counts up from job to job."));
    seedMode_->setFixedHeight(metrics::kControl);
    seedMode_->addItem(tr("Random"), static_cast<int>(RequestDraft::SeedMode::Random));
    seedMode_->addItem(tr("Fixed"), static_cast<int>(RequestDraft::SeedMode::Fixed));
    seedMode_->addItem(tr("Increment"), static_cast<int>(RequestDraft::SeedMode::Increment));
    seedMode_->setMinimumWidth(kSmallestChoice);
    connect(seedMode_, &QComboBox::activated, this, [this](int index) {
        draft_.setSeedMode(static_cast<RequestDraft::SeedMode>(seedMode_->itemData(index).toInt()));
    });
    nameField(*count_, "paramCount", tr("Count"), tr("How many jobs Generate makes of each prompt."));
    count_->setRule({1, RequestDraft::kMostJobs, 1, 1});
    count_->setMinimumWidth(46);
    auto* label = new QLabel(tr("Count"));
    label->setProperty("tone", "second");
    label->setBuddy(count_);
    auto* row = new QHBoxLayout;
    row->setSpacing(metrics::kGap);
    row->addWidget(seedMode_, 3);
    row->addWidget(label);
    row->addWidget(count_, 2);
    rows_->addField(row);
    rows_->addWide(new LegalHint(*count_));
    connect(count_, &NumberField::edited, this, [this](const QString& plain) {
        bool ok = false;
        const double count = plain.toDouble(&ok);
        if (ok && count_->rule().holds(count)) draft_.setCount(static_cast<int>(count));
    });
}

QComboBox* SamplingFields::makeChoice(const char* objectName, const char* key, const QString& label,
                                      const QList<std::pair<QString, QString>>& items) {
    auto* box = new QComboBox;
    nameField(*box, objectName, label, helpOf(key));
    box->setFixedHeight(metrics::kControl);
    box->setMinimumContentsLength(6);
    for (const auto& [text, value] : items)
        box->addItem(text, value);
    connect(box, &QComboBox::activated, this,
            [this, box, key](int index) { draft_.setField(key, box->itemData(index).toString()); });
    return box;
}

void SamplingFields::makeAdvanced() {
    auto* folded = new QWidget;
    advancedRows_ = new FormRows(folded);
    precision_ = makeChoice("paramPrecision", "dtype", tr("Precision"),
                            {{tr("Auto"), "auto"}, {"fp32", "fp32"}, {"bf16", "bf16"}, {"fp16", "fp16"}});
    preview_ =
        makeChoice("paramPreview", "preview", tr("Preview"), {{tr("Off"), "off"}, {tr("Fast"), "fast"}});
    nameField(*boundary_, "paramBoundary", tr("Expert boundary"), helpOf("boundary"));
    boundary_->setDecimals(3);
    bindNumber(draft_, *boundary_, "boundary");
    boundaryRemark_->setProperty("tone", "muted");
    boundaryRemark_->setFont(metrics::textFont(metrics::kSmallText));
    advancedRows_->addRow(tr("Precision"), precision_);
    advancedRows_->addRow(tr("Preview"), preview_);
    twoExperts_ << advancedRows_->addRow(tr("Expert boundary"), boundary_) << boundary_ << boundaryRemark_;
    advancedRows_->addField(boundaryRemark_);
    advancedRows_->addWide(new LegalHint(*boundary_));
    fold_ = new FoldHeader(tr("Advanced"), *folded);
    fold_->setObjectName("paramAdvanced");
    fold_->setToolTip(tr("Precision, preview, and what only some models have."));
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(fold_);
    column->addWidget(folded);
}

void SamplingFields::showExperts() {
    const bool two = draft_.rules() && draft_.rules()->two_experts;
    for (QWidget* widget : oneExpert_)
        widget->setVisible(!two);
    for (QWidget* widget : twoExperts_)
        widget->setVisible(two);
}

void SamplingFields::showDraft() {
    const JobRequest& now = draft_.complete();
    for (qsizetype i = 0; i < chips_.size(); ++i)
        chips_[i]->setChecked(now.steps == kStepChips[i]);
    shiftAuto_->setChecked(!draft_.isSet("shift") && draft_.isReadable("shift"));
    sampler_->setCurrentIndex(sampler_->findData(QString::fromStdString(now.sampler.value_or(""))));
    precision_->setCurrentIndex(precision_->findData(QString::fromStdString(now.dtype)));
    preview_->setCurrentIndex(preview_->findData(QString::fromStdString(now.preview)));
    seedMode_->setCurrentIndex(seedMode_->findData(static_cast<int>(draft_.seedMode())));
    count_->setValue(draft_.count());

    if (draft_.isReadable("seed")) {
        const QString seed = now.seed ? QString::number(*now.seed) : QString();
        if (plainNumber(seed_->text()) != seed) seed_->setText(seed);
    }
    seed_->setPlaceholderText(tr("drawn when queued"));
    restyle(*seed_, draft_.fault("seed") != nullptr);
    seed_->setToolTip(draft_.fault("seed") ? QString::fromStdString(error_message(*draft_.fault("seed")))
                                           : helpOf("seed"));
    reuse_->setEnabled(draft_.lastSeed().has_value());
    reuse_->setToolTip(draft_.lastSeed() ? tr("Use seed %1 of the last job again.").arg(*draft_.lastSeed())
                                         : tr("No job has run yet whose seed could be used again."));
    showBoundary();
}

/// As the schedule spends its steps: sigma = shift * t / (1 + (shift - 1) * t) for t from 1 down to 0.
void SamplingFields::showBoundary() {
    const JobRequest& now = draft_.complete();
    if (!now.boundary || !now.steps || !now.shift || *now.steps < 1) return boundaryRemark_->clear();
    const double b = *now.boundary, shift = *now.shift;
    const double t = b / (shift - (shift - 1) * b);
    const auto steps = static_cast<double>(*now.steps);
    const auto before = static_cast<qint64>(std::clamp(std::floor((1 - t) * steps) + 1, 0.0, steps));
    boundaryRemark_->setText(tr("switch after step ≈ %1 of %2").arg(before).arg(*now.steps));
}

QWidget* SamplingFields::fieldOf(const QString& key) const {
    const bool two = draft_.rules() && draft_.rules()->two_experts;
    if (key == "steps") return steps_;
    if (key == "guidance") return two ? cfgHigh_ : cfg_;
    if (key == "guidance2") return cfgLow_;
    if (key == "shift") return shift_;
    if (key == "sampler") return sampler_;
    if (key == "seed") return seed_;
    if (key == "dtype") return precision_;
    if (key == "preview") return preview_;
    if (key == "boundary") return boundary_;
    return nullptr;
}

void SamplingFields::openAdvanced() {
    fold_->setChecked(true);
}

} // namespace reelmesh
