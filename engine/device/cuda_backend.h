// The engine's door to CUDA. All code that needs CUDA's libraries is in libreelmesh_cuda.so, which is opened
// only where an NVIDIA driver is: without one no CUDA library is ever loaded. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace reelmesh {

class Communicator;
struct PeerOptions;

struct CudaDevice {
    int index = 0;
    std::string name;
    std::uint64_t total_bytes = 0, free_bytes = 0;
    std::uint64_t own_bytes = 0;     ///< of those that are not free, what this process holds
    int major = 0, minor = 0;        ///< compute capability
    std::vector<bool> reads_memory;  ///< by device: this one copies from it directly, not through the host
    std::vector<double> bytes_per_s; ///< by device, measured when copying from it; empty or 0: not measured

    bool fast_bf16() const { return major >= 8; }
};

/// What the CUDA part offers. Lives as long as the process.
class CudaBackend {
public:
    virtual ~CudaBackend() = default;
    /// "13.0": that the part was built with; works with any driver.
    virtual std::string cuda_version() const = 0;
    virtual std::string nccl_version() const = 0; ///< "2.28.9"
    /// As of now; free_bytes changes.
    virtual std::vector<CudaDevice> devices() const = 0;
    /// One communicator a device; each device once (comm/nccl/nccl_communicator.h).
    virtual std::vector<std::shared_ptr<Communicator>> make_nccl_group(std::span<const int> devices,
                                                                       const PeerOptions& options) const = 0;
    /// Highest bytes that this process held of a device since the last reset.
    virtual std::uint64_t peak_bytes(int device) const = 0;
    virtual void reset_peak_bytes(int device) const = 0;
    /// Gives memory that no tensor holds back to the devices, all of them; waits for their work.
    virtual void release_unused() const = 0;
};

inline constexpr int kCudaBackendAbi = 3;
inline constexpr const char* kCudaBackendFactoryName = "reelmesh_cuda_backend";

struct CudaPart {
    enum class Missing { Nothing, Driver, Part, Devices };

    CudaBackend* backend = nullptr;
    std::string reason; ///< why there is no backend, one sentence; "": there is one
    Missing missing = Missing::Nothing;
    std::string cuda_version; ///< that the part was built with; "": there is no part
};

/// Opened at the first call, never closed: LibTorch's registrations cannot be taken back.
const CudaPart& cuda_part();

/// Where the driver and the CUDA part are looked for; others than the defaults in tests only.
struct CudaPartFiles {
    std::string driver = "libcuda.so.1";
    std::string part; ///< "": beside this library, or in the ../lib of this program
    std::string part_name = "libreelmesh_cuda.so";
};
CudaPart open_cuda_part(const CudaPartFiles& files);

} // namespace reelmesh

extern "C" {
/// nullptr if abi is not the part's.
using reelmesh_cuda_backend_fn = reelmesh::CudaBackend* (*)(int abi);
}
