// The table of job keys with the place in a JobRequest that each one fills. Another key is another row: text,
// job files, defaults and checks follow. Constant data, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/request.h"

namespace reelmesh {

template <class Value>
using Slot = Value JobRequest::*;

using FieldSlot = std::variant<Slot<std::string>, Slot<std::optional<std::string>>, Slot<int>,
                               Slot<std::optional<std::int64_t>>, Slot<std::optional<double>>,
                               Slot<std::optional<FrameRate>>, Slot<std::optional<std::uint64_t>>,
                               Slot<std::vector<std::string>>>;

struct FieldRow {
    RequestField field;
    FieldSlot slot;
};

std::span<const FieldRow> field_rows();
/// nullptr: no such key.
const FieldRow* find_field(std::string_view key);

/// The legal values of a field in words, for errors: "a number from 0 to 30".
std::string legal_values(const RequestField& field);

struct Size {
    std::int64_t width = 0, height = 0;
};
/// "832x480", also with * or ×.
std::optional<Size> parse_size(std::string_view text);

} // namespace reelmesh
