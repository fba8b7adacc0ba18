#include "engine_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

namespace reelmesh {
namespace {

Error libraryError(const std::string& file, const std::string& reason) {
    Error error;
    error.code = ErrorCode::EngineLibrary;
    error.arguments = {{"file", file}, {"reason", reason}};
    return error;
}

std::string loaderReason() {
    const char* text = dlerror();
    return text ? text : "unknown reason";
}

} // namespace

std::vector<std::string> engineLibraryPlaces(const std::string& programFolder) {
    const std::string name = "libreelmesh_engine.so";
    return {programFolder + "/../lib/reelmesh/" + name, programFolder + "/../lib/" + name,
            programFolder + "/" + name};
}

Result<std::unique_ptr<Engine>> openEngineLibrary(const std::vector<std::string>& places,
                                                  const EngineOptions& options) {
    const auto exists = [](const std::string& path) {
        std::error_code ignored;
        return std::filesystem::exists(path, ignored);
    };
    const auto place = std::ranges::find_if(places, exists);
    if (place == places.end())
        return libraryError(places.empty() ? "" : places.front(), "the file does not exist");

    void* library = dlopen(place->c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return libraryError(*place, loaderReason());
    const auto create = reinterpret_cast<reelmesh_create_engine_fn>(dlsym(library, kEngineFactoryName));
    if (!create) return libraryError(*place, loaderReason());
    std::unique_ptr<Engine> engine(create(kEngineAbi, &options));
    if (!engine)
        return libraryError(*place, "it is of another version, number " + std::to_string(kEngineAbi) +
                                        " of its interface is needed");
    return engine;
}

} // namespace reelmesh
