// Which of a file's faults is reported: the first row of docs/model-files.md that matches, not the first
// fault in the file, so that a verdict does not depend on the order in which a reader looks. One thread.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <span>

#include "engine/error.h"

namespace reelmesh {

class FirstVerdict {
public:
    /// order: the table's rows, which must outlive this.
    explicit FirstVerdict(std::span<const ErrorCode> order) : order_(order) {}

    /// Whether note() would keep this code: asked before arguments are built for millions of faults.
    bool takes(ErrorCode code) const { return row_of(code) < row_; }
    void note(ErrorCode code, std::initializer_list<ErrorArgument> arguments);
    void throw_if_any() const;

private:
    std::size_t row_of(ErrorCode code) const;

    std::span<const ErrorCode> order_;
    std::size_t row_ = std::numeric_limits<std::size_t>::max();
    Error error_;
};

} // namespace reelmesh
