#include "options.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace reelmesh {
namespace {

constexpr int kMaxThreads = 1024;
constexpr const char* kFilePlace = "FILE";

std::string flag_of(std::string_view key) {
    if (key == "devices") return "--device";
    std::string flag = "--" + std::string(key);
    std::replace(flag.begin() + 2, flag.end(), '_', '-');
    return flag;
}

Error bad_flag(const std::string& flag, const std::string& found, const std::string& needed) {
    Error error;
    error.code = ErrorCode::BadField;
    error.arguments = {{"field", flag}, {"found", found}, {"needed", needed}};
    return error;
}

class Parser {
public:
    CommandLine parse(std::vector<std::string> arguments) {
        app_.set_help_flag("-h,--help", "Print this help and end.");
        app_.set_version_flag("--version", "reelmesh-cli " REELMESH_VERSION);
        app_.require_subcommand(0, 1);
        app_.allow_extras();
        add_generate();
        add_plan();
        add_parity();
        add_bench();
        add_info();
        add_inspect();
        add_tokenize();
        add_export();
        run(std::move(arguments));
        return std::move(line_);
    }

private:
    CLI::App& add_command(const char* name, const char* help, CommandLine::Command command) {
        CLI::App& added = *app_.add_subcommand(name, help);
        added.allow_extras();
        added.callback([this, command] { line_.command = command; });
        added.add_flag("--json", line_.json,
                       "Print the result as one JSON object, progress as an object a line.");
        added.add_flag("--quiet", quiet_, "Print errors alone.");
        added.add_option("--log-level", log_level_, "What stderr gets: error, warning or info.");
        return added;
    }

    void add_field(CLI::App& command, const std::string& flags, const std::string& key,
                   std::string_view help) {
        const auto keep = [this, key](const std::string& text) { line_.fields.emplace_back(key, text); };
        command.add_option_function<std::string>(flags, keep, std::string(help))->type_name("");
    }

    void add_fields(CLI::App& command) {
        for (const RequestField& field : request_fields()) {
            const std::string shorter = field.key == "negative_prompt" ? ",--negative" : "";
            add_field(command, flag_of(field.key) + shorter, std::string(field.key), field.help);
        }
        add_field(command, "--size", "size", "Width and height: 832x480.");
    }

    void add_path(CLI::App& command, const char* flag, std::string& path, const char* help) {
        command.add_option(flag, path, help)->type_name(kFilePlace);
    }

    void add_generate() {
        CLI::App& command =
            add_command("generate", "Make videos from prompts.", CommandLine::Command::Generate);
        add_fields(command);
        add_field(command, "-o,--output", "output", "File, or folder that gets the next free name.");
        command
            .add_option("--job", line_.job_files, "Job file, or media that carries its settings; repeatable.")
            ->type_name(kFilePlace)
            ->expected(1)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        command.add_option("--threads", threads_, "Threads over all ranks.");
        command.add_flag("--dry-run", line_.dry_run,
                         "Print the complete settings and the plan, run nothing.");
        RunOptions& run = line_.run;
        add_path(command, "--initial-latents", run.initial_latents,
                 "Noise to start from, in place of the seed's.");
        add_path(command, "--from-latents", run.from_latents, "Finished latents: decode and write only.");
        add_path(command, "--prompt-embeds", run.prompt_embeds, "Embedded prompt, in place of the text.");
        add_path(command, "--negative-embeds", run.negative_embeds, "Embedded negative prompt.");
        add_path(command, "--save-latents", run.save_latents, "Keep the final latents.");
        add_path(command, "--save-steps", run.save_steps, "Keep the latents of each step.");
        add_path(command, "--save-frames", run.save_frames, "Keep the decoded frames as float32.");
        add_path(command, "--save-embeds", run.save_embeds, "Keep the embedded prompts.");
        add_path(command, "--trace", run.trace,
                 "Keep a time line of the run: FILE.reeltrace, else Chrome trace JSON.");
    }

