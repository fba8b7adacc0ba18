#include "progress_bar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "json_output.h"

namespace reelmesh {
namespace {

constexpr int kBarWidth = 24;

std::string bar(double fraction) {
    const int filled = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * kBarWidth);
    return "[" + std::string(static_cast<std::size_t>(filled), '=') +
           std::string(static_cast<std::size_t>(kBarWidth - filled), ' ') + "]";
}

OrderedJson remaining_json(double seconds) {
    return seconds < 0 ? OrderedJson() : OrderedJson(seconds);
}

std::string two_digits(std::int64_t value) {
    return (value < 10 ? ":0" : ":") + std::to_string(value);
}

} // namespace

std::string duration_text(double seconds) {
    constexpr double kLongest = 1e9;
    if (!(seconds >= 0) || seconds > kLongest) return "?";
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    const std::int64_t minutes = whole / 60;
    if (minutes < 60) return std::to_string(minutes) + two_digits(whole % 60);
    return std::to_string(minutes / 60) + two_digits(minutes % 60) + two_digits(whole % 60);
}

std::string seconds_text(double seconds) {
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::min(seconds, 1e12),
                                   std::chars_format::fixed, 2);
    return std::string(buffer.data(), end.ptr) + " s";
}

void ProgressBar::show(const JobStateChanged& change) {
    if (console_.json()) {
        OrderedJson event{{"event", "state"}, {"job", change.job}, {"state", job_state_name(change.state)}};
        if (change.stage != Stage::None) event["stage"] = stage_name(change.stage);
        if (change.stopping) event["stopping"] = true;
        return console_.event(event);
    }
    if (change.state == JobState::Running && !change.stopping && change.stage != stage_ &&
        change.stage != Stage::None)
        console_.status(stage_name(change.stage));
    stage_ = change.stage;
}

void ProgressBar::show(const StepDone& step) {
    if (console_.json())
        return console_.event({{"event", "step"},
                               {"job", step.job},
                               {"step", step.step + 1},
                               {"steps", step.steps},
                               {"s_per_step", step.seconds},
                               {"eta_s", remaining_json(step.remaining_seconds)}});
    console_.status("denoise " + bar((step.step + 1.0) / std::max(step.steps, 1)) + " " +
                    std::to_string(step.step + 1) + "/" + std::to_string(step.steps) + ", " +
                    seconds_text(step.seconds) + " a step, " + duration_text(step.remaining_seconds) +
                    " left");
}

void ProgressBar::show(const StageProgress& progress) {
    if (console_.json())
        return console_.event({{"event", "stage"},
                               {"job", progress.job},
                               {"stage", stage_name(progress.stage)},
                               {"done", progress.done},
                               {"total", progress.total},
                               {"eta_s", remaining_json(progress.remaining_seconds)}});
    const double fraction = progress.total > 0 ? progress.done / progress.total : 0;
    console_.status(std::string(stage_name(progress.stage)) + " " + bar(fraction) + " " +
                    std::to_string(static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 100)) + " %");
}

} // namespace reelmesh
