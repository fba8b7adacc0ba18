#include "jobs/job_log.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "device/hardware.h"
#include "device/proc_files.h"

namespace reelmesh {
namespace {

/// Beyond it a step is worth a remark, as in the timeline's bar.
constexpr double kCalmStep = 1.05;
constexpr std::size_t kStepsForMedian = 3;
constexpr double kGib = 1024.0 * 1024 * 1024;

template <class... A>
std::string format(const char* pattern, A... values) {
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), pattern, values...);
    return text.data();
}

std::string seconds_text(double seconds) {
    return seconds < 1 ? format("%.0f ms", seconds * 1e3) : format("%.2f s", seconds);
}

std::string bytes_text(double bytes) {
    if (bytes >= 1e9) return format("%.2f GB", bytes * 1e-9);
    return bytes >= 1e6 ? format("%.1f MB", bytes * 1e-6) : format("%.1f kB", bytes * 1e-3);
}

std::string counted(std::int64_t count, const char* thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string timings_text(const StageTimings& timings) {
    std::string text;
    const std::pair<const char*, double> parts[] = {{"load", timings.load},
                                                    {"text", timings.text},
                                                    {"denoise", timings.denoise},
                                                    {"decode", timings.decode},
                                                    {"write", timings.write}};
    for (const auto& [name, seconds] : parts)
        if (seconds > 0) text += std::string(text.empty() ? "" : ", ") + name + " " + seconds_text(seconds);
    return text;
}

} // namespace

void JobLog::queued(const JobRequest& request) {
    write(LogLevel::Info, "queued: " + std::to_string(*request.width) + "x" +
                              std::to_string(*request.height) + ", " + counted(*request.frames, "frame") +
                              ", " + counted(*request.steps, "step") + ", seed " +
                              std::to_string(*request.seed));
}

void JobLog::mesh_ready(const std::string& mesh, int ranks, double seconds) {
    write(LogLevel::Info,
          "mesh " + mesh + " ready, " + counted(ranks, "rank") + ", " + seconds_text(seconds));
}

void JobLog::stage_begins(Stage stage) {
    if (!log_.wants(LogLevel::Info)) return;
    write(LogLevel::Info,
          std::string(stage_name(stage)) + " begins, " +
              format("%.2f GiB used, %.2f GiB free", static_cast<double>(resident_bytes()) / kGib,
                     static_cast<double>(proc::available_memory()) / kGib));
}

void JobLog::telemetry(const std::vector<TelemetryEvent>& events) {
    for (const TelemetryEvent& event : events)
        if (event.kind == EventKind::Exchange && event.step >= 0) sent_bytes_ += double(event.bytes);
}

double JobLog::median_step() const {
    std::vector<double> sorted = step_seconds_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

void JobLog::step(const StepDone& done) {
    std::string text = "step " + std::to_string(done.step + 1) + "/" + std::to_string(done.steps) + ": " +
                       seconds_text(done.seconds);
    if (step_seconds_.size() >= kStepsForMedian && done.seconds > kCalmStep * median_step())
        text += ", median " + seconds_text(median_step());
    if (sent_bytes_ > 0 && !done.rank_seconds.empty())
        text += ", " + bytes_text(sent_bytes_ / static_cast<double>(done.rank_seconds.size())) + " per rank";
    sent_bytes_ = 0;
    step_seconds_.push_back(done.seconds);
    write(LogLevel::Info, std::move(text));
}

void JobLog::ended(const JobStateChanged& end) {
    for (const std::string& notice : end.report.notices)
        write(LogLevel::Warning, notice);
    if (!end.report.output.empty()) write(LogLevel::Info, "saved " + end.report.output);
    const std::string timings = timings_text(end.report.timings);
    if (end.state == JobState::Failed)
        write(LogLevel::Error, error_message(end.error));
    else
        write(LogLevel::Info,
              std::string(job_state_name(end.state)) + (timings.empty() ? "" : ": " + timings));
}

} // namespace reelmesh
