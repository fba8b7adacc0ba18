// SIGINT and SIGTERM as a Qt signal; a second one ends the process at once. One instance; GUI thread.
#pragma once

#include <QObject>

class QSocketNotifier;

namespace reelmesh {

class UnixSignals : public QObject {
    Q_OBJECT

public:
    explicit UnixSignals(QObject* parent = nullptr);
    ~UnixSignals() override;

    /// From now on the process lives at most that long, whatever hangs, and then exits with the code.
    static void exitWithin(unsigned seconds, int code);

Q_SIGNALS:
    void received();

private:
    QSocketNotifier* notifier_;
};

} // namespace reelmesh
