#include "heartbeat.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr int kPeriod_ms = 10;
constexpr double kWorthARow_ms = 10;

float milliseconds(qint64 nanoseconds) {
    return static_cast<float>(static_cast<double>(nanoseconds) / 1e6);
}

} // namespace

Heartbeat::Heartbeat(const QString& file, QObject* parent) : QObject(parent), file_(file) {
    if (!file_.open(QIODevice::WriteOnly | QIODevice::Truncate))
        qWarning("%s cannot be written: %s", qPrintable(file), qPrintable(file_.errorString()));
    file_.write("kind,at_ms,ms,detail\n");
    sinceStart_.start();
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, &Heartbeat::tick);
    timer_.start(kPeriod_ms);
}

Heartbeat::~Heartbeat() {
    writeSummary("handlers", std::move(handlers_ms_));
    writeSummary("gaps", std::move(gaps_ms_));
}

void Heartbeat::handlerDone(qint64 nanoseconds, const char* receiver, int eventType) {
    const float spent_ms = milliseconds(nanoseconds);
    handlers_ms_.push_back(spent_ms);
    if (spent_ms <= kWorthARow_ms) return;
    file_.write(QString("handler,%1,%2,%3 %4\n")
                    .arg(sinceStart_.elapsed())
                    .arg(spent_ms, 0, 'f', 2)
                    .arg(receiver)
                    .arg(eventType)
                    .toUtf8());
}

void Heartbeat::tick() {
    if (!sinceTick_.isValid()) return sinceTick_.start(); // the event loop has just begun
    const float gap_ms = milliseconds(sinceTick_.nsecsElapsed());
    sinceTick_.restart();
    gaps_ms_.push_back(gap_ms);
    // A tick in time is as long as the period itself.
    if (gap_ms <= kPeriod_ms + kWorthARow_ms) return;
    file_.write(QString("gap,%1,%2,\n").arg(sinceStart_.elapsed()).arg(gap_ms, 0, 'f', 2).toUtf8());
}

void Heartbeat::writeSummary(const char* what, std::vector<float> values_ms) {
    if (values_ms.empty()) return;
    std::ranges::sort(values_ms);
    const float p99_ms = values_ms[(values_ms.size() - 1) * 99 / 100];
    file_.write(QString("summary,%1,%2,%3 p99_ms=%4 max_ms=%2\n")
                    .arg(sinceStart_.elapsed())
                    .arg(values_ms.back(), 0, 'f', 2)
                    .arg(QString("%1 n=%2").arg(what).arg(values_ms.size()))
                    .arg(p99_ms, 0, 'f', 2)
                    .toUtf8());
}

} // namespace reelmesh
