#include "job_row_delegate.h"

#include <QPainter>
#include <QPainterPath>

#include "models/job_list_model.h"
#include "models/job_text.h"
#include "models/outcome.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kIcon = 14;
constexpr int kLine = 18;
constexpr int kBar = 4;
constexpr int kEdge = 3; ///< mark of the row that runs

struct StateLook {
    const char* icon;
    IconTint tint;
};

StateLook lookOf(const JobItem& job) {
    if (job.stopping) return {"stop", IconTint::Warning};
    switch (job.state) {
    case JobState::Pending: return {"clock", IconTint::Muted};
    case JobState::Running: return {"play", IconTint::Accent};
    case JobState::Paused: return {"pause", IconTint::Text};
    case JobState::Done: return {"ok", IconTint::Done};
    case JobState::Failed: return {"error", IconTint::Error};
    case JobState::Canceled: return {"cancel", IconTint::Muted};
    }
    return {"clock", IconTint::Muted};
}

void drawIcon(QPainter& painter, const StateLook& look, const QPoint& at) {
    icon(look.icon, look.tint).paint(&painter, QRect(at, QSize(kIcon, kIcon)));
}

int drawRight(QPainter& painter, const QRect& line, const QString& text, const QFont& font,
              const QColor& color) {
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, text);
    return QFontMetrics(font).horizontalAdvance(text);
}

void drawElided(QPainter& painter, const QRect& line, const QString& text, const QFont& font,
                const QColor& color) {
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, line.width()));
}

/// Right of the state; the width it took.
int drawTag(QPainter& painter, const QRect& line, const QString& text, const QFont& font, const Tokens& t) {
    const int width = QFontMetrics(font).horizontalAdvance(text) + 8;
    const QRectF box(line.right() - width + 0.5, line.center().y() - 7.5, width - 1, 16);
    painter.setPen(t.strong);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(t.second);
    painter.setFont(font);
    painter.drawText(box, Qt::AlignCenter, text);
    return width;
}

const JobItem& jobOf(const QModelIndex& index) {
    return static_cast<const JobListModel*>(index.model())->job(index.row());
}

} // namespace

QSize JobRowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    return {kThumbnailSize.width() * 3, jobOf(index).isActive() ? kRunningRow : kRow};
}

QString JobRowDelegate::detailText(const JobItem& job) {
    if (job.state == JobState::Failed) return QString::fromStdString(error_message(job.error));
    QStringList parts{sizeText(job.request)};
    const std::string& ran = job.report.mesh;
    const std::string& mesh = !ran.empty() ? ran : job.plan.mesh.empty() ? job.request.mesh : job.plan.mesh;
    parts << meshWords(QString::fromStdString(mesh));
    if (job.state == JobState::Done) parts << clockText(job.seconds());
    if (job.isPending())
        parts << (job.plannedSeconds < 0 ? QStringLiteral("–")
                                         : QStringLiteral("≈ ") + clockText(job.plannedSeconds));
    return parts.join(QStringLiteral(" · "));
}

void JobRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                           const QModelIndex& index) const {
    const Tokens& t = tokens(option.palette);
    const JobItem& job = jobOf(index);
    const bool selected = option.state & QStyle::State_Selected;
    const QRect row = option.rect;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (selected || job.isActive())
        painter->fillRect(row, t.selection);
    else if (option.state & QStyle::State_MouseOver)
        painter->fillRect(row, t.alt);
    if (job.isActive()) painter->fillRect(QRect(row.topLeft(), QSize(kEdge, row.height())), t.accent);
    painter->fillRect(row.left(), row.bottom(), row.width(), 1, t.border);

    const QRect thumbnail(row.left() + metrics::kPadding,
                          row.top() + (row.height() - kThumbnailSize.height()) / 2, kThumbnailSize.width(),
                          kThumbnailSize.height());
    paintThumbnail(*painter, option, job, thumbnail);
    const QRect text(thumbnail.right() + 1 + metrics::kPadding, row.top() + 5,
                     row.right() - metrics::kPadding - thumbnail.right() - metrics::kPadding,
                     row.height() - 10);
    job.isActive() ? paintRunning(*painter, option, job, text) : paintOther(*painter, option, job, text);
    if (selected && (option.state & QStyle::State_HasFocus)) {
        painter->setPen(t.accent);
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(QRectF(row).adjusted(0.5, 0.5, -0.5, -1.5));
    }
    painter->restore();
}

