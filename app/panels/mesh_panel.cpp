#include "mesh_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "panels/mesh_degrees_row.h"
#include "panels/mesh_fault.h"
#include "panels/plan_table_view.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/empty_state.h"
#include "widgets/fault_frame.h"
#include "widgets/mesh_picture.h"
#include "widgets/notice_bar.h"
#include "widgets/segmented_control.h"

namespace reelmesh {
namespace {

constexpr int kToolRow = 32, kFoldRow = 26;
constexpr int kLeastRows = 3, kMostRows = 6;
/// Of the panel's height, what the table may take.
constexpr double kTableShare = 0.32;

QToolButton* makeIconButton(const QString& name, const QString& picture, const QString& accessible,
                            const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setIcon(icon(picture));
    button->setIconSize({metrics::kIcon, metrics::kIcon});
    button->setFixedSize(metrics::kControl, metrics::kControl - 2);
    button->setProperty("role", "flat");
    button->setAccessibleName(accessible);
    button->setToolTip(toolTip);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

QWidget* makeLine() {
    auto* line = new QFrame;
    line->setFixedHeight(1);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Mid);
    return line;
}

} // namespace

MeshPanel::MeshPanel(const Models& models, QWidget* parent)
    : QWidget(parent), models_(models), gpuNoticeBar_(new NoticeBar), parityNotice_(new NoticeBar),
      mode_(new SegmentedControl({tr("Auto"), tr("Manual")})), string_(new QLineEdit),
      degrees_(new MeshDegreesRow(models.choice)), fault_(new MeshFault(models.choice)), note_(new QLabel),
      pages_(new QStackedWidget), scroll_(new QScrollArea), picture_(new MeshPicture),
      table_(new PlanTableView(models.plans)) {
    setObjectName("dockMesh");
    setAccessibleName(tr("Mesh"));
    gpuNoticeBar_->setObjectName("meshGpuNotice");
    parityNotice_->setObjectName("meshParityNotice");
    note_->setObjectName("meshNote");
    note_->setWordWrap(true);
    note_->setProperty("tone", "second");
    note_->setFont(metrics::textFont(metrics::kSmallText));
    note_->setContentsMargins(metrics::kPadding, metrics::kGap, metrics::kPadding, metrics::kGap);

    scroll_->setWidget(picture_);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    scroll_->viewport()->setAutoFillBackground(false);
    scroll_->viewport()->installEventFilter(this);
    pages_->addWidget(
        new EmptyState({.icon = "mesh", .sentence = tr("Shows how the work is split over ranks")}));
    auto* frame = new QWidget;
    auto* margins = new QVBoxLayout(frame);
    margins->setContentsMargins(metrics::kPadding, metrics::kPadding, metrics::kPadding, metrics::kGap);
    margins->addWidget(scroll_);
    pages_->addWidget(frame);
    pages_->setMinimumHeight(96);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(gpuNoticeBar_);
    column->addWidget(makeTools());
    column->addWidget(makeLine());
    column->addWidget(makeCpuRow());
    column->addWidget(degrees_);
    column->addWidget(fault_);
    column->addWidget(note_);
    column->addWidget(parityNotice_);
    column->addWidget(pages_, 1);
    column->addWidget(makeLine());
    column->addWidget(makeFold());
    column->addWidget(table_);
    connectModels();
    showChoice();
    showScene();
    showFocus();
    showPlans();
}

QWidget* MeshPanel::makeTools() {
    mode_->setObjectName("meshMode");
    mode_->setAccessibleName(tr("How the mesh is chosen"));
    mode_->setToolTip(
        tr("Auto is the best mesh for this draft, chosen anew with each change; Manual is one of your "
           "own, axis by axis."));
    string_->setObjectName("meshString");
    string_->setAccessibleName(tr("Mesh as text"));
    string_->setToolTip(
        tr("The mesh as text, to copy or to type: auto, single, or axes such as cfg2,ulysses4 (mesh)."));
    string_->setFont(metrics::numberFont(metrics::kSmallText));
    string_->setFixedHeight(metrics::kControl);
    string_->setMinimumWidth(60);
    stringFault_ = new FaultFrame(*string_);
    auto* copy = makeIconButton("meshCopy", "copy", tr("Copy the mesh"), tr("Copies the mesh as text."));
    parityButton_ = makeIconButton("meshParity", "parity", tr("Check against one rank"), {});

    auto* tools = new QWidget;
    tools->setFixedHeight(kToolRow);
    auto* row = new QHBoxLayout(tools);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 0);
    row->setSpacing(metrics::kGap);
    row->addWidget(mode_);
    row->addWidget(string_, 1);
    row->addWidget(copy);
    row->addWidget(parityButton_);

