#include "preview_panel.h"

#include <QAction>
#include <QActionGroup>
#include <QClipboard>
#include <QDrag>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLocale>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QStackedWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/preview_model.h"
#include "models/run_overview.h"
#include "overlays/overlay_set.h"
#include "panels/player_bar.h"
#include "panels/scrubber_rows.h"
#include "theme/metrics.h"
#include "theme/palette.h"
#include "widgets/bar_button.h"
#include "widgets/empty_state.h"
#include "widgets/notice_bar.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

constexpr std::array kSpeeds{0.25, 0.5, 1.0, 2.0, 4.0};
constexpr double kZoomStep = 1.25;
constexpr int kDragWidth = 160;

struct ModeRow {
    CompareMode mode;
    int gain;
    const char* icon;
    const char* text;
};
constexpr std::array<ModeRow, 7> kModes{{
    {CompareMode::Single, 1, "compare-single", QT_TRANSLATE_NOOP("PreviewPanel", "Single")},
    {CompareMode::Wipe, 1, "compare-wipe", QT_TRANSLATE_NOOP("PreviewPanel", "Wipe")},
    {CompareMode::SideBySide, 1, "compare-side", QT_TRANSLATE_NOOP("PreviewPanel", "Side by side")},
    {CompareMode::Difference, 1, "compare-diff", QT_TRANSLATE_NOOP("PreviewPanel", "Difference")},
    {CompareMode::Difference, 4, "compare-diff", QT_TRANSLATE_NOOP("PreviewPanel", "Difference ×4")},
    {CompareMode::Difference, 16, "compare-diff", QT_TRANSLATE_NOOP("PreviewPanel", "Difference ×16")},
    {CompareMode::Flick, 1, "compare-flick", QT_TRANSLATE_NOOP("PreviewPanel", "Flick")},
}};

QString padded(int number, int digits) {
    return QString("%1").arg(number, digits, 10, QChar('0'));
}

int digitsOf(int total) {
    return std::max(3, static_cast<int>(QString::number(total).size()));
}

QString speedText(double speed) {
    return QString::number(std::abs(speed)) + QStringLiteral("×");
}

/// The ground around the picture, in the theme of the moment.
class Matte : public QStackedWidget {
protected:
    void paintEvent(QPaintEvent*) override { QPainter(this).fillRect(rect(), tokens(palette()).matte); }
};

VideoClip videoClip(const PreviewModel::Clip& clip) {
    return {clip.frames,      clip.framesPerSecond,
            clip.size,        clip.isPreview ? VideoClip::Growth::Smooth : VideoClip::Growth::Pixels,
            clip.frameStride, clip.label};
}

} // namespace

