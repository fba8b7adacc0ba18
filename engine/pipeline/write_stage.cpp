#include "pipeline/write_stage.h"

#include <pthread.h>
#include <utility>

namespace reelmesh {
namespace {

constexpr std::size_t kQueuedFrames = 16;

/// Time on the writer's clock, also as an event.
class Recorded {
public:
    Recorded(TelemetryWriter& writer, std::int64_t& total_ns, EventKind kind)
        : writer_(writer), total_ns_(total_ns) {
        event_.kind = kind;
        event_.work = EventWork::Save;
        event_.start_ns = steady_now_ns();
    }
    ~Recorded() {
        event_.end_ns = steady_now_ns();
        total_ns_ += event_.end_ns - event_.start_ns;
        writer_.write(event_);
    }

private:
    TelemetryWriter& writer_;
    std::int64_t& total_ns_;
    TelemetryEvent event_;
};

} // namespace

WriteStage::WriteStage(const std::string& format, const SinkSpec& spec)
    : sink_(make_frame_sink(format, spec)), queue_(kQueuedFrames), thread_([this] { loop(); }) {}

WriteStage::~WriteStage() {
    join();
}

void WriteStage::put(const Frame& frame) {
    if (queue_.push(frame)) return;
    join();
    std::rethrow_exception(error_);
}

WrittenMedia WriteStage::finish() {
    join();
    if (error_) std::rethrow_exception(error_);
    const Recorded recorded(telemetry_, busy_ns_, EventKind::Encode);
    return sink_->finish();
}

void WriteStage::loop() {
    pthread_setname_np(pthread_self(), "writer");
    try {
        while (const std::optional<Frame> frame = queue_.pop()) {
            const Recorded recorded(telemetry_, busy_ns_, EventKind::Encode);
            sink_->write(*frame);
        }
    } catch (...) {
        error_ = std::current_exception();
        queue_.close();
    }
}

void WriteStage::join() {
    queue_.close();
    if (thread_.joinable()) thread_.join();
}

} // namespace reelmesh
