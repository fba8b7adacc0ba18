// Every path that this program opens: the test's own open() stands before the system's. One thread.
#pragma once

#include <string>
#include <vector>

namespace reelmesh::testing {

std::vector<std::string>& opened_paths();

} // namespace reelmesh::testing
