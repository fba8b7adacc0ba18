#include "parameters_panel.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "draft_fields.h"
#include "models/model_list.h"
#include "models/outcome.h"
#include "models/plan_model.h"
#include "models/preset_list.h"
#include "models/request_draft.h"
#include "sampling_fields.h"
#include "size_fields.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/form_rows.h"
#include "widgets/notice_bar.h"
#include "widgets/outcome_view.h"
#include "widgets/rule_line.h"

namespace reelmesh {
namespace {

constexpr int kAddFolder = -2;

} // namespace

ParametersPanel::ParametersPanel(const Models& models, QWidget* parent)
    : QWidget(parent), models_(models), model_(new QComboBox), preset_(new QComboBox),
      size_(new SizeFields(models.draft)), sampling_(new SamplingFields(models.draft)),
      outcome_(new OutcomeView), note_(new NoticeBar) {
    setObjectName("parametersPanel");
    outcome_->setObjectName("paramOutcome");
    note_->setObjectName("paramNote");
    note_->hide();
    makeTitleActions();

    auto* form = new QWidget;
    auto* column = new QVBoxLayout(form);
    column->setContentsMargins(metrics::kPadding, metrics::kPadding, metrics::kPadding, metrics::kPadding);
    column->setSpacing(metrics::kGroupGap - 1);
    auto* rows = new FormRows;
    makeModelRows(*rows);
    column->addLayout(rows);
    column->addWidget(new RuleLine);
    column->addWidget(size_);
    column->addWidget(new RuleLine);
    column->addWidget(sampling_);
    column->addStretch();
    FormRows* const all[] = {rows, &size_->rows(), &sampling_->rows(), &sampling_->advancedRows()};
    int width = 0;
    for (const FormRows* some : all)
        width = std::max(width, some->labelWidth());
    for (FormRows* some : all)
        some->setLabelWidth(width);

    auto* scroll = new QScrollArea;
    scroll->setObjectName("paramScroll");
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(form);
    // The bar stands in the padding, so that fields keep their width.
    connect(scroll->verticalScrollBar(), &QScrollBar::rangeChanged, column, [column](int, int most) {
        column->setContentsMargins(metrics::kPadding, metrics::kPadding, most > 0 ? 0 : metrics::kPadding,
                                   metrics::kPadding);
    });
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addWidget(note_);
    whole->addWidget(scroll, 1);
    whole->addWidget(outcome_);

    connect(&models_.models, &ModelList::changed, this, &ParametersPanel::showModels);
    connect(&models_.presets, &PresetList::changed, this, &ParametersPanel::showPresets);
    connect(&models_.draft, &RequestDraft::changed, this, [this] {
        showModels();
        showPresets();
        showOutcome();
    });
    connect(&models_.plan, &PlanModel::changed, this, &ParametersPanel::showOutcome);
    showModels();
    showPresets();
    showOutcome();
    for (const QString& problem : models_.presets.problems())
        say(problem);
}

void ParametersPanel::makeTitleActions() {
    resetAction_ = new QAction(icon("reset", IconTint::Muted), tr("Back to the preset"), this);
    resetAction_->setObjectName("actParamReset");
    connect(resetAction_, &QAction::triggered, this,
            [this] { (void)models_.presets.choose(models_.presets.current()); });
    menuAction_ = new QAction(icon("more", IconTint::Muted), tr("Presets"), this);
    menuAction_->setObjectName("actPresetMenu");
    menuAction_->setToolTip(tr("Save, import or export the parameters."));
    auto* menu = new QMenu(this);
    menu->addAction(tr("Save as preset"), this, &ParametersPanel::savePreset)->setObjectName("actPresetSave");
    menu->addAction(tr("Import preset…"), this, &ParametersPanel::importPreset)
        ->setObjectName("actPresetImport");
    menu->addAction(tr("Export preset…"), this, &ParametersPanel::exportPreset)
        ->setObjectName("actPresetExport");
    menuAction_->setMenu(menu);
}

void ParametersPanel::makeModelRows(FormRows& rows) {
    nameField(*model_, "paramModel", tr("Model"), helpOf("model"));
    nameField(*preset_, "paramPreset", tr("Preset"),
              tr("Settings under a name; choosing one fills the fields that it holds."));
    for (QComboBox* box : {model_, preset_}) {
        box->setFixedHeight(metrics::kControl);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
    }
    rows.addRow(tr("Model"), model_);
    rows.addRow(tr("Preset"), preset_);
    connect(model_, &QComboBox::activated, this, [this](int index) {
        const QVariant folder = model_->itemData(index);
        if (folder.toInt() == kAddFolder && folder.typeId() == QMetaType::Int) {
            showModels();
            Q_EMIT addModelAsked();
        } else {
            models_.draft.setModel(folder.toString());
        }
    });
    connect(preset_, &QComboBox::activated, this, [this](int index) {
        const auto chosen = models_.presets.choose(preset_->itemData(index).toString());
        if (!chosen) say(QString::fromStdString(error_message(chosen.error())));
    });

    // A name is asked for in place, not in a dialog.
    saveRow_ = new QWidget;
    auto* name = new QLineEdit;
    auto* save = new QToolButton;
    auto* cancel = iconButton("paramPresetCancel", "close", tr("Do not save"), tr("Do not save a preset."));
    nameField(*name, "paramPresetName", tr("Name of the preset"),
              tr("Name under which the preset is saved."));
    name->setPlaceholderText(tr("Name"));
    name->setFixedHeight(metrics::kControl);
    nameField(*save, "paramPresetSave", tr("Save the preset"), tr("Save the parameters under this name."));
    save->setText(tr("Save"));
    save->setFixedHeight(metrics::kControl);
    save->setFocusPolicy(Qt::StrongFocus);
    auto* fields = new QHBoxLayout(saveRow_);
    fields->setContentsMargins(0, 0, 0, 0);
    fields->setSpacing(metrics::kGap);
    fields->addWidget(name, 1);
    fields->addWidget(save);
    fields->addWidget(cancel);
    saveRow_->hide();
    rows.addField(saveRow_);
    const auto store = [this, name] {
        const QString problem = models_.presets.save(name->text());
        if (!problem.isEmpty()) return say(problem);
        name->clear();
        saveRow_->hide();
    };
    connect(save, &QToolButton::clicked, this, store);
    connect(name, &QLineEdit::returnPressed, this, store);
    connect(cancel, &QToolButton::clicked, saveRow_, &QWidget::hide);
}

void ParametersPanel::savePreset() {
    saveRow_->show();
    auto* name = saveRow_->findChild<QLineEdit*>();
    if (name->text().isEmpty()) name->setText(models_.presets.current());
    name->selectAll();
    name->setFocus(Qt::OtherFocusReason);
}

void ParametersPanel::importPreset() {
    const QString file = QFileDialog::getOpenFileName(this, tr("Import a preset"), QString(),
                                                      tr("Presets and jobs (*.json *.reeljob)"));
    if (!file.isEmpty()) say(models_.presets.importFile(file));
}

void ParametersPanel::exportPreset() {
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Export the parameters"), models_.presets.current() + ".json", tr("Presets (*.json)"));
    if (!file.isEmpty()) say(models_.presets.exportFile(file));
}

void ParametersPanel::say(const QString& problem) {
    if (!problem.isEmpty()) note_->showNotice(NoticeBar::Kind::Warning, problem);
}

void ParametersPanel::showModels() {
    const QList<ModelList::Model>& all = models_.models.models();
    // Rebuilt only when it has changed: this runs on every key.
    QStringList texts;
    for (const ModelList::Model& model : all)
        texts << (model.state == ModelList::State::Unusable ? tr("%1 (not usable)").arg(model.name)
                                                            : model.name);
    texts << tr("Add model folder…");
    QStringList shown;
    for (int i = 0; i < model_->count(); ++i)
        shown << model_->itemText(i);
    if (texts != shown) {
        model_->clear();
        for (qsizetype i = 0; i < all.size(); ++i) {
            model_->addItem(texts[i], all[i].folder);
            const QString place = all[i].folder.isEmpty() ? tr("Comes with the program") : all[i].folder;
            model_->setItemData(static_cast<int>(i),
                                all[i].problem.isEmpty() ? place : place + '\n' + all[i].problem,
                                Qt::ToolTipRole);
        }
        model_->addItem(texts.last(), kAddFolder);
    }
    const QString folder = models_.draft.model();
    const int index = models_.models.indexOf(folder);
    if (index < 0) model_->setPlaceholderText(QFileInfo(folder).fileName());
    model_->setCurrentIndex(index);
    const auto& error = models_.draft.modelError();
    model_->setProperty("illegal", error.has_value());
    model_->setToolTip(error ? QString::fromStdString(error_message(*error))
                             : tr("%1 (model)").arg(folder.isEmpty() ? tr("The sample model.") : folder));
    model_->update();
    const QString problem = error ? QString::fromStdString(error_message(*error)) : QString();
    if (note_->property("model").toString() == problem) return;
    note_->setProperty("model", problem);
    if (problem.isEmpty()) return note_->dismiss();
    note_->showNotice(NoticeBar::Kind::Error, problem,
                      {{tr("Sample model"), [this] { models_.draft.setModel({}); }},
                       {tr("Add model folder"), [this] { Q_EMIT addModelAsked(); }}});
}

void ParametersPanel::showPresets() {
    const PresetList& presets = models_.presets;
    const bool modified = presets.isModified();
    QStringList texts;
    int current = -1;
    for (const PresetList::Preset& preset : presets.presets()) {
        const bool isCurrent = preset.name == presets.current();
        if (isCurrent) current = static_cast<int>(texts.size());
        texts << (isCurrent && modified ? tr("%1 (modified)").arg(preset.name) : preset.name);
    }
    QStringList shown;
    for (int i = 0; i < preset_->count(); ++i)
        shown << preset_->itemText(i);
    if (texts != shown) {
        preset_->clear();
        for (qsizetype i = 0; i < texts.size(); ++i)
            preset_->addItem(texts[i], presets.presets()[i].name);
    }
    preset_->setPlaceholderText(tr("None"));
    preset_->setCurrentIndex(current);
    resetAction_->setEnabled(modified);
    resetAction_->setToolTip(modified      ? tr("Take the fields of “%1” again.").arg(presets.current())
                             : current < 0 ? tr("No preset is chosen.")
                                           : tr("All fields are as the preset has them."));
}

void ParametersPanel::showOutcome() {
    const RequestDraft& draft = models_.draft;
    const PlanModel& plan = models_.plan;
    if (plan.isCurrent() && plan.error() && (draft.isLegal() || draft.firstFault() == "mesh")) {
        QList<OutcomeView::Fix> fixes;
        for (const PlanModel::Fix& fix : plan.fixes())
            fixes.append({fix.text, [this, fix] { models_.plan.apply(fix); }});
        return outcome_->showProblem(problemText(*plan.error()), fixes);
    }
    if (!draft.isLegal()) return outcome_->showProblem(problemText(draft.faults().front()), {});
    // Numbers of an older plan would lie; the clip's own line is known at once.
    const Plan* chosen = plan.isCurrent() ? plan.chosen() : nullptr;
    const JobRequest& complete = draft.complete();
    if (!chosen) {
        if (outcome_->isProblem() || outcome_->text().isEmpty())
            outcome_->showLines({clipLine(complete, 0)}, OutcomeView::Freshness::Stale);
        return;
    }
    outcome_->showLines({clipLine(complete, plan.plans().tokens), runLine(*chosen, plan.plans().basis),
                         roomLine(*chosen, plan.hardware(), complete)},
                        OutcomeView::Freshness::Current);
}

bool ParametersPanel::focusFault() {
    const QString key = models_.draft.firstFault();
    QWidget* field = key == "model" ? model_ : size_->fieldOf(key);
    if (!field) field = sampling_->fieldOf(key);
    if (key == "dtype" || key == "preview" || key == "boundary") sampling_->openAdvanced();
    if (!field && (key.isEmpty() || key == "mesh") && models_.plan.error())
        field = findChild<QToolButton*>("outcomeFix1");
    if (!field || field->isHidden()) return false;
    if (auto* scroll = findChild<QScrollArea*>("paramScroll"); scroll->isAncestorOf(field))
        scroll->ensureWidgetVisible(field);
    field->setFocus(Qt::OtherFocusReason);
    return true;
}

} // namespace reelmesh
