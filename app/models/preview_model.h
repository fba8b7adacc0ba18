// The clip that the viewer plays: the preview of the last step, then the decoded frames as they
// come. Images share the engine's bytes. GUI thread.
#pragma once

#include <QImage>
#include <QList>
#include <QObject>
#include <QString>

#include "engine/events.h"

namespace reelmesh {

class PreviewModel : public QObject {
    Q_OBJECT

public:
    enum class Content { Nothing, Preview, Decoded };

    using QObject::QObject;

    void clear();
    void showPreview(const PreviewClip& clip, int steps);
    /// Frames must follow one another; the first ones end the preview.
    void addDecoded(const FramesDecoded& event, double framesPerSecond);

    Content content() const { return content_; }
    const QList<QImage>& frames() const { return frames_; }
    double framesPerSecond() const { return framesPerSecond_; }
    /// Frames of the whole clip, of which frames() may hold the first ones only.
    int totalFrames() const { return totalFrames_; }
    /// "step 12/16, preview", "decoding 9/17", "" for a finished clip.
    QString badge() const;

Q_SIGNALS:
    void changed();

private:
    Content content_ = Content::Nothing;
    QList<QImage> frames_;
    double framesPerSecond_ = 0;
    int totalFrames_ = 0;
    int step_ = 0, steps_ = 0;
};

} // namespace reelmesh
