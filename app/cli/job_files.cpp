#include "job_files.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "json_output.h"

namespace reelmesh {
namespace {

/// Records of a past run: to be read by people, without effect on a new one.
constexpr std::array<std::string_view, 5> kRecords{"app_version", "model_hash", "prompt_raw", "plan",
                                                   "timings"};

Result<JobRequest> read_job(Engine& engine, const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".reeljob" || ending == ".json") return job_from_file(path);
    const Result<InspectReport> report = engine.inspect(path, {}, InspectDetail::Summary).get();
    if (!report) return report.error();
    if (report->job_json.empty()) {
        Error error;
        error.code = ErrorCode::JobSyntax;
        error.arguments = {{"file", path}, {"reason", std::string("it carries no settings")}};
        return error;
    }
    return job_from_json(report->job_json, path);
}

void warn_of_unknown(const std::string& path, const JobRequest& job, Console& console) {
    if (job.schema > kJobSchema)
        console.warning(path + ": written by a newer version (schema " + std::to_string(job.schema) + ")");
    std::string names;
    const OrderedJson unknown = job_object(job.unknown_keys_json);
    for (const auto& [name, value] : unknown.items())
        if (std::find(kRecords.begin(), kRecords.end(), name) == kRecords.end())
            names += (names.empty() ? "" : ", ") + name;
    if (!names.empty()) console.warning(path + ": unknown settings, kept but without effect: " + names);
}

} // namespace

Requests read_requests(Engine& engine, const CommandLine& line, Console& console) {
    Requests all;
    if (line.job_files.empty()) all.requests.emplace_back();
    for (const std::string& path : line.job_files) {
        Result<JobRequest> job = read_job(engine, path);
        if (!job) {
            all.errors.push_back(job.error());
            continue;
        }
        warn_of_unknown(path, *job, console);
        all.requests.push_back(std::move(*job));
    }
    JobRequest probe;
    for (Error& error : apply_fields(line, probe))
        all.errors.push_back(std::move(error));
    for (JobRequest& request : all.requests)
        (void)apply_fields(line, request);
    return all;
}

} // namespace reelmesh
