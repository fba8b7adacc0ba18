// Where the files lie that ship with the program.
#pragma once

#include <string>

namespace reelmesh {

/// Folder of the sample model: in the given resources folder, beside an installed program
/// (../share/reelmesh), or in the source tree above a program that was just built. "": not found.
std::string find_sample_model(const std::string& resources);

} // namespace reelmesh