    connect(mode_, &SegmentedControl::changed, this, [this](int index) {
        models_.choice.setMode(index == 0 ? MeshChoice::Mode::Auto : MeshChoice::Mode::Manual);
    });
    connect(string_, &QLineEdit::textEdited, this,
            [this](const QString& text) { models_.choice.setText(text); });
    connect(string_, &QLineEdit::returnPressed, this, [this] {
        // A second Enter takes what is nearest.
        const QStringList nearest = models_.choice.nearest();
        if (!nearest.isEmpty()) models_.choice.setText(nearest.front());
    });
    connect(copy, &QToolButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(models_.choice.text()); });
    connect(parityButton_, &QToolButton::clicked, this,
            [this] { models_.parity.start(models_.draft.request(), models_.choice.text()); });
    return tools;
}

QWidget* MeshPanel::makeCpuRow() {
    cpuRow_ = new QWidget;
    cpuRanks_ = new QSpinBox;
    cores_ = new QLabel;
    cpuRanks_->setObjectName("meshCpuRanks");
    cpuRanks_->setAccessibleName(tr("CPU ranks"));
    cpuRanks_->setToolTip(
        tr("Into how many ranks, each a group of threads, the processor is divided (ranks)."));
    cpuRanks_->setRange(1, MeshChoice::kMostCpuRanks);
    cpuRanks_->setFont(metrics::numberFont(metrics::kSmallText));
    cpuRanks_->setFixedHeight(metrics::kControl);
    cpuRanks_->setMinimumWidth(64);
    auto* label = new QLabel(tr("CPU ranks"));
    label->setProperty("tone", "second");
    label->setBuddy(cpuRanks_);
    label->setMinimumWidth(metrics::kLabelColumn);
    cores_->setProperty("tone", "muted");
    cores_->setFont(metrics::textFont(metrics::kSmallText));
    auto* row = new QHBoxLayout(cpuRow_);
    row->setContentsMargins(metrics::kPadding, metrics::kGap, metrics::kPadding, metrics::kGap);
    row->setSpacing(metrics::kGap);
    row->addWidget(label);
    row->addWidget(cpuRanks_, 1);
    row->addSpacing(metrics::kGap);
    row->addWidget(cores_);
    connect(cpuRanks_, &QSpinBox::valueChanged, this,
            [this](int ranks) { models_.choice.setCpuRanks(ranks); });
    return cpuRow_;
}

QWidget* MeshPanel::makeFold() {
    fold_ = new QToolButton;
    fold_->setObjectName("meshAlternatives");
    fold_->setProperty("role", "flat");
    fold_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    fold_->setText(tr("Alternatives"));
    fold_->setIcon(icon("chevron-down", IconTint::Muted));
    fold_->setIconSize({metrics::kIcon, metrics::kIcon});
    fold_->setFixedHeight(metrics::kSmallControl + 2);
    fold_->setToolTip(tr("Shows or hides the table of the other meshes."));
    fold_->setFocusPolicy(Qt::StrongFocus);
    count_ = new QLabel;
    count_->setObjectName("meshCount");
    count_->setProperty("tone", "muted");
    count_->setFont(metrics::numberFont(metrics::kSmallText));
    auto* head = new QWidget;
    head->setFixedHeight(kFoldRow);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(metrics::kGap, 0, metrics::kPadding, 0);
    row->addWidget(fold_);
    row->addStretch();
    row->addWidget(count_);
    connect(fold_, &QToolButton::clicked, this, [this] { setFolded(!table_->isHidden()); });
    return head;
}

void MeshPanel::connectModels() {
    connect(&models_.choice, &MeshChoice::changed, this, &MeshPanel::showChoice);
    connect(&models_.mesh, &MeshModel::changed, this, &MeshPanel::showScene);
    connect(&models_.plans, &QAbstractItemModel::modelReset, this, &MeshPanel::showPlans);
    connect(&models_.focus, &ViewFocus::changed, this, &MeshPanel::showFocus);
    connect(table_, &PlanTableView::planChosen, &models_.choice, &MeshChoice::setText);

    connect(picture_, &MeshPicture::rankClicked, this, [this](int rank) {
        // A second click lets go.
        models_.focus.setRank(models_.focus.rank() == rank ? ViewFocus::kNoRank : rank);
    });
    connect(picture_, &MeshPicture::linkClicked, this, [this](ExchangeGroup group, int firstRank) {
        const LinkFocus link{group, firstRank};
        if (models_.focus.link() == link)
            models_.focus.setRank(ViewFocus::kNoRank);
        else
            models_.focus.setLink(link);
    });
    connect(picture_, &MeshPicture::cleared, this, [this] { models_.focus.setRank(ViewFocus::kNoRank); });

    connect(&models_.parity, &ParityCheck::started, this, [this](const QString& mesh) {
        parityNotice_->showNotice(
            NoticeBar::Kind::Info,
            tr("Checking: %1 steps on %2, then on one rank…").arg(ParityCheck::kSteps).arg(mesh),
            {{tr("Cancel"), [this] { models_.parity.cancel(); }}});
        showParityButton();
    });
    connect(&models_.parity, &ParityCheck::finished, this, [this](const ParityReport& report) {
        const QString verdict = report.within ? tr("Equal within the bounds. %1") : tr("DIFFERENT. %1");
        parityNotice_->showNotice(report.within ? NoticeBar::Kind::Done : NoticeBar::Kind::Error,
                                  verdict.arg(ParityCheck::text(report)));
        showParityButton();
    });
    connect(&models_.parity, &ParityCheck::failed, this, [this](const Error& error) {
        const bool canceled = error.code == ErrorCode::Canceled;
        parityNotice_->showNotice(canceled ? NoticeBar::Kind::Info : NoticeBar::Kind::Error,
                                  canceled ? tr("The check was cancelled.")
                                           : QString::fromStdString(error_message(error)));
        showParityButton();
    });
}

