// The command line as data. Job keys become flags by the engine's table and are kept as text, since they are
// laid over each job file. Pure: nothing is read or printed here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <engine/error.h>
#include <engine/request.h>

namespace reelmesh {

enum class Verbosity { Errors, Warnings, Info };

struct CommandLine {
    enum class Command { None, Generate, Plan, Parity, Bench, Info, Inspect, Tokenize, Export };

    Command command = Command::None;
    std::vector<std::pair<std::string, std::string>> fields; ///< job key and its text as typed
    std::vector<std::string> job_files;
    RunOptions run;
    std::string path;               ///< inspect, export
    std::string range;              ///< inspect of a trace: A:B in milliseconds from its start; "": all
    std::string format, output;     ///< export
    std::vector<std::string> words; ///< tokenize
    std::string family, hardware;   ///< plan: presets; "": the model's files, this machine
    std::string against = "single"; ///< parity
    std::string what;               ///< bench
    bool json = false, dry_run = false, tensors = false;
    Verbosity verbosity = Verbosity::Info;

    std::string help;          ///< help or version was asked for: print it and end
    std::vector<Error> errors; ///< what is wrong, all of it
};

/// Arguments without the program's name.
CommandLine parse_command_line(std::vector<std::string> arguments);

/// Lays the flags over a request; the errors of unreadable values.
std::vector<Error> apply_fields(const CommandLine& line, JobRequest& request);

} // namespace reelmesh
