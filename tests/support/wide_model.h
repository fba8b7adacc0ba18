// A model of 1.3B's width (12 heads of 128, 1536 wide), cut to few layers, around the sample model's text
// encoder and VAE: as wide as the real one where kernels choose by width, small enough to be made in a
// second.
#pragma once

#include <string>

namespace reelmesh::testing {

/// Into a folder that is not there yet; random weights, the same each time.
void write_wide_model(const std::string& folder, int layers = 2);

} // namespace reelmesh::testing
