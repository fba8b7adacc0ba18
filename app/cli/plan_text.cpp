#include "plan_text.h"

#include <array>
#include <charconv>

#include "json_output.h"
#include "progress_bar.h"

namespace reelmesh {

std::string bytes_text(std::uint64_t bytes) {
    constexpr double kStep = 1024;
    constexpr const char* kUnits[] = {" KiB", " MiB", " GiB", " TiB"};
    if (bytes < 1024) return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes) / kStep;
    std::size_t unit = 0;
    for (; value >= kStep && unit + 1 < std::size(kUnits); ++unit)
        value /= kStep;
    std::array<char, 64> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 2);
    return std::string(buffer.data(), end.ptr) + kUnits[unit];
}

std::string plan_text(const PlanSet& plans) {
    std::string text = "latents " + std::to_string(plans.latent_frames) + " x " +
                       std::to_string(plans.latent_height) + " x " + std::to_string(plans.latent_width) +
                       ", " + std::to_string(plans.tokens) + " tokens, " + plans.dtype + "\n";
    for (const Plan& plan : plans.plans) {
        text += "mesh " + plan.mesh + ": ";
        if (plan.refusal) {
            text += "refused: " + error_message(*plan.refusal) + "\n";
            continue;
        }
        text += std::to_string(plan.ranks) + (plan.ranks == 1 ? " rank, " : " ranks, ") +
                std::to_string(plan.forwards_per_step) + " forward passes a step, about " +
                seconds_text(plan.step_seconds) + " a step, " + seconds_text(plan.total_seconds) +
                " in all, peak memory about " + bytes_text(plan.memory.peak());
        for (const AxisCost& axis : plan.axes)
            text += ", " + axis.axis + " sends " + bytes_text(axis.bytes_per_step) +
                    (axis.axis == "vae" ? " a rank" : " a rank and step");
        for (const std::string& warning : plan.warnings)
            text += "; " + warning;
        text += "\n";
    }
    return text;
}

} // namespace reelmesh
