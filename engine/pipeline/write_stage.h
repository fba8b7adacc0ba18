// Frames to files on a thread of their own, so that encoding overlaps decoding. Made, fed and
// finished by one thread; feeding waits while the encoder is behind.
#pragma once

#include <memory>
#include <optional>
#include <thread>

#include "base/bounded_queue.h"
#include "engine/frame.h"
#include "media/frame_sink.h"
#include "telemetry/writer.h"

namespace reelmesh {

class WriteStage {
public:
    WriteStage(const std::string& format, const SinkSpec& spec);
    ~WriteStage(); ///< unfinished: nothing stays behind
    WriteStage(const WriteStage&) = delete;
    WriteStage& operator=(const WriteStage&) = delete;

    /// Throws the writer's error as soon as it is known.
    void put(const Frame& frame);
    /// Waits for the last frame; completes, verifies and names the file.
    WrittenMedia finish();

    TelemetryWriter& telemetry() { return telemetry_; }
    /// Time spent encoding and finishing.
    double seconds() const { return static_cast<double>(busy_ns_) * 1e-9; }

private:
    void loop();
    void join();

    std::unique_ptr<FrameSink> sink_;
    TelemetryWriter telemetry_{-1};
    BoundedQueue<Frame> queue_;
    std::exception_ptr error_; ///< written by the thread, read after join()
    std::int64_t busy_ns_ = 0; ///< likewise
    std::thread thread_;
};

} // namespace reelmesh
