#include "settings_panel.h"

#include <QComboBox>
#include <QDir>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "models/settings.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

constexpr int kWidth = 460;
constexpr int kFolderRows = 4;

QPushButton* makeButton(const QString& name, const QString& text, const QString& toolTip) {
    auto* button = new QPushButton(text);
    button->setObjectName(name);
    button->setToolTip(toolTip);
    return button;
}

} // namespace

SettingsPanel::SettingsPanel(Settings& settings, QWidget* parent)
    : QWidget(parent, Qt::Window), settings_(settings), form_(new QFormLayout(this)) {
    setObjectName("settings");
    setWindowTitle(tr("Settings"));
    setFixedWidth(kWidth);
    form_->setContentsMargins(2 * metrics::kPadding, 2 * metrics::kPadding, 2 * metrics::kPadding,
                              2 * metrics::kPadding);
    form_->setVerticalSpacing(metrics::kPadding);
    form_->setHorizontalSpacing(2 * metrics::kPadding);
    form_->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);

    theme_ = makeChoice("settingsTheme", {tr("Dark"), tr("Light"), tr("As the system")});
    addRow(tr("Colours"), theme_);
    scale_ = new QSpinBox;
    scale_->setObjectName("settingsScale");
    scale_->setRange(Settings::kLeastScale, Settings::kMostScale);
    scale_->setSingleStep(10);
    scale_->setSuffix(tr(" %"));
    scale_->setToolTip(tr("Size of all texts and controls"));
    scale_->setFixedHeight(metrics::kControl);
    addRow(tr("Interface size"), scale_);
    scaleNote_ = new QLabel(tr("Holds from the next start on."));
    scaleNote_->setProperty("tone", "muted");
    form_->addRow(QString(), scaleNote_);
    addRow(tr("Output folder"), makeFolderRow());
    addRow(tr("Model folders"), makeModelFolders());
    afterFailure_ =
        makeChoice("settingsAfterFailure", {tr("Go on with the next job"), tr("Pause the queue")});
    addRow(tr("After a failure"), afterFailure_);

    connect(theme_, &QComboBox::activated, &settings_,
            [this](int index) { settings_.setTheme(static_cast<Settings::ThemeChoice>(index)); });
    connect(afterFailure_, &QComboBox::activated, &settings_,
            [this](int index) { settings_.setAfterFailure(static_cast<Settings::AfterFailure>(index)); });
    connect(scale_, &QSpinBox::valueChanged, &settings_, &Settings::setScalePercent);
    connect(&settings_, &Settings::changed, this, &SettingsPanel::showSettings);
    showSettings();
}

void SettingsPanel::addRow(const QString& label, QWidget* field) {
    auto* name = new QLabel(label);
    name->setBuddy(field);
    name->setProperty("tone", "second");
    if (field->accessibleName().isEmpty()) field->setAccessibleName(label);
    form_->addRow(name, field);
}

QComboBox* SettingsPanel::makeChoice(const QString& name, const QStringList& texts) {
    auto* choice = new QComboBox;
    choice->setObjectName(name);
    choice->addItems(texts);
    choice->setFixedHeight(metrics::kControl);
    return choice;
}

QWidget* SettingsPanel::makeFolderRow() {
    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    outputFolder_ = new QLabel;
    outputFolder_->setObjectName("settingsOutputFolder");
    outputFolder_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    QPushButton* choose =
        makeButton("settingsChooseOutput", tr("Choose…"), tr("Where finished videos are saved"));
    connect(choose, &QPushButton::clicked, this, &SettingsPanel::outputFolderAsked);
    row->addWidget(outputFolder_, 1);
    row->addWidget(choose);
    return line;
}

QWidget* SettingsPanel::makeModelFolders() {
    auto* block = new QWidget;
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kGap);
    modelFolders_ = new QListWidget;
    modelFolders_->setObjectName("settingsModelFolders");
    modelFolders_->setAccessibleName(tr("Model folders"));
    modelFolders_->setFixedHeight(kFolderRows * metrics::kTableRow + 2 * metrics::kGap);
    modelFolders_->setTextElideMode(Qt::ElideMiddle);
    auto* row = new QHBoxLayout;
    QPushButton* add = makeButton("settingsAddModel", tr("Add…"), tr("Use a model that is on this machine"));
    QPushButton* remove =
        makeButton("settingsRemoveModel", tr("Remove"), tr("Forget the chosen folder; nothing is deleted"));
    connect(add, &QPushButton::clicked, this, &SettingsPanel::modelFolderAsked);
    connect(remove, &QPushButton::clicked, this, [this] {
        if (const QListWidgetItem* item = modelFolders_->currentItem())
            settings_.removeModelFolder(item->text());
    });
    const auto follow = [this, remove] { remove->setEnabled(modelFolders_->currentItem() != nullptr); };
    connect(modelFolders_, &QListWidget::currentRowChanged, remove, follow);
    follow();
    row->addWidget(add);
    row->addWidget(remove);
    row->addStretch();
    column->addWidget(modelFolders_);
    column->addLayout(row);
    return block;
}

void SettingsPanel::showSettings() {
    theme_->setCurrentIndex(static_cast<int>(settings_.theme()));
    afterFailure_->setCurrentIndex(static_cast<int>(settings_.afterFailure()));
    if (scale_->value() != settings_.scalePercent()) scale_->setValue(settings_.scalePercent());
    const QString folder = QDir::toNativeSeparators(settings_.outputFolder());
    outputFolder_->setText(folder);
    outputFolder_->setToolTip(folder);
    QStringList shown;
    for (int i = 0; i < modelFolders_->count(); ++i)
        shown << modelFolders_->item(i)->text();
    if (shown == settings_.modelFolders()) return;
    modelFolders_->clear();
    modelFolders_->addItems(settings_.modelFolders());
}

} // namespace reelmesh
