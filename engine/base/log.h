// The engine's log: lines with level, time and job. All of them go to the file, and to the sink, which may
// fold. Lines below the level are not made. Any thread; a file that cannot be written is told once and stops
// nothing.
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "base/log_file.h"
#include "engine/events.h"

namespace reelmesh {

/// "debug", "info", "warn", "error".
const char* log_level_name(LogLevel level);
/// "2026-11-30T08:27:55.123Z info job 41 text", no line end; line breaks in the text become spaces.
std::string log_line_text(const LogLine& line);

class Log {
public:
    using Sink = std::function<void(const LogLine&)>;

    Log(LogLevel level, const std::string& file, Sink sink);

    void write(LogLevel level, JobId job, std::string text);
    bool wants(LogLevel level) const { return level >= level_; }

private:
    const LogLevel level_;
    const Sink sink_;
    std::mutex mutex_; // guards all below
    LogFile file_;
    bool file_failed_ = false;
};

} // namespace reelmesh
