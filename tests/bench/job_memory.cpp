// Many jobs of the sample model in one engine: what each of them leaves behind once it is forgotten. Exit
// code 5 where the resident size grows by more than the limit a job, counted from the 20th on.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace reelmesh {
namespace {

constexpr int kSettled = 20;
constexpr int kCheckFailed = 5;

double resident_kib() {
    // What the allocator keeps for itself is no leak.
    ::malloc_trim(0);
    std::ifstream statm("/proc/self/statm");
    double pages = 0, resident = 0;
    statm >> pages >> resident;
    return resident * 4;
}

struct End : EventSink {
    using EventSink::on;
    void on(const JobStateChanged& event) override {
        if (event.job == job) state = event.state;
    }
    JobId job = 0;
    JobState state = JobState::Pending;
};

/// Of the line through all points from the first to the last: one odd figure says nothing.
double slope(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto x = static_cast<double>(i);
        sum_x += x;
        sum_y += values[i];
        sum_xx += x * x;
        sum_xy += x * values[i];
    }
    return (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x);
}

int run(int jobs, double limit_kib, const std::string& resources) {
    EngineOptions options;
    options.resources = resources;
    const std::unique_ptr<Engine> engine(reelmesh_create_engine(kEngineAbi, &options));
    JobRequest request;
    request.prompt = "a red ball rolls over a meadow";
    request.width = request.height = 64;
    request.frames = 9;
    request.steps = 2;
    RunOptions run;
    run.write_output = false;
    std::vector<double> sizes;
    for (int i = 0; i < jobs; ++i) {
        request.seed = static_cast<std::uint64_t>(i);
        End end;
        const Result<JobId> job = engine->submit(request, run);
        if (!job) {
            std::fprintf(stderr, "%s\n", error_message(job.error()).c_str());
            return 1;
        }
        end.job = *job;
        while (end.state != JobState::Done) {
            engine->drain(end, std::chrono::milliseconds(10));
            if (end.state == JobState::Failed || end.state == JobState::Canceled) return 1;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        engine->forget(*job);
        if (i >= kSettled) sizes.push_back(resident_kib());
    }
    const double growth = slope(sizes);
    std::printf("{\"jobs\":%d,\"first_kib\":%.0f,\"last_kib\":%.0f,\"kib_a_job\":%.1f,\"limit\":%.0f}\n",
                jobs, sizes.front(), sizes.back(), growth, limit_kib);
    return growth > limit_kib ? kCheckFailed : 0;
}

} // namespace
} // namespace reelmesh

int main(int argc, char** argv) {
    const int jobs = argc > 1 ? std::atoi(argv[1]) : 200;
    const double limit_kib = argc > 2 ? std::atof(argv[2]) : 50;
    return reelmesh::run(std::max(jobs, reelmesh::kSettled + 2), limit_kib, argc > 3 ? argv[3] : "");
}
