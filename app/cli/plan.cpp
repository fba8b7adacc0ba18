#include "commands.h"
#include "json_output.h"
#include "plan_text.h"

namespace reelmesh {

int run_plan(Engine& engine, const CommandLine& line, Console& console) {
    JobRequest request;
    if (const std::vector<Error> errors = apply_fields(line, request); !errors.empty())
        return refuse(errors, console);
    const Result<HardwareSnapshot> hardware = line.hardware.empty()
                                                  ? Result<HardwareSnapshot>(engine.hardware())
                                                  : engine.hardware_preset(line.hardware);
    if (!hardware) return refuse({hardware.error()}, console);
    const Result<PlanSet> plans = line.family.empty() ? engine.plan(request, *hardware)
                                                      : engine.plan_preset(line.family, request, *hardware);
    if (!plans) return refuse({plans.error()}, console);
    if (console.json())
        console.result(plan_json(*plans));
    else
        console.result(plan_text(*plans));
    // The list is the result; that nothing in it can run is the verdict.
    if (plans->plans.empty() || !plans->plans.front().refusal) return 0;
    console.error(*plans->plans.front().refusal);
    return exit_code(*plans->plans.front().refusal);
}

} // namespace reelmesh
