// What tests of the viewer share: pictures whose pixels tell which they are, and a job in view.
#pragma once

#include <QImage>
#include <QList>
#include <QVariant>

#include "app_fixture.h"
#include "models/preview_model.h"
#include "models/run_overview.h"
#include "widgets/video_clip.h"

namespace reelmesh {

inline QImage plain(QSize size, const QColor& color) {
    QImage image(size, QImage::Format_RGB888);
    image.fill(color);
    return image;
}

/// Every pixel another than those beside it.
inline QImage checkerboard(QSize size) {
    QImage image(size, QImage::Format_RGB888);
    for (int y = 0; y < size.height(); ++y)
        for (int x = 0; x < size.width(); ++x)
            image.setPixelColor(x, y,
                                (x + y) % 2 ? QColor(255, x % 256, y % 256) : QColor(0, x % 256, y % 256));
    return image;
}

/// The frame of this number is grey of that value.
inline VideoClip numberedClip(int frames, QSize size = {32, 32}, double framesPerSecond = 16) {
    VideoClip clip;
    for (int i = 0; i < frames; ++i)
        clip.frames.append(plain(size, QColor(i + 1, i + 1, i + 1)));
    clip.framesPerSecond = framesPerSecond;
    return clip;
}

inline Frame frameOf(QSize size, std::uint8_t value) {
    const std::size_t bytes = std::size_t(size.width()) * std::size_t(size.height()) * 3;
    const std::shared_ptr<std::byte[]> pixels(new std::byte[bytes]);
    std::fill_n(pixels.get(), bytes, std::byte(value));
    return {size.width(), size.height(), PixelFormat::Rgb8, std::size_t(size.width()) * 3, pixels};
}

inline RunningJob runningJob(int frames = 81, int steps = 40, JobId id = 7) {
    RunningJob job{id, smallRequest(), {}};
    job.request.width = 832;
    job.request.height = 480;
    job.request.frames = frames;
    job.request.steps = steps;
    job.request.seed = 7;
    return job;
}

/// A store that keeps the previews of some steps, as the engine's does.
class PreviewStore {
public:
    explicit PreviewStore(PreviewModel& model) {
        model.setFetch([this](JobId, int step) {
            const auto after = clips_.upperBound(step);
            return after == clips_.begin() ? PreviewClip{} : *std::prev(after);
        });
    }
    void keep(int step, int frames = 21, double framesPerSecond = 4) {
        PreviewClip clip{.step = step, .frames_per_second = framesPerSecond};
        for (int i = 0; i < frames; ++i)
            clip.frames.push_back(frameOf({104, 60}, static_cast<std::uint8_t>(step + 1)));
        clips_[step] = clip;
    }
    void drop(int step) { clips_.remove(step); }

private:
    QMap<int, PreviewClip> clips_;
};

inline FramesDecoded decodedFrames(const RunningJob& job, int first, int count, QSize size = {32, 32}) {
    FramesDecoded event{.job = job.id, .first = first, .total = *job.request.frames};
    for (int i = first; i < first + count; ++i)
        event.frames.push_back(frameOf(size, static_cast<std::uint8_t>(i + 1)));
    return event;
}

/// The item of that name; empty without one.
inline QVariantMap itemNamed(const QVariantList& items, const QString& name) {
    for (const QVariant& item : items)
        if (item.toMap()["name"] == name) return item.toMap();
    return {};
}

} // namespace reelmesh