PreviewPanel::PreviewPanel(Models models, QAction* generate, QWidget* parent)
    : QWidget(parent), models_(models), notice_(new NoticeBar),
      empty_(
          new EmptyState({"clip", tr("Write what should happen, then press <b>Ctrl+Enter</b>"), generate})),
      waiting_(new EmptyState({})), video_(new VideoView), pages_(new Matte),
      scrubbers_(new ScrubberRows(models.preview)), bar_(new PlayerBar),
      overlays_(new OverlaySet(models.run, this)) {
    setObjectName("viewer");
    setFocusPolicy(Qt::ClickFocus);
    pages_->setMinimumSize(240, 140);
    for (QWidget* page : std::initializer_list<QWidget*>{empty_, waiting_, video_})
        pages_->addWidget(page);
    video_->setLayer(overlays_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(notice_);
    stage_ = new QHBoxLayout;
    stage_->setSpacing(0);
    stage_->addWidget(pages_, 1);
    column->addLayout(stage_, 1);
    column->addWidget(scrubbers_);
    column->addWidget(bar_);
    makeMenus();
    connectBar();
    connect(scrubbers_, &ScrubberRows::frameChosen, this, &PreviewPanel::seekTo);
    connect(scrubbers_, &ScrubberRows::framesStepped, video_, &VideoView::stepBy);
    connect(scrubbers_, &ScrubberRows::heldChanged, this, &PreviewPanel::holdPlaying);

    connect(&models_.preview, &PreviewModel::changed, this, &PreviewPanel::showClip);
    connect(&models_.preview, &PreviewModel::pinnedChanged, this, &PreviewPanel::showPinned);
    connect(video_, &VideoView::frameChanged, this, &PreviewPanel::showFrame);
    connect(video_, &VideoView::playingChanged, this, &PreviewPanel::showPlaying);
    connect(video_, &VideoView::zoomChanged, this, &PreviewPanel::showZoom);
    connect(video_, &VideoView::modeChanged, this, &PreviewPanel::showMode);
    connect(video_, &VideoView::draggedOut, this, &PreviewPanel::dragOut);
    connect(overlays_, &OverlaySet::changed, this, &PreviewPanel::showOverlays);
    showClip();
    showPinned();
    showZoom();
    showOverlays();
    setSpeed(1);
}

PreviewPanel::~PreviewPanel() {
    // The view may paint until it is gone.
    video_->setLayer(nullptr);
}

void PreviewPanel::makeMenus() {
    auto* speeds = new QMenu(this);
    for (const double speed : kSpeeds)
        speeds->addAction(speedText(speed), this, [this, speed] { setSpeed(speed); })->setCheckable(true);
    bar_->speed->setMenu(speeds);
    auto* modes = new QMenu(this);
    modes->setToolTipsVisible(true);
    for (const ModeRow& row : kModes)
        modes->addAction(tr(row.text), this, [this, row] { chooseMode(row.mode, row.gain); })
            ->setCheckable(true);
    bar_->mode->setMenu(modes);
    auto* menu = new QMenu(this);
    for (const auto& overlay : overlays_->overlays()) {
        QAction* action = menu->addAction(overlay->name());
        action->setObjectName("overlay/" + overlay->key());
        action->setCheckable(true);
        connect(action, &QAction::triggered, this,
                [this, key = overlay->key()](bool on) { overlays_->setOn(key, on); });
    }
    bar_->overlaysMenu->setMenu(menu);
}

void PreviewPanel::connectBar() {
    const auto on = [this](BarButton* button, const QString& name, const QString& help, auto act) {
        button->setAccessibleName(name);
        button->setHelp(help);
        if (button->menu()) return;
        connect(button, &QToolButton::clicked, this, [this, button, act] {
            act();
            // Keys go to the picture after a click, and stay where they are after Tab.
            if (!button->hasFocus()) video_->setFocus(Qt::MouseFocusReason);
        });
    };
    const auto none = [] {};
    on(bar_->first, tr("First frame"), tr("Show the first frame (Home)"),
       [this] { video_->stepBy(-video_->currentFrame()); });
    on(bar_->back, tr("Frame back"), tr("Show the frame before (Left)"), [this] { video_->stepBy(-1); });
    on(bar_->play, tr("Play"), tr("Play or pause (Space)"), [this] { togglePlaying(); });
    on(bar_->forward, tr("Frame forward"), tr("Show the next frame (Right)"), [this] { video_->stepBy(1); });
    on(bar_->last, tr("Last frame"), tr("Show the last frame that there is (End)"),
       [this] { video_->stepBy(-1 - video_->currentFrame()); });
    on(bar_->loop, tr("Loop"), tr("Begin again at the end (\\)"), [this] {
        video_->setLoop(!video_->isLoop());
        showPlaying();
    });
    on(bar_->speed, tr("Speed"), tr("Speed of playback ([ slower, ] faster, Backspace 1×)"), none);
    on(bar_->mode, tr("Comparison"), tr("How the picture is compared with B (W wipe, X flick)"), none);
    on(bar_->pin, tr("Pin as B"), tr("Keep this clip as B to compare with, or let it go (B)"),
       [this] { togglePin(); });
    on(bar_->fit, tr("Fit"), tr("Fit the picture into the view (F)"), [this] { video_->zoomToFit(); });
    on(bar_->actualSize, tr("Actual size"), tr("One pixel of the video on one of the screen (1)"),
       [this] { video_->zoomToActualSize(); });
    on(bar_->overlays, tr("Overlays"), tr("Show or hide all overlays (O)"),
       [this] { overlays_->setAll(!overlays_->isAnyOn()); });
    on(bar_->overlaysMenu, tr("Choose overlays"), tr("Choose which overlays lie over the picture"), none);
    on(bar_->save, tr("Save frame"), tr("Save this frame as PNG with its settings (S)"),
       [this] { saveFrame(); });
    on(bar_->exportClip, tr("Export"), tr("Export the clip to a file (Ctrl+E)"),
       [this] { Q_EMIT exportRequested(); });
}

void PreviewPanel::setWaiting(const QString& sentence) {
    waitingSentence_ = sentence;
    showPage();
}

void PreviewPanel::setSheet(QWidget* sheet) {
    stage_->addWidget(sheet, 0, Qt::AlignTop);
}

void PreviewPanel::showClip() {
    const PreviewModel& preview = models_.preview;
    const bool decoded = preview.content() == PreviewModel::Content::Decoded;
    video_->setClip(videoClip(preview.clip()));
    video_->setBadge(preview.badge(), decoded ? Chip::Mark::Decoding : Chip::Mark::Preview);
    video_->setNote(preview.note());
    showPage();
    showFrame();
    showReasons();
    showPlaying();
}

void PreviewPanel::showPinned() {
    const auto& pinned = models_.preview.pinned();
    video_->setOther(pinned ? videoClip(*pinned) : VideoClip{});
    bar_->pin->setChecked(pinned.has_value());
    showMode();
}

void PreviewPanel::showPage() {
    setFocusProxy(video_);
    if (models_.preview.content() != PreviewModel::Content::Nothing) return pages_->setCurrentWidget(video_);
    const QString why = models_.preview.waiting();
    waiting_->setSentence(why.isEmpty() ? waitingSentence_ : waitingSentence_ + "\n" + why);
    pages_->setCurrentWidget(waitingSentence_.isEmpty() ? empty_ : waiting_);
    if (auto* action = empty_->findChild<QWidget*>("emptyAction"); action && waitingSentence_.isEmpty())
        setFocusProxy(action);
}

void PreviewPanel::showFrame() {
    const PreviewModel& preview = models_.preview;
    const int index = video_->currentFrame();
    if (index < 0 || preview.frames().isEmpty()) {
        bar_->showFrame(QStringLiteral("–"), 3);
        scrubbers_->showFrame(0, QStringLiteral("–"));
        return;
    }
    const int number = preview.frameNumber(index), digits = digitsOf(preview.totalFrames());
    const double rate = preview.framesPerSecond() * preview.clip().frameStride;
    const QString count = padded(number, digits) + "/" + padded(preview.totalFrames(), digits);
    scrubbers_->showFrame(number, count);
    const QString seconds = rate > 0 ? QLocale().toString(number / rate, 'f', 2) : QStringLiteral("–");
    bar_->showFrame(tr("%1 %2 s").arg(count, seconds), digits);
}

void PreviewPanel::showPlaying() {
    const bool playing = video_->isPlaying() && bar_->play->isEnabled();
    bar_->play->setIconName(playing ? "pause" : "play");
    bar_->play->setChecked(playing);
    bar_->play->setAccessibleName(playing ? tr("Pause") : tr("Play"));
    bar_->loop->setChecked(video_->isLoop());
}

void PreviewPanel::showZoom() {
    const QString percent = tr("%1 %").arg(std::lround(video_->zoom() * 100));
    const bool wide = width() >= 800;
    QString word = percent;
    if (video_->isFit())
        word = wide && !models_.preview.frames().isEmpty() ? tr("Fit %1").arg(percent) : tr("Fit");
    bar_->fit->setWordRoom({wide ? tr("Fit 100 %") : tr("100 %")});
    bar_->fit->setText(word);
    bar_->fitToWidth();
}

void PreviewPanel::showMode() {
    const bool hasB = models_.preview.pinned().has_value();
    const QList<QAction*> actions = bar_->mode->menu()->actions();
    for (qsizetype i = 0; i < actions.size(); ++i) {
        const ModeRow& row = kModes[static_cast<std::size_t>(i)];
        const bool now =
            row.mode == video_->mode() && (row.mode != CompareMode::Difference || row.gain == video_->gain());
        actions[i]->setChecked(now);
        actions[i]->setEnabled(hasB || row.mode == CompareMode::Single);
        actions[i]->setToolTip(actions[i]->isEnabled() ? QString()
                                                       : tr("Pin a step or a clip as B first (key B)"));
        if (!now) continue;
        bar_->mode->setText(tr(row.text));
        bar_->mode->setIconName(row.icon);
    }
    bar_->fitToWidth();
}

void PreviewPanel::showOverlays() {
    bar_->overlays->setChecked(overlays_->isAnyOn());
    for (QAction* action : bar_->overlaysMenu->menu()->actions())
        action->setChecked(overlays_->isOn(action->objectName().section('/', 1)));
    video_->update();
}

void PreviewPanel::showReasons() {
    const PreviewModel& preview = models_.preview;
    const QString none = preview.frames().isEmpty() ? tr("There is no clip yet") : QString();
    for (BarButton* button : {bar_->first, bar_->back, bar_->play, bar_->forward, bar_->last, bar_->pin,
                              bar_->fit, bar_->actualSize})
        button->setReason(none);
    QString noFrame = none;
    if (preview.content() == PreviewModel::Content::Preview)
        noFrame = tr("A preview is no frame of the video yet; frames can be saved once decoded");
    if (preview.content() == PreviewModel::Content::Decoded && preview.divisor() > 1)
        noFrame = tr("The clip is shown at a part of its resolution; frames are whole in the saved file");
    bar_->save->setReason(noFrame);
    bar_->exportClip->setReason(!none.isEmpty()         ? none
                                : !preview.isComplete() ? tr("The clip is not decoded to its end yet")
                                                        : QString());
}

void PreviewPanel::seekTo(int frameNumber) {
    if (const int index = models_.preview.indexOf(frameNumber); index >= 0) video_->seek(index);
    showFrame();
}

void PreviewPanel::holdPlaying(bool held) {
    if (held) {
        playAfterScrub_ = video_->isPlaying();
        video_->pause();
    } else if (playAfterScrub_) {
        video_->play();
    }
}

void PreviewPanel::setSpeed(double speed) {
    const double sign = video_->speed() < 0 ? -1 : 1;
    video_->setSpeed(sign * speed);
    bar_->speed->setText(speedText(speed));
    const QList<QAction*> actions = bar_->speed->menu()->actions();
    for (qsizetype i = 0; i < actions.size(); ++i)
        actions[i]->setChecked(kSpeeds[static_cast<std::size_t>(i)] == speed);
    bar_->fitToWidth();
}

void PreviewPanel::shuttle(int direction) {
    const double speed = std::abs(video_->speed());
    const bool same = video_->isPlaying() && (video_->speed() > 0) == (direction > 0);
    video_->setSpeed(direction * (same ? std::min(kSpeeds.back(), speed * 2) : speed));
    setSpeed(std::abs(video_->speed()));
    video_->play();
}

void PreviewPanel::chooseMode(CompareMode mode, int gain) {
    video_->setGain(gain);
    video_->setMode(mode);
    showMode();
}

void PreviewPanel::toggleMode(CompareMode mode) {
    chooseMode(video_->mode() == mode ? CompareMode::Single : mode, 1);
}

void PreviewPanel::togglePin() {
    models_.preview.pinned() ? models_.preview.unpin() : models_.preview.pin();
    showPinned();
}

void PreviewPanel::togglePlaying() {
    if (bar_->play->isEnabled()) video_->togglePlaying();
    showPlaying();
}

void PreviewPanel::saveFrame() {
    if (!bar_->save->isEnabled()) return;
    Q_EMIT saveFrameRequested(video_->currentImage(), models_.preview.frameNumber(video_->currentFrame()),
                              models_.preview.request());
}

void PreviewPanel::copyFrame() {
    if (const QImage image = video_->currentImage(); !image.isNull())
        QGuiApplication::clipboard()->setImage(image);
}

QMimeData* PreviewPanel::makeDragData() const {
    const QImage image = video_->currentImage();
    if (image.isNull()) return nullptr;
    auto* data = new QMimeData;
    if (const QString& path = models_.preview.path(); !path.isEmpty() && QFileInfo::exists(path)) {
        data->setUrls({QUrl::fromLocalFile(path)});
    } else {
        // Encoded as PNG when it is dropped.
        data->setImageData(image);
    }
    return data;
}

void PreviewPanel::dragOut() {
    QMimeData* data = makeDragData();
    if (!data) return;
    auto* drag = new QDrag(this);
    drag->setMimeData(data);
    drag->setPixmap(QPixmap::fromImage(video_->currentImage().scaledToWidth(kDragWidth)));
    drag->exec(Qt::CopyAction);
}

void PreviewPanel::resizeEvent(QResizeEvent*) {
    showZoom();
}

void PreviewPanel::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) return copyFrame();
    const auto modifiers = event->modifiers() & ~Qt::KeypadModifier;
    if (modifiers & ~Qt::ShiftModifier || !handleKey(event->key(), modifiers)) QWidget::keyPressEvent(event);
}