void MeshPanel::showChoice() {
    const MeshChoice& choice = models_.choice;
    const bool manual = choice.mode() == MeshChoice::Mode::Manual;
    const bool illegal = choice.legality() == MeshChoice::Legality::Illegal;
    mode_->setCurrent(manual ? 1 : 0);
    if (string_->text().trimmed() != choice.text()) string_->setText(choice.text());
    stringFault_->setFault(illegal);
    degrees_->setVisible(manual);
    cpuRow_->setVisible(!manual && choice.isOnCpu());
    cores_->setText(choice.cores() == 1  ? tr("of 1 core")
                    : choice.cores() > 1 ? tr("of %1 cores").arg(choice.cores())
                                         : QString());
    {
        const QSignalBlocker blocker(cpuRanks_);
        cpuRanks_->setValue(choice.cpuRanks());
    }
    note_->setText(choice.note());
    note_->setVisible(!choice.note().isEmpty());
    showParityButton();
}

void MeshPanel::showParityButton() {
    QString reason;
    if (models_.parity.isRunning())
        reason = tr("A check is running.");
    else if (!models_.parity.isPossible())
        reason = tr("The engine is not open.");
    else if (!models_.choice.isLegal())
        reason = tr("The mesh is not legal.");
    else if (models_.choice.text() == "single")
        reason = tr("One rank runs: there is nothing to compare.");
    parityButton_->setEnabled(reason.isEmpty());
    const QString what =
        tr("Check against one rank: runs %1 steps of the draft here and on one rank and compares.")
            .arg(ParityCheck::kSteps);
    parityButton_->setToolTip(reason.isEmpty() ? what : what + '\n' + reason);
}

void MeshPanel::showScene() {
    const MeshScene& scene = models_.mesh.scene();
    pages_->setCurrentIndex(scene.cards.empty() ? 0 : 1);
    picture_->setScene(scene);
    fitPicture();
    showGpuNotice();
}

void MeshPanel::showGpuNotice() {
    const HardwareSnapshot& hardware = models_.mesh.hardware();
    QString text;
    if (!hardware.no_gpu_reason.empty()) {
        text = tr("No GPU. %1").arg(QString::fromStdString(hardware.no_gpu_reason));
        if (!text.endsWith('.')) text += '.';
        text += ' ' + tr("Everything works.");
    } else {
        for (const std::string& notice : hardware.gpu_notices)
            text += (text.isEmpty() ? "" : " ") + QString::fromStdString(notice);
    }
    if (text == gpuNotice_) return;
    gpuNotice_ = text;
    if (text.isEmpty()) return gpuNoticeBar_->dismiss();
    gpuNoticeBar_->showNotice(NoticeBar::Kind::Warning, text);
}

void MeshPanel::showFocus() {
    std::optional<MeshPicture::LinkName> link;
    if (models_.focus.link())
        link = MeshPicture::LinkName{models_.focus.link()->group, models_.focus.link()->firstRank};
    picture_->setSelection(models_.focus.rank(), link);
}

void MeshPanel::showPlans() {
    const int all = models_.plans.rowCount(), refused = models_.plans.refused();
    count_->setText(all == 0       ? QStringLiteral("–")
                    : refused == 0 ? QString::number(all)
                                   : tr("%1 + %2 refused").arg(all - refused).arg(refused));
    fitTable();
}

void MeshPanel::setFolded(bool folded) {
    fold_->setIcon(icon(folded ? "chevron-right" : "chevron-down", IconTint::Muted));
    table_->setVisible(!folded);
}

void MeshPanel::focusFault() {
    string_->setFocus(Qt::OtherFocusReason);
    string_->selectAll();
}

void MeshPanel::fitTable() {
    const int rows =
        std::clamp(static_cast<int>(height() * kTableShare) / metrics::kTableRow, kLeastRows, kMostRows);
    table_->setFixedHeight(table_->heightOf(std::min(rows, std::max(1, models_.plans.rowCount()))));
}

void MeshPanel::fitPicture() {
    const QSize there = scroll_->viewport()->size();
    const int needed = picture_->heightFor(there.width(), there.height());
    picture_->resize(there.width(), std::max(needed, there.height()));
}

bool MeshPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) fitPicture();
    return QWidget::eventFilter(watched, event);
}

void MeshPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitTable();
}

} // namespace reelmesh
