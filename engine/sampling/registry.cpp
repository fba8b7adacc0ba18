#include <array>

#include "base/check.h"
#include "sampling/dpmpp_2m.h"
#include "sampling/euler.h"
#include "sampling/sampler.h"
#include "sampling/schedule.h"
#include "sampling/unipc.h"

namespace reelmesh {
namespace {

using Factory = std::unique_ptr<Sampler> (*)(const SchedulerConfig&, double shift, int steps);

struct Entry {
    std::string_view name;
    Factory make;
};

constexpr std::array<Entry, 3> kSamplers{{
    {"unipc",
     [](const SchedulerConfig& config, double shift, int steps) -> std::unique_ptr<Sampler> {
         return std::make_unique<UniPcSampler>(config, flow_schedule(config, shift, steps));
     }},
    {"dpmpp_2m",
     [](const SchedulerConfig& config, double shift, int steps) -> std::unique_ptr<Sampler> {
         return std::make_unique<Dpmpp2mSampler>(config, earlier_flow_schedule(config, shift, steps));
     }},
    {"euler",
     [](const SchedulerConfig& config, double shift, int steps) -> std::unique_ptr<Sampler> {
         return std::make_unique<EulerSampler>(euler_schedule(config, shift, steps));
     }},
}};

} // namespace

std::unique_ptr<Sampler> make_sampler(std::string_view name, const SchedulerConfig& config, double shift,
                                      int steps) {
    for (const Entry& entry : kSamplers)
        if (entry.name == name) return entry.make(config, shift, steps);
    fail(ErrorCode::Internal, {{"reason", "unknown sampler " + std::string(name)}});
}

std::vector<std::string_view> sampler_names() {
    std::vector<std::string_view> names;
    for (const Entry& entry : kSamplers)
        names.push_back(entry.name);
    return names;
}

} // namespace reelmesh