bool PreviewPanel::handleKey(int key, Qt::KeyboardModifiers modifiers) {
    const bool shift = modifiers & Qt::ShiftModifier;
    const auto speed = [this](int by) {
        const auto here = std::find(kSpeeds.begin(), kSpeeds.end(), std::abs(video_->speed()));
        const auto place = std::clamp<std::ptrdiff_t>(here - kSpeeds.begin() + by, 0, kSpeeds.size() - 1);
        setSpeed(kSpeeds[static_cast<std::size_t>(place)]);
    };
    switch (key) {
    case Qt::Key_Space: togglePlaying(); break;
    case Qt::Key_Left: shift ? video_->skipBy(-1) : video_->stepBy(-1); break;
    case Qt::Key_Right: shift ? video_->skipBy(1) : video_->stepBy(1); break;
    case Qt::Key_Comma: video_->stepBy(-1); break;
    case Qt::Key_Period: video_->stepBy(1); break;
    case Qt::Key_Home: video_->stepBy(-video_->currentFrame()); break;
    case Qt::Key_End: video_->stepBy(-1 - video_->currentFrame()); break;
    case Qt::Key_J: shuttle(-1); break;
    case Qt::Key_K: video_->pause(); break;
    case Qt::Key_L: shuttle(1); break;
    case Qt::Key_Backslash: bar_->loop->click(); break;
    case Qt::Key_BracketLeft: speed(-1); break;
    case Qt::Key_BracketRight: speed(1); break;
    case Qt::Key_Backspace: setSpeed(1); break;
    case Qt::Key_PageUp: models_.preview.moveStep(-1); break;
    case Qt::Key_PageDown: models_.preview.moveStep(1); break;
    case Qt::Key_F: video_->zoomToFit(); break;
    case Qt::Key_1: video_->zoomToActualSize(); break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: video_->zoomBy(kZoomStep); break;
    case Qt::Key_Minus: video_->zoomBy(1 / kZoomStep); break;
    case Qt::Key_O: bar_->overlays->click(); break;
    case Qt::Key_B: bar_->pin->click(); break;
    case Qt::Key_W: toggleMode(CompareMode::Wipe); break;
    case Qt::Key_X:
        video_->mode() == CompareMode::Flick ? video_->flick() : chooseMode(CompareMode::Flick, 1);
        break;
    case Qt::Key_S: saveFrame(); break;
    default: return false;
    }
    return true;
}

} // namespace reelmesh
