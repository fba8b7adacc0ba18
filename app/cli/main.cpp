// reelmesh-cli: the engine without a window.
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <memory>

#include <engine/trace.h>

#include "commands.h"

namespace {

using namespace reelmesh;

int run_command(Engine& engine, const CommandLine& line, Console& console) {
    switch (line.command) {
    case CommandLine::Command::Generate: return run_generate(engine, line, console);
    case CommandLine::Command::Plan: return run_plan(engine, line, console);
    case CommandLine::Command::Parity: return run_parity(engine, line, console);
    case CommandLine::Command::Bench: return run_bench(engine, line, console);
    case CommandLine::Command::Info: return run_info(engine, line, console);
    case CommandLine::Command::Inspect: return run_inspect(engine, line, console);
    case CommandLine::Command::Tokenize: return run_tokenize(engine, line, console);
    case CommandLine::Command::Export:
    case CommandLine::Command::None: break;
    }
    return 0;
}

int run(const CommandLine& line, Console& console) {
    if (!line.errors.empty()) return refuse(line.errors, console);
    if (!line.help.empty()) {
        console.result(line.help);
        return 0;
    }
    // Traces need no engine, which takes long to start.
    if (line.command == CommandLine::Command::Export) return run_export(line, console);
    if (line.command == CommandLine::Command::Inspect && line.path.ends_with(kTraceSuffix))
        return run_inspect_trace(line, console);
    const EngineOptions options;
    const std::unique_ptr<Engine> engine(reelmesh_create_engine(kEngineAbi, &options));
    if (!engine) {
        Error error;
        error.code = ErrorCode::EngineLibrary;
        error.arguments = {{"file", std::string("libreelmesh_engine.so")},
                           {"reason", std::string("it belongs to another version")}};
        return refuse({error}, console);
    }
    return run_command(*engine, line, console);
}

} // namespace

int main(int argc, char** argv) {
    // A reader that went away is an error of stdout, not the end.
    std::signal(SIGPIPE, SIG_IGN);
    const CommandLine line = parse_command_line({argv + 1, argv + argc});
    const auto terminal = ::isatty(STDERR_FILENO) ? Console::Terminal::Yes : Console::Terminal::No;
    Console console(std::cout, std::cerr, line, terminal);
    int code = 1;
    try {
        code = run(line, console);
    } catch (const std::exception& exception) {
        Error error;
        error.code = ErrorCode::Internal;
        error.arguments = {{"reason", std::string(exception.what())}};
        code = refuse({error}, console);
    }
    if (console.finish()) return code;
    std::cerr << "reelmesh-cli: the result could not be written to the standard output\n";
    return code == 0 ? 1 : code;
}
