// How long the GUI thread works on a frame of the timeline: a million events, 16 ranks, 1920 px, 200 pans and
// zooms. Off-screen; prints milliseconds beside 10 000 filled rectangles in the same run. --png FILE keeps
// the last picture.
#include <QApplication>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QTest>

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "support/recorded_trace.h"
#include "theme/style.h"
#include "timeline/timeline_view.h"

namespace {

using namespace reelmesh;

double percentile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size() - 1)))];
}

void print(const char* name, const std::vector<double>& values) {
    std::printf("%-28s p50 %.2f  p95 %.2f  max %.2f ms\n", name, percentile(values, 0.5),
                percentile(values, 0.95), percentile(values, 1));
}

template <class Work>
double milliseconds(Work work) {
    QElapsedTimer clock;
    clock.start();
    work();
    return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

/// Of this thread alone: others on the machine do not count.
template <class Work>
double workMilliseconds(Work work) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
    };
    const double start = now();
    work();
    return now() - start;
}

void waitUntilReady(const TimelineView& view) {
    if (!QTest::qWaitFor([&] { return view.isReady(); }, 20000)) qFatal("the timeline is never ready");
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    applyTheme(application, Theme::Dark);
    Trace trace = longTrace(1'000'000);
    std::printf("events                       %zu\n", trace.events.size());

    TelemetryStore store;
    ViewFocus focus;
    TimelineView view(store, focus);
    view.resize(1920, 520);
    view.show();
    std::shared_ptr<TelemetryStore::Content> content;
    const double arranged = milliseconds([&] { content = TelemetryStore::arrange(std::move(trace)); });
    const double opened = workMilliseconds([&] { store.open(content); });
    const double drawn = milliseconds([&] {
        waitUntilReady(view);
        view.viewport()->repaint();
    });
    std::printf("open: arrange off the GUI    %.0f ms, on it %.1f ms, until drawn %.0f ms\n", arranged,
                opened, drawn);

    QImage image(view.viewport()->size(), QImage::Format_RGB32);
    std::vector<double> wishes, paints, frames, prepares;
    std::size_t rects = 0;
    const TimeRange whole = view.range();
    std::uint64_t random = 3;
    for (int i = 0; i < 200; ++i) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        const double share = static_cast<double>(random >> 40) / (1 << 24);
        const TimeAxis axis(view.range(), 1752);
        TimeRange next = i % 2 == 0 ? axis.panned((share - 0.5) * 900, whole)
                                    : axis.zoomed(i % 14 < 7 ? 0.5 : 2, share * 1752, whole);
        if (i % 50 == 0) next = whole;
        const double wish = workMilliseconds([&] { view.setRange(next); });
        const double prepare = milliseconds([&] { waitUntilReady(view); });
        const double paint =
            milliseconds([&] { view.viewport()->render(&image, {}, {}, QWidget::RenderFlags()); });
        wishes.push_back(wish);
        paints.push_back(paint);
        prepares.push_back(prepare);
        frames.push_back(wish + paint);
        rects = std::max(rects, view.drawList()->numRects());
    }
    print("GUI thread, a frame", frames);
    print("  of it asking", wishes);
    print("  of it painting", paints);
    print("off the GUI thread", prepares);
    std::printf("rectangles, most             %zu\n", rects);
    std::vector<double> fills;
    for (int i = 0; i < 9; ++i)
        fills.push_back(milliseconds([&] {
            QPainter painter(&image);
            for (int k = 0; k < 10'000; ++k)
                painter.fillRect(k % 1900, k % 500, 5, 12, QColor(0, 114, 178));
        }));
    std::printf("10 000 fillRect, same run    %.2f ms\n", percentile(fills, 0.5));
    if (argc == 2) view.grab().save(argv[1]);
    return 0;
}
