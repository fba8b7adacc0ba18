// The two streams of the program: stdout gets the result and nothing else, stderr what happens meanwhile, in
// words or as JSON lines. One thread.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>

#include <engine/error.h>

#include "options.h"

namespace reelmesh {

class Console {
public:
    enum class Terminal { No, Yes };

    /// Borrows the streams; terminal: whether errors is one, where a line can be drawn over.
    Console(std::ostream& output, std::ostream& errors, const CommandLine& line, Terminal terminal);

    bool json() const { return json_; }
    bool shows(Verbosity level) const { return level <= verbosity_; }

    void result(const std::string& text);
    void result(const nlohmann::ordered_json& object);
    /// False if stdout did not take everything.
    bool finish();

    void error(const Error& error);
    void warning(const std::string& text);
    void note(const std::string& text);
    void event(const nlohmann::ordered_json& object);
    /// One line that the next one replaces on a terminal.
    void status(const std::string& text);

private:
    void line(const std::string& text);

    std::ostream& output_;
    std::ostream& errors_;
    const bool json_;
    const Verbosity verbosity_;
    const Terminal terminal_;
    bool drawn_ = false; ///< a status line stands on the terminal
};

} // namespace reelmesh
