// The only place where an Error becomes English, and where codes get names and exit codes.
#include <array>
#include <charconv>
#include <cstdio>

#include "engine/error.h"
#include "engine/events.h"

namespace reelmesh {
namespace {

struct CodeRow {
    ErrorCode code;
    const char* name;
    int exit_code;
    /// {name} stands for an argument; a part in [ ] is left out when one of its arguments is missing.
    const char* text;
};

using enum ErrorCode;

constexpr CodeRow kRows[] = {
    {None, "None", 0, "no error"},
    {BadField, "BadField", 2, "{field}: {found} is not legal[, needed: {needed}][; nearest: {nearest}]"},
    {UnknownField, "UnknownField", 2, "{field}: no such setting[; did you mean {nearest}?]"},
    {JobSyntax, "JobSyntax", 2, "{file}: not a job[: {field}][: {reason}][: found {found}, needed {needed}]"},
    {PromptTooLong, "PromptTooLong", 2, "{field}: {found} bytes, at most {needed} are taken; shorten it"},
    {PromptNotUtf8, "PromptNotUtf8", 2, "{field}: byte {offset} is not valid UTF-8; save the text as UTF-8"},
    {OutputExists, "OutputExists", 2, "{file} exists and is never replaced; choose another name or a folder"},
    {MeshSyntax, "MeshSyntax", 2, "mesh: cannot read {found}[, needed: {needed}]"},
    {MeshIllegal, "MeshIllegal", 2,
     "mesh {mesh}: {axis} {found} is illegal, {needed}[; these work: {nearest}]"},
    {MeshNotInBuild, "MeshNotInBuild", 2,
     "mesh {mesh}: the axis {axis} is not in this build[; these work: {nearest}]"},
    {MeshTooLarge, "MeshTooLarge", 3,
     "{found} ranks, this machine takes {needed}[; these meshes work: {nearest}]"},
    {MemoryTooSmall, "MemoryTooSmall", 3,
     "needs about {needed_bytes:size}[ on {device}][ while in {phase}], {free_bytes:size} are free[; try "
     "{remedies}]"},
    {FileMissing, "FileMissing", 4, "{file} does not exist; check the path"},
    {FileUnreadable, "FileUnreadable", 4,
     "{file} cannot be read: {reason}[; found {found}, needed {needed}][; {remedy}]"},
    {NotAModel, "NotAModel", 4, "{file} is not model data ({found})[; {needed}]"},
    {Truncated, "Truncated", 4,
     "{file} is cut short: {found_bytes} bytes, {needed_bytes} needed; fetch it again"},
    {TrailingBytes, "TrailingBytes", 4, "{file} has {found_bytes} surplus bytes at its end; fetch it again"},
    {HeaderTooLong, "HeaderTooLong", 4,
     "{file}: a header of {found_bytes} bytes, at most {needed_bytes} are read"},
    {HeaderSyntax, "HeaderSyntax", 4, "{file}: damaged header: {reason}"},
    {DuplicateName, "DuplicateName", 4, "{file}: the name {name} stands twice"},
    {UnknownDtype, "UnknownDtype", 4, "{file}: tensor {tensor} has the unknown type {found}"},
    {BadNumber, "BadNumber", 4,
     "{file}: tensor {tensor}: {field} holds {found}, a whole number from 0 is needed"},
    {ShapeOverflow, "ShapeOverflow", 4, "{file}: tensor {tensor}: the shape {found} is too large"},
    {SpanMismatch, "SpanMismatch", 4,
     "{file}: tensor {tensor} spans {found_bytes} bytes, its shape needs {needed_bytes}"},
    {GapOrOverlap, "GapOrOverlap", 4, "{file}: tensor {tensor} begins at {found}, {needed} is needed"},
    {UnsafeName, "UnsafeName", 4, "{file} names the file {name}: {reason}; nothing was opened"},
    {BadLink, "BadLink", 4, "{file} is a link that {reason}"},
    {BadShards, "BadShards", 4, "{file}: {problems}"},
    {IndexSyntax, "IndexSyntax", 4, "{file}: not an index of weights: {reason}"},
    {WeightMismatch, "WeightMismatch", 4, "{file} does not fit the model: {problems}"},
    {ModelMismatch, "ModelMismatch", 4, "{file}: {field} is {found}, {needed} is needed"},
    {ConfigSyntax, "ConfigSyntax", 4, "{file}: not a configuration: {reason}"},
    {BadConfig, "BadConfig", 4, "{file}: {field} is {found}, needed: {needed}"},
    {UnsupportedModel, "UnsupportedModel", 4, "{file}: {found} is not supported; known: {needed}"},
    {LimitExceeded, "LimitExceeded", 4, "{file}: {what} is {found}, at most {needed} are read"},
    {TokenizerSyntax, "TokenizerSyntax", 4, "{file}: damaged tokenizer: {reason}"},
    {UnsupportedTokenizer, "UnsupportedTokenizer", 4, "{file}: {field} {found} is not supported"},
    {TensorFileMismatch, "TensorFileMismatch", 4, "{file}: {tensor} is {found}, {needed} is needed"},
    {EngineLibrary, "EngineLibrary", 4, "the engine {file} cannot be opened: {reason}; install it again"},
    {FolderMissing, "FolderMissing", 3, "the folder of {file} is gone; choose another one"},
    {NotWritable, "NotWritable", 3, "{file} cannot be written: {reason}; choose another folder"},
    {DiskFull, "DiskFull", 3,
     "the disk is full: {file} needs[ {needed_bytes:size},] more than the {free_bytes:size} that are free"},
    {QuotaExceeded, "QuotaExceeded", 3, "{file}: the disk quota of this user is used up"},
    {NameTooLong, "NameTooLong", 3, "{file}: the name has {found} bytes, at most {needed} are possible"},
    {WriteFailed, "WriteFailed", 3, "{file} could not be written: {reason}"},
    {EncoderFailed, "EncoderFailed", 1, "the encoder {encoder} failed: {reason}"},
    {EncoderMissing, "EncoderMissing", 1, "no encoder for {needed} opened[; tried: {found}]"},
    {VerifyFailed, "VerifyFailed", 1, "{file} did not decode as written: {found} instead of {needed}"},
    {NotFinite, "NotFinite", 1, "{tensor} holds values that are not finite; nothing was written"},
    {OutOfMemory, "OutOfMemory", 1,
     "the memory ran out[: {needed_bytes:size} needed, {free_bytes:size} free]; take a smaller size or fewer "
     "frames"},
    {CommunicatorMismatch, "CommunicatorMismatch", 1, "ranks issued different calls: {found} and {needed}"},
    {CommunicatorTimeout, "CommunicatorTimeout", 1,
     "{operation} never completed; missing: {missing}. Last calls: {last_calls}. The next job gets a new "
     "mesh; try "
     "again, and report this if it comes back"},
    {CommunicatorAborted, "CommunicatorAborted", 1, "stopped because another rank failed"},
    {Internal, "Internal", 1, "internal error: {reason}"},
    {Canceled, "Canceled", 130, "cancelled"},
};

const CodeRow& row_of(ErrorCode code) {
    for (const CodeRow& row : kRows)
        if (row.code == code) return row;
    return kRows[0];
}

std::string number_text(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

struct ValueText {
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return number_text(value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const std::vector<std::string>& values) const {
        std::string text;
        for (const std::string& value : values)
            text += (text.empty() ? "" : ", ") + value;
        return text;
    }
};

/// "25729900956" as "24.0 GiB": for sizes that people compare with what they have.
std::string size_text(const std::string& bytes) {
    constexpr std::array<const char*, 5> kUnits{"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = 0;
    std::from_chars(bytes.data(), bytes.data() + bytes.size(), value);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit)
        value /= 1024;
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::fixed, unit == 0 ? 0 : 1)
                         .ptr;
    return std::string(buffer.data(), end) + " " + kUnits[unit];
}

/// Replaces {name}, and {name:size} by a size in its unit; complete tells whether every argument was there.
std::string fill(const Error& error, std::string_view pattern, bool& complete) {
    std::string text;
    for (std::size_t at = 0; at < pattern.size();) {
        const std::size_t close = pattern[at] == '{' ? pattern.find('}', at) : std::string_view::npos;
        if (close == std::string_view::npos) {
            text += pattern[at++];
            continue;
        }
        const std::string_view name = pattern.substr(at + 1, close - at - 1);
        const std::size_t colon = name.find(':');
        const std::string value = error.text(std::string(name.substr(0, colon)));
        complete = complete && !value.empty();
        text += value.empty() || colon == std::string_view::npos ? value : size_text(value);
        at = close + 1;
    }
    return text;
}

} // namespace

std::string Error::text(const std::string& name) const {
    for (const ErrorArgument& argument : arguments)
        if (argument.name == name) return std::visit(ValueText{}, argument.value);
    return {};
}

const char* error_name(ErrorCode code) {
    return row_of(code).name;
}

int exit_code(const Error& error) {
    const int code = row_of(error.code).exit_code;
    return code == 3 && error.stage == Stage::Write ? 1 : code;
}

std::string error_message(const Error& error) {
    const std::string_view pattern = row_of(error.code).text;
    std::string text;
    for (std::size_t at = 0; at < pattern.size();) {
        const std::size_t open = pattern.find('[', at);
        bool ignored = true;
        text += fill(error, pattern.substr(at, open == std::string_view::npos ? open : open - at), ignored);
        if (open == std::string_view::npos) break;
        const std::size_t close = pattern.find(']', open);
        bool complete = true;
        const std::string part = fill(error, pattern.substr(open + 1, close - open - 1), complete);
        if (complete) text += part;
        at = close + 1;
    }
    if (error.stage != Stage::None || error.step >= 0 || error.rank >= 0) {
        std::string where;
        if (error.stage != Stage::None) where += stage_name(error.stage);
        if (error.step >= 0) where += (where.empty() ? "step " : ", step ") + std::to_string(error.step + 1);
        if (error.rank >= 0) where += (where.empty() ? "rank " : ", rank ") + std::to_string(error.rank);
        text += " (" + where + ")";
    }
    if (error.cause) text += "; because " + error_message(*error.cause);
    return text;
}

const char* stage_name(Stage stage) {
    switch (stage) {
    case Stage::None: return "";
    case Stage::Plan: return "plan";
    case Stage::Load: return "load";
    case Stage::Text: return "text";
    case Stage::Denoise: return "denoise";
    case Stage::Decode: return "decode";
    case Stage::Write: return "write";
    }
    return "";
}

const char* job_state_name(JobState state) {
    switch (state) {
    case JobState::Pending: return "pending";
    case JobState::Running: return "running";
    case JobState::Paused: return "paused";
    case JobState::Done: return "done";
    case JobState::Failed: return "failed";
    case JobState::Canceled: return "canceled";
    }
    return "";
}

} // namespace reelmesh
