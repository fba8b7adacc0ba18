#include <engine/trace.h>

#include <filesystem>

#include "commands.h"
#include "json_output.h"

namespace reelmesh {

int run_export(const CommandLine& line, Console& console) {
    std::error_code ignored;
    if (std::filesystem::exists(line.output, ignored)) {
        Error error;
        error.code = ErrorCode::OutputExists;
        error.arguments = {{"file", line.output}};
        return refuse({error}, console);
    }
    const Result<Trace> trace = read_trace(line.path);
    if (!trace) return refuse({trace.error()}, console);
    const Result<bool> written = write_trace_json(line.output, *trace);
    if (!written) return refuse({written.error()}, console);
    if (console.json())
        console.result(OrderedJson{{"output", line.output}, {"events", trace->events.size()}});
    else
        console.result(line.output + "\n");
    return 0;
}

} // namespace reelmesh
