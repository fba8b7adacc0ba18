#include "notice_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

struct Look {
    const char* icon;
    IconTint tint;
    QColor ground;
};

Look lookOf(NoticeBar::Kind kind, const Tokens& t) {
    switch (kind) {
    case NoticeBar::Kind::Info: return {"info", IconTint::Accent, t.bar};
    case NoticeBar::Kind::Done: return {"ok", IconTint::Done, t.bar};
    case NoticeBar::Kind::Warning: return {"warning", IconTint::Warning, t.warningGround};
    case NoticeBar::Kind::Error: return {"error", IconTint::Error, t.errorGround};
    }
    return {"info", IconTint::Accent, t.bar};
}

constexpr int kEdge = 3;
constexpr qsizetype kMaxActions = 3;
constexpr int kNarrow = 560;
constexpr int kNarrowest = 200;
/// A notice may quote what someone wrote: a label lays out megabytes for seconds.
constexpr qsizetype kLongestText = 4096;

} // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent), icon_(new QLabel), text_(new QLabel), buttons_(new QBoxLayout(QBoxLayout::LeftToRight)),
      body_(new QBoxLayout(QBoxLayout::LeftToRight)), close_(new QToolButton) {
    setObjectName("notice");
    text_->setObjectName("noticeText");
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    close_->setObjectName("noticeClose");
    close_->setProperty("role", "flat");
    close_->setIcon(icon("close", IconTint::Muted));
    close_->setFixedSize(metrics::kControl, metrics::kControl);
    close_->setToolTip(tr("Close"));
    close_->setAccessibleName(tr("Close the notice"));
    connect(close_, &QToolButton::clicked, this, [this] {
        dismiss();
        Q_EMIT closed();
    });

    buttons_->setSpacing(metrics::kGap);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kEdge + 9, 6, metrics::kPadding, 6);
    row->setSpacing(metrics::kPadding);
    body_->setSpacing(6);
    body_->addWidget(text_, 1);
    body_->addLayout(buttons_);
    row->addWidget(icon_, 0, Qt::AlignTop);
    row->addLayout(body_, 1);
    row->addWidget(close_, 0, Qt::AlignTop);
    hide();
}

void NoticeBar::showNotice(Kind kind, const QString& text, const QList<Action>& actions) {
    Q_ASSERT(actions.size() <= kMaxActions);
    kind_ = kind;
    const Look look = lookOf(kind, tokens(palette()));
    icon_->setPixmap(
        icon(look.icon, look.tint).pixmap(QSize(metrics::kIcon, metrics::kIcon), devicePixelRatioF()));
    const QString shown = text.size() > kLongestText ? text.left(kLongestText) + QChar(0x2026) : text;
    text_->setText(shown);
    setAccessibleName(shown);
    while (QLayoutItem* item = buttons_->takeAt(0)) {
        // The button may be the one whose click brought this notice.
        if (QWidget* button = item->widget()) {
            button->hide();
            button->deleteLater();
        }
        delete item;
    }
    for (qsizetype i = 0; i < actions.size(); ++i) {
        auto* button = new QToolButton;
        button->setObjectName(QString("noticeAction%1").arg(i + 1));
        button->setText(actions[i].text);
        button->setFont(metrics::textFont(metrics::kSmallText));
        button->setFixedHeight(metrics::kControl);
        connect(button, &QToolButton::clicked, this, actions[i].run);
        buttons_->addWidget(button);
    }
    buttons_->addStretch();
    arrange();
    setVisible(true);
    update();
}

void NoticeBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrange();
}

void NoticeBar::arrange() {
    body_->setDirection(width() < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    int needed = 0;
    for (int i = 0; i < buttons_->count(); ++i)
        if (const QWidget* button = buttons_->itemAt(i)->widget())
            needed += button->sizeHint().width() + metrics::kGap;
    const int around = layout()->contentsMargins().left() + layout()->contentsMargins().right() +
                       metrics::kIcon + metrics::kControl + 2 * layout()->spacing();
    buttons_->setDirection(needed > width() - around ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void NoticeBar::dismiss() {
    setVisible(false);
}

QSize NoticeBar::minimumSizeHint() const {
    return {kNarrowest, QFrame::minimumSizeHint().height()};
}

void NoticeBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = tokens(palette());
    const Look look = lookOf(kind_, t);
    painter.fillRect(rect(), look.ground);
    painter.fillRect(0, 0, kEdge, height(), tintColor(look.tint));
    painter.fillRect(0, height() - 1, width(), 1, t.border);
}

} // namespace reelmesh