    void add_plan() {
        CLI::App& command =
            add_command("plan", "Print every mesh with its predicted time, memory and bytes, best first.",
                        CommandLine::Command::Plan);
        add_fields(command);
        command.add_option("--family", line_.family, "Published model, in place of --model's files.")
            ->type_name("NAME");
        command
            .add_option("--hardware", line_.hardware, "Machine such as 8xh100-nvlink, in place of this one.")
            ->type_name("NAME");
    }

    void add_parity() {
        CLI::App& command = add_command("parity", "Run a job on two meshes and compare the results.",
                                        CommandLine::Command::Parity);
        add_fields(command);
        command.add_option("--against", line_.against, "The other mesh, or cpu; single unless given.")
            ->type_name("");
        command.add_option("--threads", threads_, "Threads over all ranks.");
    }

    void add_bench() {
        CLI::App& command = add_command("bench", "Measure how much faster two ranks are than one.",
                                        CommandLine::Command::Bench);
        command.add_option("what", line_.what, "mesh")->type_name("WHAT");
    }

    void add_info() {
        add_command("info", "Print versions, devices and encoders.", CommandLine::Command::Info);
    }

    void add_inspect() {
        CLI::App& command = add_command("inspect", "Print what a model, media, tensor or job file holds.",
                                        CommandLine::Command::Inspect);
        command.add_option("path", line_.path, "Model folder or file.")->type_name("PATH");
        command.add_flag("--tensors", line_.tensors, "List the tensors too.");
        command
            .add_option("--range", line_.range,
                        "Of a trace: span A:B to sum up, milliseconds from its start.")
            ->type_name("A:B");
        add_fields(command);
    }

    void add_export() {
        CLI::App& command =
            add_command("export", "Turn a trace into another format.", CommandLine::Command::Export);
        command.add_option("path", line_.path, "Trace: a .reeltrace file.")->type_name("PATH");
        command.add_option("--format", line_.format, "perfetto: Chrome trace JSON.")->type_name("NAME");
        add_path(command, "-o,--output", line_.output, "File to write.");
    }

    void add_tokenize() {
        CLI::App& command =
            add_command("tokenize", "Print a prompt as the model reads it.", CommandLine::Command::Tokenize);
        command.add_option("text", line_.words, "Prompt.")->type_name("TEXT");
        for (const RequestField& field : request_fields())
            if (field.key == "prompt" || field.key == "model")
                add_field(command, flag_of(field.key), std::string(field.key), field.help);
    }

    void run(std::vector<std::string> arguments) {
        // The parser takes "--flag=" for a flag without a value.
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (arguments[i].starts_with("--") && arguments[i].find('=') == arguments[i].size() - 1) {
                arguments[i].pop_back();
                arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, "");
            }
        // Known before all else, so that even errors come in the form asked for.
        line_.json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
        std::reverse(arguments.begin(), arguments.end());
        try {
            app_.parse(arguments);
        } catch (const CLI::CallForHelp&) {
            line_.help = app_.help();
            return;
        } catch (const CLI::CallForVersion& version) {
            line_.help = std::string(version.what()) + "\n";
            return;
        } catch (const CLI::ParseError& error) {
            refuse(error);
            return;
        }
        check();
    }

    /// "--steps: 1 required TEXT missing" and the like.
    void refuse(const CLI::ParseError& error) {
        const std::string words = error.what();
        const std::size_t colon = words.find(':');
        const std::string flag = colon == std::string::npos ? "command line" : words.substr(0, colon);
        const bool nothing = words.find("missing") != std::string::npos;
        line_.errors.push_back(bad_flag(flag, nothing ? "nothing" : "\"" + words + "\"",
                                        nothing ? "a value" : "one value, given once"));
    }

