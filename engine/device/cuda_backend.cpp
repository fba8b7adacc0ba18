#include "device/cuda_backend.h"

#include <dlfcn.h>

#include "base/check.h"
#include "base/excerpt.h"
#include <exception>
#include <filesystem>

namespace reelmesh {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOnCpu = "; ranks run on the CPU.";

CudaPart none(CudaPart::Missing missing, const std::string& reason, const std::string& cuda = "") {
    return {nullptr, reason + kOnCpu, missing, cuda};
}

/// "" if it is nowhere.
std::string find_part(const std::string& name) {
    Dl_info self{};
    if (dladdr(reinterpret_cast<void*>(&find_part), &self) == 0) return "";
    std::error_code ignored;
    const fs::path folder = fs::weakly_canonical(self.dli_fname, ignored).parent_path();
    for (const fs::path& candidate : {folder / name, folder / ".." / "lib" / name})
        if (fs::exists(candidate, ignored)) return candidate.string();
    return "";
}

} // namespace

CudaPart open_cuda_part(const CudaPartFiles& files) {
    void* driver = dlopen(files.driver.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!driver)
        return none(CudaPart::Missing::Driver,
                    "No NVIDIA driver is installed (" + files.driver + " was not found)");
    dlclose(driver);
    const std::string here = "An NVIDIA driver is here, but ";
    const std::string file = files.part.empty() ? find_part(files.part_name) : files.part;
    if (file.empty())
        return none(CudaPart::Missing::Part,
                    here + "this build is for the CPU only: it has no CUDA part (" + files.part_name + ")");
    void* part = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!part) {
        const char* words = dlerror();
        return none(CudaPart::Missing::Part,
                    here + "the CUDA part could not be loaded (" + (words ? words : file) + ")");
    }
    const auto factory = reinterpret_cast<reelmesh_cuda_backend_fn>(dlsym(part, kCudaBackendFactoryName));
    CudaBackend* backend = factory ? factory(kCudaBackendAbi) : nullptr;
    if (!backend)
        return none(CudaPart::Missing::Part, here + "the CUDA part " + file + " is from another version");
    const std::string cuda = backend->cuda_version();
    try {
        if (backend->devices().empty())
            return none(CudaPart::Missing::Devices, here + "it shows no GPU", cuda);
    } catch (const std::exception& error) {
        // A driver that is older than the CUDA libraries says so here.
        return none(CudaPart::Missing::Devices,
                    here + "its GPUs could not be listed (" + first_line(error.what()) + ")", cuda);
    }
    return {backend, "", CudaPart::Missing::Nothing, cuda};
}

const CudaPart& cuda_part() {
    static const CudaPart part = open_cuda_part({});
    return part;
}

} // namespace reelmesh
