#include <algorithm>

#include "commands.h"
#include "interrupt.h"
#include "job_files.h"
#include "job_watch.h"
#include "json_output.h"
#include "plan_text.h"

namespace reelmesh {
namespace {

bool about_the_same(const Error& one, const Error& other) {
    return one.code == other.code && one.text("field") == other.text("field") &&
           one.text("axis") == other.text("axis");
}

/// The engine stops at the first fault; users want all of them.
void add_faults(const Engine& engine, const JobRequest& request, const Error& verdict,
                std::vector<Error>& errors) {
    errors.push_back(verdict);
    const Result<FamilyRules> rules = engine.rules(request.model);
    const std::vector<Error> faults =
        rules ? validate(with_defaults(request, *rules), *rules) : validate_without_model(request);
    for (const Error& fault : faults)
        if (!about_the_same(fault, verdict)) errors.push_back(fault);
}

OrderedJson planned_json(const JobRequest& request, const PlanSet& plans) {
    return {{"id", nullptr},
            {"state", "planned"},
            {"job", job_object(job_to_json(request, JobScope::Whole))},
            {"plan", plan_json(plans)}};
}

int plan_jobs(const Engine& engine, const std::vector<JobRequest>& requests, Console& console) {
    std::vector<Error> errors;
    OrderedJson jobs = OrderedJson::array();
    std::string text;
    for (const JobRequest& request : requests) {
        const Result<FamilyRules> rules = engine.rules(request.model);
        const Result<PlanSet> plans = rules ? engine.plan(request, engine.hardware()) : rules.error();
        if (!plans) {
            add_faults(engine, request, plans.error(), errors);
            continue;
        }
        if (!plans->plans.empty() && plans->plans.front().refusal)
            errors.push_back(*plans->plans.front().refusal);
        const JobRequest complete = with_defaults(request, *rules);
        jobs.push_back(planned_json(complete, *plans));
        text += job_to_json(complete, JobScope::Whole) + "\n" + plan_text(*plans);
    }
    if (!errors.empty()) return refuse(errors, console);
    if (console.json())
        console.result(OrderedJson{{"jobs", jobs}});
    else
        console.result(text);
    return 0;
}

void tell(const JobStateChanged& end, Console& console) {
    const JobReport& report = end.report;
    for (const std::string& notice : report.notices)
        console.warning(notice);
    if (end.state == JobState::Failed) console.error(end.error);
    if (end.state != JobState::Done) return;
    const StageTimings& timings = report.timings;
    const double seconds = timings.load + timings.text + timings.denoise + timings.decode + timings.write;
    console.note(std::to_string(report.frames) + " frames, seed " + std::to_string(report.seed) + ", mesh " +
                 report.mesh + ", " + seconds_text(seconds));
}

int code_of(const std::vector<JobStateChanged>& ends) {
    const auto first = [&](JobState state) {
        return std::find_if(ends.begin(), ends.end(), [=](const auto& end) { return end.state == state; });
    };
    if (first(JobState::Canceled) != ends.end()) return kInterruptedExit;
    const auto failed = first(JobState::Failed);
    return failed == ends.end() ? 0 : exit_code(failed->error);
}

int run_jobs(Engine& engine, const std::vector<JobId>& jobs, Console& console) {
    const std::vector<JobStateChanged> ends = JobWatch(engine, console).wait(jobs);
    OrderedJson array = OrderedJson::array();
    for (const JobStateChanged& end : ends) {
        tell(end, console);
        array.push_back(job_json(end));
        if (!console.json() && !end.report.output.empty()) console.result(end.report.output + "\n");
    }
    if (console.json()) console.result(OrderedJson{{"jobs", array}});
    return code_of(ends);
}

} // namespace

int run_generate(Engine& engine, const CommandLine& line, Console& console) {
    const Requests read = read_requests(engine, line, console);
    if (!read.errors.empty()) return refuse(read.errors, console);
    if (line.dry_run) return plan_jobs(engine, read.requests, console);

    catch_interrupts();
    std::vector<Error> errors;
    std::vector<JobId> jobs;
    for (const JobRequest& request : read.requests) {
        const Result<JobId> job = engine.submit(request, line.run);
        if (job)
            jobs.push_back(*job);
        else
            add_faults(engine, request, job.error(), errors);
    }
    if (errors.empty()) return run_jobs(engine, jobs, console);
    for (const JobId job : jobs)
        engine.cancel(job);
    return refuse(errors, console);
}

} // namespace reelmesh
