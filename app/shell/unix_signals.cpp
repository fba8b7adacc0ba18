#include "unix_signals.h"

#include <QSocketNotifier>

#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

namespace reelmesh {
namespace {

constexpr int kCutShort = 130;

// A signal handler reaches nothing but static storage.
int sockets[2] = {-1, -1};
volatile std::sig_atomic_t signalsSeen = 0;
volatile std::sig_atomic_t lateExitCode = 0;

void onSignal(int) {
    signalsSeen = signalsSeen + 1;
    if (signalsSeen > 1) _exit(kCutShort);
    const char byte = 1;
    [[maybe_unused]] const ssize_t ignored = write(sockets[0], &byte, 1);
}

void onAlarm(int) {
    _exit(lateExitCode);
}

void install(int number, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(number, &action, nullptr);
}

} // namespace

UnixSignals::UnixSignals(QObject* parent) : QObject(parent) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sockets) != 0)
        qFatal("no socket pair for signals");
    notifier_ = new QSocketNotifier(sockets[1], QSocketNotifier::Read, this);
    connect(notifier_, &QSocketNotifier::activated, this, [this] {
        notifier_->setEnabled(false);
        Q_EMIT received();
    });
    install(SIGINT, onSignal);
    install(SIGTERM, onSignal);
}

UnixSignals::~UnixSignals() {
    install(SIGINT, SIG_DFL);
    install(SIGTERM, SIG_DFL);
    for (int& socket : sockets)
        close(socket);
}

void UnixSignals::exitWithin(unsigned seconds, int code) {
    lateExitCode = code;
    install(SIGALRM, onAlarm);
    alarm(seconds);
}

} // namespace reelmesh
