#include <charconv>

#include "commands.h"
#include "json_output.h"

namespace reelmesh {
namespace {

std::string short_number(double value) {
    std::array<char, 32> buffer{};
    const auto end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 3);
    return {buffer.data(), end.ptr};
}

std::string parity_text(const ParityReport& report) {
    const std::string bound =
        report.latents_bound == 0 ? "bit-equal" : "at most " + short_number(report.latents_bound);
    return report.mesh + " against " + report.against + ": latents " +
           (report.latents_equal ? "bit-equal" : "rel L2 " + short_number(report.latents_rel_l2)) + " (" +
           bound + "), frames differ by " + short_number(report.frames_max_abs * 255) + "/255 (at most " +
           short_number(report.frames_bound * 255) + "/255): " + (report.within ? "equal" : "DIFFERENT") +
           "\n";
}

OrderedJson parity_json(const ParityReport& report) {
    return {{"mesh", report.mesh},
            {"against", report.against},
            {"latents_rel_l2", report.latents_rel_l2},
            {"latents_bound", report.latents_bound},
            {"latents_equal", report.latents_equal},
            {"frames_max_abs", report.frames_max_abs},
            {"frames_bound", report.frames_bound},
            {"within", report.within}};
}

OrderedJson bench_json(const BenchReport& report) {
    OrderedJson cases = OrderedJson::array();
    for (const BenchCase& measured : report.cases) {
        OrderedJson object{{"name", measured.name}};
        for (const auto& [name, value] : measured.values)
            object[name] = value;
        object["limit"] = measured.limit;
        cases.push_back(std::move(object));
    }
    return {{"cases", std::move(cases)}};
}

} // namespace

int run_parity(Engine& engine, const CommandLine& line, Console& console) {
    JobRequest request;
    if (const std::vector<Error> errors = apply_fields(line, request); !errors.empty())
        return refuse(errors, console);
    const Result<ParityReport> report = engine.parity(request, line.run, request.mesh, line.against).get();
    if (!report) return refuse({report.error()}, console);
    if (console.json())
        console.result(parity_json(*report));
    else
        console.result(parity_text(*report));
    return report->within ? 0 : 1;
}

int run_bench(Engine& engine, const CommandLine& line, Console& console) {
    console.note("measuring, this takes a few minutes");
    const Result<BenchReport> report = engine.bench(line.what).get();
    if (!report) return refuse({report.error()}, console);
    console.result(bench_json(*report));
    return 0;
}

} // namespace reelmesh
