// Runs code that has to fail and hands out its Error.
#pragma once

#include <gtest/gtest.h>

#include "base/check.h"

namespace reelmesh::testing {

/// Code None, and a failed expectation, where nothing is thrown.
template <class F>
Error error_of(F&& function) {
    try {
        function();
    } catch (const EngineException& exception) {
        return exception.error();
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

} // namespace reelmesh::testing
