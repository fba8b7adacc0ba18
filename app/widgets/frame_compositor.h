// Puts one picture, or two that are compared, onto the screen in device pixels: untouched at 100 %, smoothed
// below twice the size, whole pixels above. What would take too long while painting (smoothing a large area,
// the difference of two pictures) is done by background threads; until it is there, a large area is drawn
// without smoothing, and the difference before stays. GUI thread.
#pragma once

#include <QPainter>

#include <functional>
#include <optional>

#include "widgets/background_cache.h"
#include "widgets/frame_comparison.h"

namespace reelmesh {

enum class CompareMode { Single, Wipe, SideBySide, Difference, Flick };

struct Scene {
    struct Picture {
        QImage image;
        QRect rect;          ///< device pixels
        bool smooth = false; ///< at any size
    };

    CompareMode mode = CompareMode::Single;
    Picture a, b;
    QRect view;          ///< device pixels
    int split = 0;       ///< wipe: first device column of B; side by side: the middle
    int gain = 1;        ///< difference
    bool showsB = false; ///< flick
};

class FrameCompositor {
public:
    /// ready: something that was missing while painting is there now.
    explicit FrameCompositor(const std::function<void()>& ready);

    /// The painter's unit is a device pixel.
    void paint(QPainter& painter, const Scene& scene);
    /// Prepares a picture that will be painted soon.
    void prepare(const Scene::Picture& picture, const QRect& view);
    /// Of pictures of one size; nothing until it is computed.
    std::optional<double> psnr(const QImage& a, const QImage& b, int gain);

private:
    struct ScaleKey {
        qint64 image;
        QRect rect, part;
        bool operator==(const ScaleKey&) const = default;
        friend size_t qHash(const ScaleKey& key, size_t seed = 0) {
            return qHashMulti(seed, key.image, key.rect.x(), key.rect.y(), key.rect.width(),
                              key.rect.height(), key.part.x(), key.part.y(), key.part.width(),
                              key.part.height());
        }
    };
    struct CompareKey {
        qint64 a, b;
        int gain;
        bool operator==(const CompareKey&) const = default;
        friend size_t qHash(const CompareKey& key, size_t seed = 0) {
            return qHashMulti(seed, key.a, key.b, key.gain);
        }
    };

    void drawPicture(QPainter& painter, const Scene::Picture& picture, const QRect& part);
    std::optional<QImage> scaled(const Scene::Picture& picture, const QRect& part);
    std::optional<FrameComparison> compare(const QImage& a, const QImage& b, int gain);

    BackgroundCache<ScaleKey, QImage> scaled_;
    BackgroundCache<CompareKey, FrameComparison> compared_;
    QImage lastDifference_;
};

} // namespace reelmesh
