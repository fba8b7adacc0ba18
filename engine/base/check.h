// How engine code stops: an exception that carries an Error. Caught once, at the top of each thread.
#pragma once

#include <exception>
#include <initializer_list>
#include <string>
#include <utility>

#include "engine/error.h"

namespace reelmesh {

class EngineException : public std::exception {
public:
    explicit EngineException(Error error);
    const Error& error() const { return error_; }
    const char* what() const noexcept override { return message_.c_str(); }

private:
    Error error_;
    std::string message_;
};

/// Throws; arguments are {"name", value} pairs as error.h lists them for the code.
[[noreturn]] void fail(ErrorCode code, std::initializer_list<ErrorArgument> arguments = {});
/// The same without throwing.
Error make_error(ErrorCode code, std::initializer_list<ErrorArgument> arguments = {});
/// The exception in flight as an Error: our own kept, bad_alloc as OutOfMemory, others as Internal.
Error current_error();

/// Runs a function and turns what it throws into the Result's error: for the library's border.
template <class F>
auto catch_errors(F&& function) -> Result<decltype(function())> {
    try {
        return std::forward<F>(function)();
    } catch (...) {
        return current_error();
    }
}

} // namespace reelmesh

/// A broken promise inside the engine, never a property of files or users.
#define REELMESH_CHECK(condition)                                                                            \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ::reelmesh::fail(                                                                                \
                ::reelmesh::ErrorCode::Internal,                                                             \
                {{"reason", std::string(__FILE__ ":") + std::to_string(__LINE__) + ": " #condition}});       \
    } while (false)
