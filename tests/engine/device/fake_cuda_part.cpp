// A CUDA part without CUDA: one device, or none, or a driver that is too old, as the environment says.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "device/cuda_backend.h"

namespace reelmesh {
namespace {

class FakeCudaBackend final : public CudaBackend {
public:
    std::string cuda_version() const override { return "13.0"; }
    std::string nccl_version() const override { return "2.28.9"; }
    std::vector<CudaDevice> devices() const override {
        const char* what = std::getenv("REELMESH_FAKE_GPUS");
        if (what && std::string(what) == "none") return {};
        if (what && std::string(what) == "old driver") throw std::runtime_error("the driver is too old");
        return {{.index = 0,
                 .name = "Fake GPU",
                 .total_bytes = std::uint64_t{8} << 30,
                 .free_bytes = std::uint64_t{5} << 30,
                 .own_bytes = std::uint64_t{1} << 30,
                 .major = 9,
                 .reads_memory = {true}}};
    }
    std::vector<std::shared_ptr<Communicator>> make_nccl_group(std::span<const int>,
                                                               const PeerOptions&) const override {
        return {};
    }
    std::uint64_t peak_bytes(int) const override { return 0; }
    void reset_peak_bytes(int) const override {}
    void release_unused() const override {}
};

} // namespace
} // namespace reelmesh

extern "C" __attribute__((visibility("default"))) reelmesh::CudaBackend* reelmesh_cuda_backend(int abi) {
    static reelmesh::FakeCudaBackend backend;
    return abi == reelmesh::kCudaBackendAbi ? &backend : nullptr;
}
