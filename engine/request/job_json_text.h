// Text of strangers to a JSON value, within the limits of job files and the same in every locale. Any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace reelmesh {

/// An object. Throws JobSyntax with the place of the fault, LimitExceeded past 16 MiB or a nesting of 32.
nlohmann::json parse_job_object(std::string_view text, const std::string& file);

inline constexpr std::size_t kMaxJobBytes = std::size_t{16} << 20;

} // namespace reelmesh
