// The fake engine behind the real one's factory, slow enough to be watched and cancelled.
#include "support/fake_engine.h"

extern "C" reelmesh::Engine* reelmesh_create_engine(int abi, const reelmesh::EngineOptions*) {
    using std::chrono::milliseconds;
    if (abi != reelmesh::kEngineAbi) return nullptr;
    return new reelmesh::FakeEngine(
        {.step_time = milliseconds(150), .stage_time = milliseconds(120), .write_file = true});
}
