#include "jobs/resources.h"

#include <filesystem>
#include <vector>

namespace reelmesh {

std::string find_sample_model(const std::string& resources) {
    namespace fs = std::filesystem;
    constexpr int kLevelsUp = 4; // build/<preset>/bin below the source tree
    std::error_code error;
    std::vector<fs::path> folders;
    if (!resources.empty()) folders.emplace_back(resources);
    fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
    folders.push_back(program / ".." / "share" / "reelmesh");
    for (int level = 0; level < kLevelsUp; ++level, program = program.parent_path())
        folders.push_back(program / "resources");
    for (const fs::path& folder : folders)
        if (fs::exists(folder / "sample-model" / "model_index.json", error))
            return fs::weakly_canonical(folder / "sample-model", error).string();
    return {};
}

} // namespace reelmesh
