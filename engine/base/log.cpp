#include "base/log.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

namespace reelmesh {
namespace {

std::int64_t now_ms() {
    return std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
}

} // namespace

const char* log_level_name(LogLevel level) {
    switch (level) {
    case LogLevel::Debug: return "debug";
    case LogLevel::Info: return "info";
    case LogLevel::Warning: return "warn";
    case LogLevel::Error: return "error";
    }
    return "info";
}

std::string log_line_text(const LogLine& line) {
    const std::time_t seconds = line.time_ms / 1000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> time{};
    std::strftime(time.data(), time.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    std::string milliseconds = std::to_string(1000 + line.time_ms % 1000);
    std::string text = std::string(time.data()) + "." + milliseconds.substr(1) + "Z " +
                       log_level_name(line.level) +
                       (line.job == 0 ? "" : " job " + std::to_string(line.job)) + " " + line.text;
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

Log::Log(LogLevel level, const std::string& file, Sink sink)
    : level_(level), sink_(std::move(sink)), file_(file) {}

void Log::write(LogLevel level, JobId job, std::string text) {
    if (!wants(level)) return;
    const LogLine line{level, now_ms(), job, std::move(text)};
    const std::lock_guard lock(mutex_);
    sink_(line);
    if (file_.append(log_line_text(line) + "\n")) {
        file_failed_ = false;
        return;
    }
    const int reason = errno;
    if (std::exchange(file_failed_, true)) return;
    sink_({LogLevel::Warning, line.time_ms, 0,
           "the log file " + file_.path() + " cannot be written: " + std::strerror(reason)});
}

} // namespace reelmesh
