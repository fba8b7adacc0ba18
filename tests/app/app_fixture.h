// What tests of the window share: an engine client on a fake engine, and waiting with a limit.
#pragma once

#include <QTest>

#include <gtest/gtest.h>

#include "bridge/engine_client.h"
#include "support/fake_engine.h"

namespace reelmesh {

inline constexpr int kHangGuard_ms = 20000;

template <class Condition>
::testing::AssertionResult eventually(Condition condition) {
    if (QTest::qWaitFor(condition, kHangGuard_ms)) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "not within " << kHangGuard_ms << " ms";
}

inline void openFake(EngineClient& client, FakeScript script = {}) {
    client.open([script]() -> Result<std::unique_ptr<Engine>> {
        return std::unique_ptr<Engine>(new FakeEngine(script));
    });
}

inline JobRequest smallRequest() {
    JobRequest request;
    request.prompt = "a ball";
    request.width = request.height = 32;
    request.frames = 9;
    request.fps = FrameRate{16, 1};
    request.steps = 4;
    request.seed = 5;
    return request;
}

inline Error errorWith(ErrorCode code) {
    Error error;
    error.code = code;
    return error;
}

} // namespace reelmesh
