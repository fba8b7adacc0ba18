#include "commands.h"
#include "json_output.h"
#include "plan_text.h"

namespace reelmesh {
namespace {

std::string model_text(const InspectReport& report) {
    std::string text = "family " + report.family + ", preset " + report.preset + "\n";
    for (const ComponentSummary& component : report.components)
        text += component.name + ": " + component.class_name + ", " + std::to_string(component.parameters) +
                " parameters, " + bytes_text(component.file_bytes) + ", " + component.stored_dtype + "\n";
    for (const auto& [pattern, dtype] : report.dtype_map)
        text += "computed in " + dtype + ": " + pattern + "\n";
    for (const std::string& name : report.missing)
        text += "missing: " + name + "\n";
    for (const std::string& name : report.unmatched)
        text += "unmatched, not used: " + name + "\n";
    return text + plan_text(report.plan);
}

std::string media_text(const InspectReport& report) {
    return std::to_string(report.frames) + " frames, " + frame_rate_text(report.fps) + " fps, " +
           std::to_string(report.width) + "x" + std::to_string(report.height) + ", " + report.color + "\n" +
           (report.job_json.empty() ? "no settings inside" : report.job_json) + "\n";
}

std::string inspect_text(const InspectReport& report) {
    std::string text = report.path + ": " + report.kind + "\n";
    if (report.kind == "model") text += model_text(report);
    if (report.kind == "media") text += media_text(report);
    if (report.kind == "job") text += report.job_json + "\n";
    for (const TensorSummary& tensor : report.tensors) {
        text += tensor.name + " " + tensor.dtype + " [";
        for (std::size_t i = 0; i < tensor.shape.size(); ++i)
            text += (i == 0 ? "" : ", ") + std::to_string(tensor.shape[i]);
        text += "]\n";
    }
    return text;
}

} // namespace

int run_inspect(Engine& engine, const CommandLine& line, Console& console) {
    JobRequest request;
    if (const std::vector<Error> errors = apply_fields(line, request); !errors.empty())
        return refuse(errors, console);
    const InspectDetail detail = line.tensors ? InspectDetail::Tensors : InspectDetail::Summary;
    const Result<InspectReport> report = engine.inspect(line.path, request, detail).get();
    if (!report) return refuse({report.error()}, console);
    if (console.json())
        console.result(inspect_json(*report));
    else
        console.result(inspect_text(*report));
    return 0;
}

} // namespace reelmesh
