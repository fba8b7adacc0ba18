// The CUDA part of a machine with simulated GPUs: opened in place of libreelmesh_cuda.so by programs that
// stand beside it. Work on them costs the host's time, nothing more is claimed.
#include "comm/communicator.h"
#include "device/cuda_backend.h"
#include "support/simulated_gpus/kernels.h"
#include "support/simulated_gpus/memory.h"
#include "support/simulated_gpus/streams.h"

namespace reelmesh::testing {
namespace {

class SimulatedCudaBackend final : public CudaBackend {
public:
    SimulatedCudaBackend() {
        register_streams();
        c10::SetAllocator(c10::DeviceType::CUDA, simulated_gpu_allocator());
        register_kernels();
    }
    std::string cuda_version() const override { return "13.0"; }
    std::string nccl_version() const override { return ""; } // there is none
    std::vector<CudaDevice> devices() const override {
        std::vector<CudaDevice> devices;
        for (int index = 0; index < kSimulatedGpus; ++index) {
            const std::uint64_t own = gpu_bytes(static_cast<c10::DeviceIndex>(index)).now;
            devices.push_back({.index = index,
                               .name = "Simulated GPU",
                               .total_bytes = kSimulatedGpuBytes,
                               .free_bytes = kSimulatedGpuBytes - own,
                               .own_bytes = own,
                               .major = 9,
                               .minor = 0,
                               .reads_memory = std::vector<bool>(kSimulatedGpus, true)});
        }
        return devices;
    }
    std::vector<std::shared_ptr<Communicator>> make_nccl_group(std::span<const int>,
                                                               const PeerOptions&) const override {
        return {};
    }
    std::uint64_t peak_bytes(int device) const override {
        return gpu_bytes(static_cast<c10::DeviceIndex>(device)).peak;
    }
    void release_unused() const override {} // it keeps none
    void reset_peak_bytes(int device) const override {
        reset_gpu_peak(static_cast<c10::DeviceIndex>(device));
    }
};

} // namespace
} // namespace reelmesh::testing

extern "C" __attribute__((visibility("default"))) reelmesh::CudaBackend* reelmesh_cuda_backend(int abi) {
    if (abi != reelmesh::kCudaBackendAbi) return nullptr;
    static auto& backend = *new reelmesh::testing::SimulatedCudaBackend;
    return &backend;
}
