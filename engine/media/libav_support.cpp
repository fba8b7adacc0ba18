#include "media/libav_support.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>

namespace reelmesh {
namespace {

// libav hands a message to one callback of the whole process, so only the thread tells whose it is.
thread_local bool collecting = false;
thread_local std::string first_message;

void collect(void*, int level, const char* format, va_list arguments) {
    if (level > AV_LOG_ERROR || !collecting || !first_message.empty()) return;
    std::array<char, 512> line{};
    std::vsnprintf(line.data(), line.size(), format, arguments);
    first_message = line.data();
    while (!first_message.empty() && (first_message.back() == '\n' || first_message.back() == '.'))
        first_message.pop_back();
}

} // namespace

LibavMessages::LibavMessages() : outer_(collecting) {
    static std::once_flag installed;
    std::call_once(installed, [] { av_log_set_callback(collect); });
    first_message.clear();
    collecting = true;
}

LibavMessages::~LibavMessages() {
    collecting = outer_;
}

std::string LibavMessages::reason(int libav_error) const {
    if (!first_message.empty()) return first_message;
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    av_strerror(libav_error, text.data(), text.size());
    return text.data();
}

} // namespace reelmesh
