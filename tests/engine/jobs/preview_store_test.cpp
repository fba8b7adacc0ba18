#include "jobs/preview_store.h"

#include <gtest/gtest.h>

namespace reelmesh {
namespace {

PreviewClip clip_of(int step) {
    Frame frame{10, 10, PixelFormat::Rgb8, 30, std::make_shared<std::byte[]>(300)};
    return {step, 4, {frame}};
}

TEST(PreviewStoreTest, GivesTheStepOrTheNearestBefore) {
    PreviewStore store;
    EXPECT_EQ(store.get(5).step, -1);
    store.put(clip_of(1));
    store.put(clip_of(4));
    EXPECT_EQ(store.get(0).step, -1);
    EXPECT_EQ(store.get(1).step, 1);
    EXPECT_EQ(store.get(3).step, 1);
    EXPECT_EQ(store.get(100).step, 4);
}

TEST(PreviewStoreTest, DropsEverySecondOldOneWhenFull) {
    PreviewStore store(3000); // ten clips
    for (int step = 0; step < 100; ++step)
        store.put(clip_of(step));
    int kept = 0;
    int last = -1;
    for (int step = 0; step < 100; ++step) {
        const int found = store.get(step).step;
        if (found != last) ++kept;
        last = found;
    }
    EXPECT_LE(kept, 10);
    EXPECT_GE(kept, 5);
    EXPECT_EQ(store.get(0).step, 0);
    EXPECT_EQ(store.get(99).step, 99);
}

} // namespace
} // namespace reelmesh
