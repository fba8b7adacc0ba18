// The index beside sharded weights: which file holds which tensor. Plain values; pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace reelmesh {

struct WeightIndex {
    std::map<std::string, std::string> file_of; ///< tensor name to a file name that passed check_file_name
    std::optional<std::uint64_t> total_size;    ///< as stated; often wrong, so only reported
};

/// Throws DuplicateName, UnsafeName, IndexSyntax; opens nothing.
WeightIndex parse_weight_index(std::string_view text, const std::string& file);

} // namespace reelmesh
