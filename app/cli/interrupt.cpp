#include "interrupt.h"

#include <csignal>
#include <unistd.h>

namespace reelmesh {
namespace {

// Signal handlers reach nothing but globals.
volatile std::sig_atomic_t was_interrupted = 0;

void handle(int) {
    if (was_interrupted) ::_exit(kInterruptedExit);
    was_interrupted = 1;
}

} // namespace

void catch_interrupts() {
    struct sigaction action {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
    return was_interrupted != 0;
}

} // namespace reelmesh
