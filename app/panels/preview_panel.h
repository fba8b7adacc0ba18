// The viewer: notices, the clip or what is missing for one, the two scrubbers, the player bar. Layout and
// connections only. GUI thread; the models outlive the panel.
#pragma once

#include <QImage>
#include <QWidget>

#include "engine/request.h"

class QAction;
class QHBoxLayout;
class QMimeData;
class QStackedWidget;

namespace reelmesh {

class EmptyState;
class NoticeBar;
class OverlaySet;
class PlayerBar;
class PreviewModel;
class RunOverview;
class ScrubberRows;
class VideoView;
enum class CompareMode;

class PreviewPanel : public QWidget {
    Q_OBJECT

public:
    struct Models {
        PreviewModel& preview;
        RunOverview& run;
    };

    PreviewPanel(Models models, QAction* generate, QWidget* parent = nullptr);
    ~PreviewPanel() override;
    NoticeBar& notice() { return *notice_; }
    VideoView& video() { return *video_; }
    OverlaySet& overlays() { return *overlays_; }

    /// What a job that has no picture yet is doing; "": no job, the empty state shows.
    void setWaiting(const QString& sentence);
    /// A sheet at the right edge, beside which the picture refits. Takes ownership.
    void setSheet(QWidget* sheet);
    /// What a drag out of the window carries: the saved file, else the frame. nullptr: there is nothing.
    QMimeData* makeDragData() const;

public Q_SLOTS:
    void togglePlaying();
    void saveFrame();
    void copyFrame();

Q_SIGNALS:
    /// A decoded frame as it is, its number from 1, and the settings that made it.
    void saveFrameRequested(const QImage& frame, int number, const reelmesh::JobRequest& request);
    void exportRequested();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeMenus();
    void connectBar();
    bool handleKey(int key, Qt::KeyboardModifiers modifiers);
    void showClip();
    void showPinned();
    void showPage();
    void showFrame();
    void showPlaying();
    void showZoom();
    void showMode();
    void showOverlays();
    void showReasons();
    void seekTo(int frameNumber);
    /// Nothing plays while a frame is sought.
    void holdPlaying(bool held);
    void setSpeed(double speed);
    void shuttle(int direction);
    void chooseMode(CompareMode mode, int gain);
    void toggleMode(CompareMode mode);
    void togglePin();
    void dragOut();

    Models models_;
    NoticeBar* notice_;
    EmptyState* empty_;
    EmptyState* waiting_;
    VideoView* video_;
    QStackedWidget* pages_;
    QHBoxLayout* stage_;
    ScrubberRows* scrubbers_;
    PlayerBar* bar_;
    OverlaySet* overlays_;
    QString waitingSentence_;
    bool playAfterScrub_ = false;
};

} // namespace reelmesh
