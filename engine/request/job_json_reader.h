// A job out of a JSON object: our keys, the aliases of other programs, and everything else kept as it came.
// One object reads one job, on one thread.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>

#include "engine/request.h"
#include "request/mesh_shape.h"

namespace reelmesh {

class JobJsonReader {
public:
    explicit JobJsonReader(std::string file) : file_(std::move(file)) {}

    /// Throws JobSyntax naming the key: wrong type, or the same setting under two names.
    JobRequest read(const nlohmann::json& job);

private:
    void read_entry(const std::string& name, const nlohmann::json& value);
    void read_schema(const nlohmann::json& value);
    void read_output(const nlohmann::json& value);
    void read_size(const std::string& name, const nlohmann::json& value);
    void read_degree(const std::string& name, Axis axis, const nlohmann::json& value);
    void read_field(const std::string& name, std::string_view key, const nlohmann::json& value);
    /// Marks a setting as given; fails if another name has given it.
    void claim(std::string_view setting, const std::string& name);
    [[noreturn]] void fail_type(const std::string& name, const nlohmann::json& value,
                                const std::string& needed) const;

    std::string file_;
    JobRequest request_;
    std::map<std::string, std::string, std::less<>> given_; ///< setting -> the name that gave it
    MeshShape degrees_;
    std::string degree_name_; ///< a foreign key that gave one of the degrees
    nlohmann::json unknown_ = nlohmann::json::object();
};

} // namespace reelmesh
