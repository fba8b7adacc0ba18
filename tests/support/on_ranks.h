// Members of a communicator group, each on a thread of its own.
#pragma once

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/check.h"
#include "comm/communicator.h"

namespace reelmesh::testing {

using Group = std::vector<std::shared_ptr<Communicator>>;

/// Every rank calls the function on its own thread; the errors, in rank order.
inline std::vector<Error> on_ranks(Group& group, const std::function<void(Communicator&)>& function) {
    std::vector<Error> errors(group.size());
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < group.size(); ++rank)
        threads.emplace_back([&, rank] {
            const c10::InferenceMode inference;
            const auto result = catch_errors([&] {
                function(*group[rank]);
                return 0;
            });
            if (!result) errors[rank] = result.error();
        });
    for (std::thread& thread : threads)
        thread.join();
    return errors;
}

inline void expect_no_errors(const std::vector<Error>& errors) {
    for (const Error& error : errors)
        EXPECT_EQ(error.code, ErrorCode::None) << error_message(error);
}

} // namespace reelmesh::testing
