#include "commands.h"
#include "json_output.h"

namespace reelmesh {
namespace {

std::string tokens_text(const TokenizedPrompt& prompt) {
    std::string text = prompt.text + "\n";
    for (const std::int64_t id : prompt.ids)
        text += std::to_string(id) + " ";
    text.back() = '\n';
    text += std::to_string(prompt.count) + " of " + std::to_string(prompt.limit) + " tokens\n";
    if (prompt.cut_byte >= 0) text += "cut at byte " + std::to_string(prompt.cut_byte) + "\n";
    return text;
}

} // namespace

int run_tokenize(Engine& engine, const CommandLine& line, Console& console) {
    JobRequest request;
    std::vector<Error> errors = apply_fields(line, request);
    for (const std::string& word : line.words)
        request.prompt += (request.prompt.empty() ? "" : " ") + word;
    for (Error& fault : validate_without_model(request))
        errors.push_back(std::move(fault));
    if (!errors.empty()) return refuse(errors, console);
    const Result<TokenizedPrompt> prompt = engine.tokenize(request.model, request.prompt).get();
    if (!prompt) return refuse({prompt.error()}, console);
    if (console.json())
        console.result(tokens_json(*prompt));
    else
        console.result(tokens_text(*prompt));
    return 0;
}

} // namespace reelmesh
