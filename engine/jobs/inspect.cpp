#include "jobs/inspect.h"

#include <ATen/Version.h>
#include <torch/headeronly/version.h>

#include <filesystem>

#include "base/check.h"
#include "base/regular_file.h"
#include "device/cuda_backend.h"
#include "media/encoder_probe.h"
#include "media/job_metadata.h"
#include "pipeline/loaded_model.h"
#include "pipeline/planner.h"
#include "weights/safetensors.h"

namespace reelmesh {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLongestJobFile = 16 << 20;

void list_tensors(const std::map<std::string, TensorEntry>& entries, const std::string& prefix,
                  std::vector<TensorSummary>& into) {
    for (const auto& [name, entry] : entries)
        into.push_back({prefix + name, entry.dtype, entry.shape});
}

void inspect_model(const std::string& path, const JobRequest& request, const HardwareSnapshot& hardware,
                   InspectDetail detail, InspectReport& report) {
    const ModelCard card = read_model_card(path);
    const FamilyRules rules = family_rules(card);
    const JobRequest complete = complete_request(request, rules);
    report.kind = "model";
    report.family = rules.family;
    report.preset = rules.preset;
    describe_weights(card, resolve_dtype(complete, card, hardware), report);
    report.plan = make_plans({card, rules, complete, hardware});
    if (detail == InspectDetail::Summary) return;
    for (const ComponentCard& component : card.components)
        list_tensors(ComponentFiles::open(component.folder, component.weights_stem)->tensors(),
                     component.name + ".", report.tensors);
}

} // namespace

InspectReport inspect_path(const std::string& path, const JobRequest& request,
                           const HardwareSnapshot& hardware, InspectDetail detail) {
    InspectReport report;
    report.path = path;
    const std::string ending = fs::path(path).extension().string();
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        inspect_model(path, request, hardware, detail, report);
    } else if (ending == ".safetensors") {
        report.kind = "tensors";
        list_tensors(SafetensorsFile(path).tensors(), "", report.tensors);
    } else if (ending == ".json" || ending == ".reeljob") {
        const Result<JobRequest> job = job_from_json(read_regular_file(path, kLongestJobFile), path);
        if (!job) throw EngineException(job.error());
        report.kind = "job";
        report.job_json = job_to_json(*job, JobScope::Whole);
    } else {
        report = inspect_media(path);
    }
    return report;
}

EngineInfo engine_info(const std::string& sample_model, const HardwareSnapshot& hardware) {
    EngineInfo info;
    info.version = REELMESH_VERSION;
    info.torch = TORCH_VERSION;
    if (const CudaBackend* cuda = cuda_part().backend) {
        info.cuda = cuda->cuda_version();
        info.nccl = cuda->nccl_version();
    }
    info.hardware = hardware;
    info.encoders = probe_encoders();
    info.sample_model = sample_model;
    return info;
}

} // namespace reelmesh
