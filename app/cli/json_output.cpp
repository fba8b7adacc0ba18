#include "json_output.h"

#include <algorithm>

namespace reelmesh {
namespace {

OrderedJson memory_json(const MemoryEstimate& memory) {
    return {{"base", memory.base},       {"weights", memory.weights}, {"text", memory.text},
            {"denoise", memory.denoise}, {"decode", memory.decode},   {"write", memory.write}};
}

template <class Range, class Function>
OrderedJson array_of(const Range& range, Function function) {
    OrderedJson array = OrderedJson::array();
    for (const auto& entry : range)
        array.push_back(function(entry));
    return array;
}

/// A figure of each axis, by its name.
template <class Figure>
OrderedJson by_axis(const Plan& plan, Figure AxisCost::*figure) {
    OrderedJson object = OrderedJson::object();
    for (const AxisCost& axis : plan.axes)
        object[axis.axis] = axis.*figure;
    return object;
}

OrderedJson share_json(const RankShare& share) {
    return {{"device", share.device},
            {"tokens", share.tokens},
            {"heads", share.heads},
            {"peak_bytes", share.peak_bytes}};
}

/// What an axis rules, beside the error as every command prints it.
OrderedJson refusal_json(const Plan& plan) {
    if (!plan.refusal) return nullptr;
    OrderedJson object = error_json(*plan.refusal);
    const OrderedJson arguments = object["arguments"];
    object["rule"] = arguments.value("axis", error_name(plan.refusal->code));
    for (const char* key : {"found", "needed", "nearest"})
        object[key] = arguments.contains(key) ? arguments[key] : OrderedJson();
    return object;
}

OrderedJson one_plan_json(const Plan& plan) {
    return {{"mesh", plan.mesh},
            {"ranks", plan.ranks},
            {"step_s", plan.step_seconds},
            {"text_s", plan.text_seconds},
            {"decode_s", plan.decode_seconds},
            {"total_s", plan.total_seconds},
            {"devices", plan.devices},
            {"forwards_per_step", plan.forwards_per_step},
            {"peak_bytes", plan.memory.peak()},
            {"memory", memory_json(plan.memory)},
            {"bytes_per_step", plan.bytes_per_step},
            {"bytes", by_axis(plan, &AxisCost::bytes_per_step)},
            {"total_bytes", by_axis(plan, &AxisCost::total_bytes)},
            {"exposed_s", by_axis(plan, &AxisCost::seconds_per_step)},
            {"shares", array_of(plan.shares, share_json)},
            {"weights", plan.weights},
            {"uneven", plan.uneven},
            {"warnings", plan.warnings},
            {"exact", plan.exact},
            {"refusal", refusal_json(plan)}};
}

OrderedJson device_json(const DeviceSummary& device) {
    return {{"id", device.id},
            {"name", device.name},
            {"total_bytes", device.total_bytes},
            {"free_bytes", device.free_bytes},
            {"fast_bf16", device.fast_bf16},
            {"rates",
             {{"gemm_flops", device.rates.gemm_flops},
              {"attention_flops", device.rates.attention_flops},
              {"memory_bytes_per_s", device.rates.memory_bytes_per_s},
              {"launch_s", device.rates.launch_s},
              {"basis", device.rates.basis}}}};
}

OrderedJson link_json(const LinkSummary& link) {
    return {{"from", link.from},
            {"to", link.to},
            {"kind", link.kind},
            {"bytes_per_s", link.bytes_per_s},
            {"latency_s", link.latency_s}};
}

OrderedJson tensors_json(const std::vector<TensorSummary>& tensors) {
    return array_of(tensors, [](const TensorSummary& tensor) {
        return OrderedJson{{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", tensor.shape}};
    });
}

void add_model(OrderedJson& object, const InspectReport& report) {
    object["family"] = report.family;
    object["preset"] = report.preset;
    object["components"] = array_of(report.components, [](const ComponentSummary& component) {
        return OrderedJson{{"name", component.name},
                           {"class", component.class_name},
                           {"parameters", component.parameters},
                           {"file_bytes", component.file_bytes},
                           {"stored_dtype", component.stored_dtype}};
    });
    object["missing"] = report.missing;
    object["unmatched"] = report.unmatched;
    object["dtype_map"] = OrderedJson::object();
    for (const auto& [pattern, dtype] : report.dtype_map)
        object["dtype_map"][pattern] = dtype;
    object["plan"] = plan_json(report.plan);
}

void add_media(OrderedJson& object, const InspectReport& report) {
    object["job"] = job_object(report.job_json);
    object["frames"] = report.frames;
    object["fps"] = report.fps.denominator == 1 ? OrderedJson(report.fps.numerator)
                                                : OrderedJson(frame_rate_text(report.fps));
    object["width"] = report.width;
    object["height"] = report.height;
    object["color"] = report.color;
}

} // namespace

std::string json_text(const OrderedJson& object, int indent) {
    return object.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson error_json(const Error& error) {
    OrderedJson object{{"code", error_name(error.code)}, {"message", error_message(error)}};
    OrderedJson& arguments = object["arguments"] = OrderedJson::object();
    for (const ErrorArgument& argument : error.arguments)
        std::visit([&](const auto& value) { arguments[argument.name] = value; }, argument.value);
    if (error.stage != Stage::None) object["stage"] = stage_name(error.stage);
    if (error.rank >= 0) object["rank"] = error.rank;
    if (error.step >= 0) object["step"] = error.step + 1;
    if (error.cause) object["cause"] = error_json(*error.cause);
    return object;
}

OrderedJson errors_json(const std::vector<Error>& errors) {
    return array_of(errors, error_json);
}

OrderedJson job_json(const JobStateChanged& end) {
    const JobReport& report = end.report;
    const StageTimings& timings = report.timings;
    return {{"id", end.job},
            {"state", job_state_name(end.state)},
            {"output", report.output.empty() ? OrderedJson() : OrderedJson(report.output)},
            {"frames", report.frames},
            {"seed", std::to_string(report.seed)},
            {"mesh", report.mesh},
            {"devices", report.devices},
            {"dtype", report.dtype},
            {"sampler", report.sampler},
            {"encoder", report.encoder},
            {"timings_s",
             {{"load", timings.load},
              {"text", timings.text},
              {"denoise", timings.denoise},
              {"decode", timings.decode},
              {"write", timings.write}}},
            {"bytes_by_axis", report.bytes_by_axis},
            {"peak_bytes", report.peak_bytes},
            {"notices", report.notices},
            {"error", end.state == JobState::Failed ? error_json(end.error) : OrderedJson()}};
}

OrderedJson plan_json(const PlanSet& plans) {
    OrderedJson object{{"family", plans.family},
                       {"hardware", plans.hardware.empty() ? "this machine" : plans.hardware},
                       {"basis", plans.basis},
                       {"dtype", plans.dtype},
                       {"tokens", plans.tokens},
                       {"latent_frames", plans.latent_frames},
                       {"latent_height", plans.latent_height},
                       {"latent_width", plans.latent_width}};
    if (!plans.plans.empty()) {
        object["mesh"] = plans.plans.front().mesh;
        object["peak_bytes"] = plans.plans.front().memory.peak();
    }
    object["plans"] = array_of(plans.plans, one_plan_json);
    return object;
}

OrderedJson inspect_json(const InspectReport& report) {
    OrderedJson object{{"kind", report.kind}, {"path", report.path}};
    if (report.kind == "model") add_model(object, report);
    if (report.kind == "media") add_media(object, report);
    if (report.kind == "job") object["job"] = job_object(report.job_json);
    if (report.kind == "tensors" || !report.tensors.empty()) object["tensors"] = tensors_json(report.tensors);
    return object;
}

OrderedJson info_json(const EngineInfo& info) {
    const HardwareSnapshot& hardware = info.hardware;
    return {{"version", info.version},
            {"torch", info.torch},
            {"cuda", info.cuda},
            {"nccl", info.nccl},
            {"cores", hardware.cores},
            {"total_bytes", hardware.total_bytes},
            {"available_bytes", hardware.available_bytes},
            {"devices", array_of(hardware.devices, device_json)},
            {"links", array_of(hardware.links, link_json)},
            {"encoders", array_of(info.encoders,
                                  [](const EncoderSummary& encoder) {
                                      return OrderedJson{{"name", encoder.name},
                                                         {"opened", encoder.opened},
                                                         {"reason", encoder.reason}};
                                  })},
            {"no_gpu_reason", hardware.no_gpu_reason},
            {"gpu_notices", hardware.gpu_notices},
            {"sample_model", info.sample_model}};
}

OrderedJson tokens_json(const TokenizedPrompt& prompt) {
    return {{"text", prompt.text},
            {"ids", prompt.ids},
            {"count", prompt.count},
            {"limit", prompt.limit},
            {"cut_byte", prompt.cut_byte < 0 ? OrderedJson() : OrderedJson(prompt.cut_byte)}};
}

OrderedJson job_object(const std::string& job_json) {
    OrderedJson object = OrderedJson::parse(job_json, nullptr, false);
    return object.is_object() ? object : OrderedJson();
}

} // namespace reelmesh
