// Which rank the others wait for: one rule for mesh picture and timeline. Pure functions.
#pragma once

#include <vector>

namespace reelmesh {

/// Of an even count the mean of the middle two. values must not be empty.
double median(std::vector<double> values);

/// Index of the longest time, if it is more than 2 % above the median: less is noise. -1: all alike, or fewer
/// than two.
int slowestOf(const std::vector<double>& times);

} // namespace reelmesh
