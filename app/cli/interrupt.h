// SIGINT and SIGTERM: the first asks the program to end in order, a second ends it at once.
#pragma once

namespace reelmesh {

inline constexpr int kInterruptedExit = 130;

void catch_interrupts();
bool interrupted();

} // namespace reelmesh
