#include "log_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "models/log_model.h"
#include "panels/log_delegate.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "widgets/segmented_control.h"

namespace reelmesh {
namespace {

constexpr int kTools = 32, kButton = 24, kFilter = 220;
constexpr int kTimeColumn = 100, kLevelColumn = 70, kJobColumn = 52;
constexpr LogLevel kLevels[] = {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error};

} // namespace

LogPanel::LogPanel(LogModel& model, QWidget* parent)
    : QWidget(parent), model_(model), words_(new QLineEdit),
      level_(new SegmentedControl({tr("All"), tr("Info"), tr("Warnings"), tr("Errors")})),
      table_(new QTableView) {
    setObjectName("log");
    setAccessibleName(tr("Log"));
    lines_.setSourceModel(&model);

    words_->setObjectName("logFilter");
    words_->setPlaceholderText(tr("Filter"));
    words_->setAccessibleName(tr("Filter the log"));
    words_->setToolTip(tr("Shows the lines that hold all these words."));
    words_->setFont(metrics::textFont(metrics::kSmallText));
    words_->addAction(icon("search", IconTint::Muted), QLineEdit::LeadingPosition);
    words_->setClearButtonEnabled(true);
    words_->setFixedHeight(metrics::kControl);
    words_->setMaximumWidth(kFilter);
    level_->setObjectName("logLevel");
    level_->setAccessibleName(tr("Lowest level that is shown"));
    level_->setToolTip(tr("Shows lines of this level and above."));
    level_->setCurrent(1);
    follow_ = makeButton("logFollow", "follow", tr("Follow"),
                         tr("Keeps the newest line in sight; scrolling up ends it."));
    follow_->setCheckable(true);
    follow_->setChecked(true);
    copy_ =
        makeButton("logCopy", "copy", tr("Copy"), tr("Copies the selected lines, or all that are shown."));
    folder_ = makeButton("logFolder", "folder", tr("Open the log's folder"), {});
    setLogFile({});

    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 0);
    tools->setSpacing(metrics::kGap);
    tools->addWidget(words_, 1);
    tools->addWidget(level_);
    tools->addStretch();
    for (QToolButton* button : {follow_, copy_, folder_})
        tools->addWidget(button);
    auto* bar = new QWidget;
    bar->setFixedHeight(kTools);
    bar->setLayout(tools);
    makeTable();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(table_, 1);

    connect(words_, &QLineEdit::textChanged, &lines_, &LogFilter::setWords);
    connect(level_, &SegmentedControl::changed, this, [this](int choice) {
        lines_.setLevel(kLevels[choice]);
        follow();
    });
    connect(follow_, &QToolButton::toggled, this, &LogPanel::follow);
    connect(copy_, &QToolButton::clicked, this, &LogPanel::copy);
    connect(folder_, &QToolButton::clicked, this, [this] { Q_EMIT folderRequested(file_); });
    soon_.setSingleShot(true);
    connect(&soon_, &QTimer::timeout, this, &LogPanel::follow);
    connect(&lines_, &LogFilter::rowsInserted, this, &LogPanel::followSoon);
    // Only a user's own scrolling ends or begins following; a range that grows does not.
    connect(table_->verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] {
        const QScrollBar& bar = *table_->verticalScrollBar();
        follow_->setChecked(bar.sliderPosition() >= bar.maximum());
    });
}

QToolButton* LogPanel::makeButton(const QString& name, const QString& iconName, const QString& words,
                                  const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setProperty("role", "flat");
    button->setIcon(icon(iconName));
    button->setFixedSize(kButton, kButton);
    button->setAccessibleName(words);
    button->setToolTip(toolTip);
    return button;
}

void LogPanel::makeTable() {
    table_->setObjectName("logView");
    table_->setAccessibleName(tr("Lines of the log"));
    table_->setModel(&lines_);
    table_->setItemDelegate(new LogDelegate(table_));
    table_->setShowGrid(false);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    table_->setTabKeyNavigation(false);
    table_->setWordWrap(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(metrics::kTableRow);
    QHeaderView* head = table_->horizontalHeader();
    head->hide();
    head->setMinimumSectionSize(20);
    head->setSectionResizeMode(QHeaderView::Fixed);
    head->resizeSection(LogModel::Time, kTimeColumn);
    head->resizeSection(LogModel::Level, kLevelColumn);
    head->resizeSection(LogModel::Job, kJobColumn);
    head->setSectionResizeMode(LogModel::Text, QHeaderView::Stretch);
    auto* copy = new QAction(tr("Copy"), table_);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    connect(copy, &QAction::triggered, this, &LogPanel::copy);
    table_->addAction(copy);
    table_->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void LogPanel::setLogFile(const QString& file) {
    file_ = file;
    folder_->setEnabled(!file.isEmpty());
    folder_->setToolTip(file.isEmpty() ? tr("Not possible: no log file is written.")
                                       : tr("Opens the folder that holds %1.").arg(file));
}

void LogPanel::copy() const {
    QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (rows.isEmpty())
        for (int row = 0; row < lines_.rowCount(); ++row)
            rows << lines_.index(row, 0);
    std::ranges::sort(rows, {}, &QModelIndex::row);
    QStringList lines;
    for (const QModelIndex& row : rows)
        lines << model_.lineText(lines_.mapToSource(row).row());
    QApplication::clipboard()->setText(lines.join('\n'));
}

void LogPanel::followSoon() {
    if (!soon_.isActive()) soon_.start(0);
}

void LogPanel::follow() {
    if (follow_->isChecked()) table_->scrollToBottom();
}

} // namespace reelmesh
