#include "base/check.h"

#include "base/excerpt.h"

#include <new>

namespace reelmesh {

EngineException::EngineException(Error error) : error_(std::move(error)), message_(error_message(error_)) {}

Error make_error(ErrorCode code, std::initializer_list<ErrorArgument> arguments) {
    Error error;
    error.code = code;
    error.arguments = arguments;
    return error;
}

void fail(ErrorCode code, std::initializer_list<ErrorArgument> arguments) {
    throw EngineException(make_error(code, arguments));
}

Error current_error() {
    try {
        throw;
    } catch (const EngineException& exception) {
        return exception.error();
    } catch (const std::bad_alloc&) {
        return make_error(ErrorCode::OutOfMemory);
    } catch (const std::exception& exception) {
        const std::string reason = exception.what();
        // LibTorch's allocators report exhaustion as a plain error.
        for (const char* words :
             {"not enough memory", "can't allocate memory", "out of memory", "CUBLAS_STATUS_ALLOC_FAILED"})
            if (reason.find(words) != std::string::npos) return make_error(ErrorCode::OutOfMemory);
        return make_error(ErrorCode::Internal, {{"reason", first_line(reason)}});
    } catch (...) {
        return make_error(ErrorCode::Internal, {{"reason", std::string("unknown exception")}});
    }
}

} // namespace reelmesh
