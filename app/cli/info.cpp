#include "commands.h"
#include "json_output.h"
#include "plan_text.h"

namespace reelmesh {
namespace {

std::string info_text(const EngineInfo& info) {
    const HardwareSnapshot& hardware = info.hardware;
    std::string text = "reelmesh " + info.version + ", LibTorch " + info.torch;
    if (!info.cuda.empty()) text += ", CUDA " + info.cuda;
    if (!info.nccl.empty()) text += ", NCCL " + info.nccl;
    text += "\n" + std::to_string(hardware.cores) + " cores, " + bytes_text(hardware.available_bytes) +
            " of " + bytes_text(hardware.total_bytes) + " available\n";
    for (const DeviceSummary& device : hardware.devices)
        text += "device " + device.id + ": " + device.name + ", " + bytes_text(device.free_bytes) + " free\n";
    if (!hardware.no_gpu_reason.empty()) text += "no GPU: " + hardware.no_gpu_reason + "\n";
    for (const std::string& notice : hardware.gpu_notices)
        text += "GPU test: " + notice + "\n";
    for (const EncoderSummary& encoder : info.encoders)
        text += "encoder " + encoder.name + ": " + (encoder.opened ? "works" : encoder.reason) + "\n";
    return text + "sample model: " + (info.sample_model.empty() ? "missing" : info.sample_model) + "\n";
}

} // namespace

int run_info(Engine& engine, const CommandLine&, Console& console) {
    const EngineInfo info = engine.info().get();
    if (console.json())
        console.result(info_json(info));
    else
        console.result(info_text(info));
    return 0;
}

} // namespace reelmesh
