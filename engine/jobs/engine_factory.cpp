// The one symbol that leaves the engine library.
#include "engine/engine.h"
#include "jobs/engine_impl.h"

extern "C" reelmesh::Engine* reelmesh_create_engine(int abi, const reelmesh::EngineOptions* options) {
    if (abi != reelmesh::kEngineAbi) return nullptr;
    return new reelmesh::EngineImpl(options ? *options : reelmesh::EngineOptions{});
}
