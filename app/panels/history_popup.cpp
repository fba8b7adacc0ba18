#include "history_popup.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "models/prompt_history.h"
#include "theme/icons.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

constexpr int kHeight = 220;
constexpr qsizetype kMostShown = 200, kLongestShown = 300;

} // namespace

HistoryPopup::HistoryPopup(PromptHistory& history, QWidget* parent)
    : QFrame(parent, Qt::Popup), history_(history), search_(new QLineEdit), list_(new QListWidget) {
    setObjectName("promptHistoryPopup");
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    search_->setObjectName("promptHistorySearch");
    search_->setAccessibleName(tr("Search earlier prompts"));
    search_->setPlaceholderText(tr("Search"));
    search_->setFixedHeight(metrics::kControl);
    list_->setObjectName("promptHistoryList");
    list_->setAccessibleName(tr("Earlier prompts"));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideRight);
    list_->setIconSize({metrics::kIcon, metrics::kIcon});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kPadding, metrics::kPadding, metrics::kPadding, metrics::kPadding);
    column->setSpacing(metrics::kGap);
    column->addWidget(search_);
    column->addWidget(list_, 1);
    connect(search_, &QLineEdit::textChanged, this, &HistoryPopup::fill);
    const auto choose = [this](const QListWidgetItem* item) {
        if (!item || item->data(Qt::UserRole).isNull()) return;
        const QString prompt = item->data(Qt::UserRole).toString();
        close();
        Q_EMIT chosen(prompt);
    };
    connect(list_, &QListWidget::itemActivated, this, choose);
    connect(list_, &QListWidget::itemClicked, this, choose);
    connect(search_, &QLineEdit::returnPressed, this, [this, choose] { choose(list_->currentItem()); });
    search_->installEventFilter(this);
    fill();
    search_->setFocus();
}

QSize HistoryPopup::sizeHint() const {
    return {QFrame::sizeHint().width(), kHeight};
}

bool HistoryPopup::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
        if (step != 0) {
            list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, list_->count() - 1));
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

void HistoryPopup::fill() {
    list_->clear();
    for (const PromptHistory::Entry& entry : history_.found(search_->text()).mid(0, kMostShown)) {
        auto* item = new QListWidgetItem(entry.prompt.simplified().left(kLongestShown), list_);
        item->setData(Qt::UserRole, entry.prompt);
        item->setToolTip(entry.prompt.left(2 * kLongestShown));
        if (entry.starred) item->setIcon(icon("star-filled", IconTint::Accent));
    }
    if (list_->count() == 0) {
        auto* item = new QListWidgetItem(history_.entries().isEmpty() ? tr("Prompts of your jobs appear here")
                                                                      : tr("No prompt has these words"),
                                         list_);
        item->setFlags(Qt::NoItemFlags);
    }
    list_->setCurrentRow(0);
}

} // namespace reelmesh
