#include "console.h"

#include <ostream>

#include "json_output.h"

namespace reelmesh {
namespace {

constexpr const char* kClearLine = "\r\x1b[K";

} // namespace

Console::Console(std::ostream& output, std::ostream& errors, const CommandLine& line, Terminal terminal)
    : output_(output), errors_(errors), json_(line.json), verbosity_(line.verbosity), terminal_(terminal) {}

void Console::result(const std::string& text) {
    output_ << text;
}

void Console::result(const nlohmann::ordered_json& object) {
    output_ << json_text(object, 2) << '\n';
}

bool Console::finish() {
    if (drawn_) errors_ << '\n' << std::flush;
    drawn_ = false;
    output_.flush();
    return output_.good();
}

void Console::error(const Error& error) {
    if (!json_) return line("reelmesh-cli: " + error_message(error));
    nlohmann::ordered_json object = error_json(error);
    object.emplace("event", "error");
    line(json_text(object));
}

void Console::warning(const std::string& text) {
    if (!shows(Verbosity::Warnings)) return;
    line(json_ ? json_text({{"event", "warning"}, {"text", text}}) : "reelmesh-cli: " + text);
}

void Console::note(const std::string& text) {
    if (shows(Verbosity::Info)) line(json_ ? json_text({{"event", "note"}, {"text", text}}) : text);
}

void Console::event(const nlohmann::ordered_json& object) {
    if (json_ && shows(Verbosity::Info)) line(json_text(object));
}

void Console::status(const std::string& text) {
    if (!shows(Verbosity::Info)) return;
    if (terminal_ == Terminal::No) return line(text);
    errors_ << kClearLine << text << std::flush;
    drawn_ = true;
}

void Console::line(const std::string& text) {
    if (drawn_) errors_ << kClearLine;
    drawn_ = false;
    errors_ << text << '\n' << std::flush;
}

} // namespace reelmesh
