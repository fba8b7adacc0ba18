// What can go wrong, as data: a code with named arguments. Text is made from it in one place,
// error_message(), so that the same error can be shown in any language and tested without words.
// Plain values: any thread may copy or read them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace reelmesh {

enum class ErrorCode {
    None,
    // What the user asked for (exit 2).
    BadField,       // {field} {found} {needed} {nearest}: a value outside its legal values
    UnknownField,   // {field} {nearest}
    JobSyntax,      // {file} {field} {found} {needed}: a job file that is no job
    PromptTooLong,  // {field} {found} {needed}: bytes
    PromptNotUtf8,  // {field} {offset}
    OutputExists,   // {file}
    MeshSyntax,     // {found} {needed}
    MeshIllegal,    // {mesh} {axis} {found} {needed} {nearest}
    MeshNotInBuild, // {mesh} {axis}
    // Refused before work (exit 3).
    MeshTooLarge,   // {found} {needed} {nearest}: ranks
    MemoryTooSmall, // {needed_bytes} {free_bytes} {device} {phase} {remedies}
    // A file is missing, unreadable or not what it claims (exit 4).
    FileMissing,          // {file}
    FileUnreadable,       // {file} {reason}; of traces also {found} {needed} {remedy}
    NotAModel,            // {file} {found}: empty, directory, web page, Git LFS pointer ...
    Truncated,            // {file} {needed_bytes} {found_bytes}
    TrailingBytes,        // {file} {found_bytes}: surplus bytes
    HeaderTooLong,        // {file} {found_bytes} {needed_bytes}
    HeaderSyntax,         // {file} {reason}
    DuplicateName,        // {file} {name}
    UnknownDtype,         // {file} {tensor} {found}
    BadNumber,            // {file} {tensor} {field} {found}
    ShapeOverflow,        // {file} {tensor} {found}
    SpanMismatch,         // {file} {tensor} {found_bytes} {needed_bytes}
    GapOrOverlap,         // {file} {tensor} {found} {needed}: offsets
    UnsafeName,           // {file} {name} {reason}
    BadLink,              // {file} {reason}
    BadShards,            // {file} {problems}: list, one entry a shard or tensor
    IndexSyntax,          // {file} {reason}
    WeightMismatch,       // {file} {problems}: list, one entry a weight
    ModelMismatch,        // {file} {field} {found} {needed}
    ConfigSyntax,         // {file} {reason}
    BadConfig,            // {file} {field} {found} {needed}
    UnsupportedModel,     // {file} {found} {needed}: the known ones
    LimitExceeded,        // {file} {what} {found} {needed}
    TokenizerSyntax,      // {file} {reason}
    UnsupportedTokenizer, // {file} {field} {found}
    TensorFileMismatch,   // {file} {tensor} {found} {needed}: --initial-latents and the like
    EngineLibrary,        // {file} {reason}: the engine library could not be opened
    // The place for the output: refused beforehand (exit 3), or failed while writing (exit 1).
    FolderMissing, // {file}
    NotWritable,   // {file} {reason}
    DiskFull,      // {file} {needed_bytes} {free_bytes}
    QuotaExceeded, // {file}
    NameTooLong,   // {file} {found} {needed}
    WriteFailed,   // {file} {reason}
    // The job failed while running (exit 1).
    EncoderFailed,        // {encoder} {reason}
    EncoderMissing,       // {found} {needed}
    VerifyFailed,         // {file} {found} {needed}: frames that decode
    NotFinite,            // {tensor}
    OutOfMemory,          // {needed_bytes} {free_bytes}
    CommunicatorMismatch, // {found} {needed}: ranks issued different calls
    CommunicatorTimeout,  // {operation} {missing} {last_calls}: list, one entry a rank
    CommunicatorAborted,  // another rank failed
    Internal,             // {reason}
    // Not a failure (exit 130).
    Canceled,
};

/// Where in a job something happened.
enum class Stage { None, Plan, Load, Text, Denoise, Decode, Write };

/// "load", "text" ...: also the keys of timings_s.
const char* stage_name(Stage stage);

struct ErrorArgument {
    std::string name;
    std::variant<std::int64_t, std::uint64_t, double, std::string, std::vector<std::string>> value;
};

struct Error {
    ErrorCode code = ErrorCode::None;
    std::vector<ErrorArgument> arguments;
    int rank = -1; ///< -1: no rank's
    Stage stage = Stage::None;
    int step = -1; ///< -1: outside the loop; counted from 0
    std::shared_ptr<const Error> cause;

    /// The argument of that name as text, "" if there is none.
    std::string text(const std::string& name) const;
};

/// "BadField": stable, for JSON and tests.
const char* error_name(ErrorCode code);
/// English: the thing, the value found, the value needed, the next action.
std::string error_message(const Error& error);
/// Exit code of the command line: 1 failed while running, 2 bad arguments, 3 refused beforehand, 4 a file is
/// not what it should be, 130 cut short. A disk or folder that refuses before work is 3, while writing 1.
int exit_code(const Error& error);

/// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    T& value() { return std::get<0>(state_); }
    const T& value() const { return std::get<0>(state_); }
    const Error& error() const { return std::get<1>(state_); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }

private:
    std::variant<T, Error> state_;
};

} // namespace reelmesh
