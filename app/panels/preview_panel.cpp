#include "preview_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "models/job_status.h"
#include "models/preview_model.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"
#include "widgets/empty_state.h"
#include "widgets/notice_bar.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

QString padded(int number) {
    return QString("%1").arg(number, 3, 10, QChar('0'));
}

void setMatte(QWidget& widget) {
    QPalette palette = widget.palette();
    palette.setColor(QPalette::Window, tokens(palette).matte);
    widget.setPalette(palette);
    widget.setAutoFillBackground(true);
}

} // namespace

PreviewPanel::PreviewPanel(Models models, QAction* generate, QWidget* parent)
    : QWidget(parent), models_(models), notice_(new NoticeBar),
      empty_(
          new EmptyState({"clip", tr("Write what should happen, then press <b>Ctrl+Enter</b>"), generate})),
      waiting_(new EmptyState({})), video_(new VideoView), pages_(new QStackedWidget) {
    setObjectName("viewer");
    setMatte(*pages_);
    pages_->setMinimumSize(320, 180);
    for (QWidget* page : std::initializer_list<QWidget*>{empty_, waiting_, video_})
        pages_->addWidget(page);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(notice_);
    column->addWidget(pages_, 1);
    column->addWidget(makePlayerBar());

    connect(&models_.preview, &PreviewModel::changed, this, &PreviewPanel::showClip);
    connect(&models_.status, &JobStatus::changed, this, &PreviewPanel::showStatus);
    connect(video_, &VideoView::frameChanged, this, &PreviewPanel::showFrame);
    connect(video_, &VideoView::playingChanged, this, &PreviewPanel::showPlaying);
    showClip();
    showPlaying();
}

QWidget* PreviewPanel::makePlayerBar() {
    play_ = new QToolButton;
    play_->setObjectName("viewerPlay");
    play_->setFixedSize(metrics::kToolButton, metrics::kControl);
    play_->setProperty("role", "flat");
    connect(play_, &QToolButton::clicked, video_, &VideoView::togglePlaying);

    frame_ = new QLabel;
    frame_->setObjectName("viewerFrame");
    frame_->setAccessibleName(tr("Frame"));
    frame_->setFont(metrics::numberFont(metrics::kBaseText));
    // Fixed, so that a changing number does not move its neighbours.
    frame_->setMinimumWidth(frame_->fontMetrics().horizontalAdvance("0000/0000  00.00 s"));
    size_ = new QLabel;
    size_->setObjectName("viewerSize");
    size_->setFont(metrics::numberFont(metrics::kSmallText));
    size_->setProperty("tone", "muted");

    auto* bar = new QWidget;
    bar->setFixedHeight(metrics::kPlayerBar);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 0);
    row->setSpacing(metrics::kPadding);
    row->addWidget(play_);
    row->addWidget(frame_);
    row->addStretch();
    row->addWidget(size_);
    return bar;
}

void PreviewPanel::showClip() {
    const PreviewModel& clip = models_.preview;
    const bool preview = clip.content() == PreviewModel::Content::Preview;
    video_->setClip(clip.frames(), clip.framesPerSecond(),
                    preview ? VideoView::Growth::Smooth : VideoView::Growth::Pixels);
    video_->setBadge(clip.badge());
    play_->setEnabled(!clip.frames().isEmpty());
    showPlaying();
    showFrame();
    showStatus();
}

void PreviewPanel::showStatus() {
    waiting_->setSentence(models_.status.stageText());
    if (models_.preview.content() != PreviewModel::Content::Nothing) {
        pages_->setCurrentWidget(video_);
    } else {
        pages_->setCurrentWidget(models_.status.isActive() ? waiting_ : empty_);
    }
}

void PreviewPanel::showFrame() {
    const PreviewModel& clip = models_.preview;
    const int frame = video_->currentFrame();
    if (frame < 0 || clip.frames().isEmpty()) {
        frame_->setText(QStringLiteral("–"));
        size_->clear();
        return;
    }
    const double seconds = clip.framesPerSecond() > 0 ? (frame + 1) / clip.framesPerSecond() : 0;
    frame_->setText(
        tr("%1/%2  %3 s")
            .arg(padded(frame + 1), padded(clip.totalFrames()), QLocale().toString(seconds, 'f', 2)));
    const QSize size = clip.frames().first().size();
    size_->setText(tr("%1 × %2").arg(size.width()).arg(size.height()));
}

void PreviewPanel::showPlaying() {
    const bool playing = video_->isPlaying() && play_->isEnabled();
    play_->setIcon(icon(playing ? "pause" : "play"));
    play_->setAccessibleName(playing ? tr("Pause") : tr("Play"));
    play_->setToolTip(play_->isEnabled() ? play_->accessibleName() : tr("There is no clip yet"));
}

} // namespace reelmesh