    void check() {
        if (line_.command == CommandLine::Command::None) return refuse_command();
        const CLI::App& command = *app_.get_subcommands().front();
        for (const std::string& extra : command.remaining())
            if (extra.size() > 1 && extra.front() == '-')
                line_.errors.push_back(unknown_flag(command, extra));
        if (line_.errors.empty())
            for (const std::string& extra : command.remaining())
                line_.errors.push_back(bad_flag("argument", "\"" + extra + "\"", "a flag before it"));
        read_threads();
        read_log_level();
        if (line_.command == CommandLine::Command::Inspect && line_.path.empty())
            line_.errors.push_back(bad_flag("path", "nothing", "a model folder or a file"));
        if (line_.command == CommandLine::Command::Export) check_export();
        if (line_.command == CommandLine::Command::Bench && line_.what.empty())
            line_.errors.push_back(bad_flag("what", "nothing", "mesh"));
        if (line_.command == CommandLine::Command::Tokenize && line_.words.empty() && line_.fields.empty())
            line_.errors.push_back(bad_flag("text", "nothing", "a prompt"));
    }

    void check_export() {
        if (line_.path.empty()) line_.errors.push_back(bad_flag("path", "nothing", "a .reeltrace file"));
        if (line_.format != "perfetto")
            line_.errors.push_back(
                bad_flag("format", line_.format.empty() ? "nothing" : line_.format, "perfetto"));
        if (line_.output.empty()) line_.errors.push_back(bad_flag("output", "nothing", "a file"));
    }

    void refuse_command() {
        const std::vector<std::string> extras = app_.remaining();
        std::vector<std::string> names;
        for (const CLI::App* command : app_.get_subcommands({}))
            names.push_back(command->get_name());
        Error error =
            bad_flag("command", extras.empty() ? "nothing" : extras.front(), CLI::detail::join(names, ", "));
        const std::vector<std::string_view> known(names.begin(), names.end());
        if (!extras.empty()) error.arguments.push_back({"nearest", nearest_name(extras.front(), known)});
        line_.errors.push_back(error);
    }

    static Error unknown_flag(const CLI::App& command, const std::string& typed) {
        std::vector<std::string> flags;
        for (const CLI::Option* option : command.get_options())
            for (const std::string& name : option->get_lnames())
                flags.push_back("--" + name);
        const std::vector<std::string_view> known(flags.begin(), flags.end());
        const std::string flag = typed.substr(0, typed.find('='));
        Error error;
        error.code = ErrorCode::UnknownField;
        error.arguments = {{"field", flag}, {"nearest", nearest_name(flag, known)}};
        return error;
    }

    void read_threads() {
        if (threads_.empty()) return;
        int& threads = line_.run.threads;
        const char* end = threads_.data() + threads_.size();
        const auto [stop, failure] = std::from_chars(threads_.data(), end, threads);
        if (failure != std::errc() || stop != end || threads < 1 || threads > kMaxThreads)
            line_.errors.push_back(
                bad_flag("threads", threads_, "a whole number from 1 to " + std::to_string(kMaxThreads)));
    }

    void read_log_level() {
        if (log_level_ == "error")
            line_.verbosity = Verbosity::Errors;
        else if (log_level_ == "warning")
            line_.verbosity = Verbosity::Warnings;
        else if (log_level_ != "info")
            line_.errors.push_back(bad_flag("log-level", log_level_, "error, warning or info"));
        if (quiet_) line_.verbosity = Verbosity::Errors;
    }

    CLI::App app_{"Turns prompts into videos.", "reelmesh-cli"};
    CommandLine line_;
    bool quiet_ = false;
    std::string log_level_ = "info", threads_;
};

} // namespace

CommandLine parse_command_line(std::vector<std::string> arguments) {
    return Parser().parse(std::move(arguments));
}

std::vector<Error> apply_fields(const CommandLine& line, JobRequest& request) {
    std::vector<Error> errors;
    for (const auto& [key, text] : line.fields)
        if (const Result<bool> set = set_field(request, key, text); !set) errors.push_back(set.error());
    return errors;
}

} // namespace reelmesh
