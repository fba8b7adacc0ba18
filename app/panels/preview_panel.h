// The viewer: notices, the clip or what is missing for one, the player bar. Layout and connections
// only. GUI thread; the models outlive the panel.
#pragma once

#include <QWidget>

class QAction;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace reelmesh {

class EmptyState;
class JobStatus;
class NoticeBar;
class PreviewModel;
class VideoView;

class PreviewPanel : public QWidget {
    Q_OBJECT

public:
    struct Models {
        PreviewModel& preview;
        JobStatus& status;
    };

    PreviewPanel(Models models, QAction* generate, QWidget* parent = nullptr);
    NoticeBar& notice() { return *notice_; }
    VideoView& video() { return *video_; }

private:
    QWidget* makePlayerBar();
    void showClip();
    void showStatus();
    void showFrame();
    void showPlaying();

    Models models_;
    NoticeBar* notice_;
    EmptyState* empty_;
    EmptyState* waiting_;
    VideoView* video_;
    QStackedWidget* pages_;
    QToolButton* play_;
    QLabel* frame_;
    QLabel* size_;
};

} // namespace reelmesh