void JobRowDelegate::paintThumbnail(QPainter& painter, const QStyleOptionViewItem& option, const JobItem& job,
                                    const QRect& rect) const {
    const Tokens& t = tokens(option.palette);
    QPainterPath path;
    path.addRoundedRect(rect, 3, 3);
    if (job.thumbnail.isNull()) {
        painter.fillPath(path, t.bar);
        icon("clip", IconTint::Muted)
            .paint(&painter, QRect(rect.center() - QPoint(7, 7), QSize(kIcon, kIcon)));
        return;
    }
    painter.save();
    painter.setClipPath(path);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(rect, job.thumbnail);
    painter.restore();
}

void JobRowDelegate::paintRunning(QPainter& painter, const QStyleOptionViewItem& option, const JobItem& job,
                                  const QRect& text) const {
    const Tokens& t = tokens(option.palette);
    const QFont base = metrics::textFont(metrics::kBaseText);
    const QFont number = metrics::numberFont(metrics::kSmallText);
    QRect line(text.left(), text.top(), text.width(), kLine);
    const int time = drawRight(painter, line, clockText(job.remainingSeconds), number, t.second);
    drawElided(painter, line.adjusted(0, 0, -time - metrics::kPadding, 0), promptLine(job.request), base,
               t.text);

    line.translate(0, kLine);
    const int percent = drawRight(painter, line, tr("%1 %").arg(int(100 * job.fraction())), number, t.text);
    const StateLook look = lookOf(job);
    drawIcon(painter, look, {line.left(), line.center().y() - kIcon / 2 + 1});
    drawElided(painter, line.adjusted(kIcon + metrics::kGap, 0, -percent - metrics::kPadding, 0),
               job.stateText(), base, tintColor(look.tint));

    const QRectF track(text.left(), line.bottom() + 4, text.width(), kBar);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.border);
    painter.drawRoundedRect(track, 2, 2);
    if (job.fraction() <= 0) return;
    painter.setBrush(job.stopping ? t.warning : job.state == JobState::Paused ? t.muted : t.accent);
    painter.drawRoundedRect(QRectF(track.topLeft(), QSizeF(track.width() * job.fraction(), kBar)), 2, 2);
}

void JobRowDelegate::paintOther(QPainter& painter, const QStyleOptionViewItem& option, const JobItem& job,
                                const QRect& text) const {
    const Tokens& t = tokens(option.palette);
    const QFont base = metrics::textFont(metrics::kBaseText);
    const QFont small = metrics::textFont(metrics::kSmallText);
    const StateLook look = lookOf(job);
    QRect line(text.left(), text.top(), text.width(), kLine);
    const int word = drawRight(painter, line, job.stateText(), small, tintColor(look.tint));
    const int iconLeft = line.right() + 1 - word - metrics::kGap - kIcon;
    drawIcon(painter, look, {iconLeft, line.center().y() - kIcon / 2 + 1});
    drawElided(painter, QRect(line.topLeft(), QPoint(iconLeft - metrics::kPadding, line.bottom())),
               promptLine(job.request), base, t.text);

    line.translate(0, kLine + 1);
    const int tag = job.report.partial
                        ? drawTag(painter, line, tr("partial"), metrics::textFont(10), t) + metrics::kGap
                        : 0;
    drawElided(painter, line.adjusted(0, 0, -tag, 0), detailText(job), small,
               job.state == JobState::Failed ? t.error : t.muted);
}

} // namespace reelmesh
