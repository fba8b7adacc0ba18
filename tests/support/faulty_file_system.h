// The real file system whose n-th call fails, and the loop that fails every call in turn. One thread.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "base/check.h"
#include "base/file_ops.h"

namespace reelmesh::testing {

class FaultyFileSystem : public FileSystem {
public:
    /// The n-th call from now on (from 1) fails with this errno; 0: none.
    FaultyFileSystem(int failing_call, int error_number)
        : failing_call_(failing_call), error_number_(error_number) {
        set_file_system(this);
    }
    ~FaultyFileSystem() override { set_file_system(nullptr); }

    bool failed() const { return failing_call_ != 0 && calls_ >= failing_call_; }

    int open(const char* path, int flags, mode_t mode) override {
        return fails() ? -1 : FileSystem::open(path, flags, mode);
    }
    ssize_t write(int descriptor, const void* data, std::size_t size) override {
        return fails() ? -1 : FileSystem::write(descriptor, data, size);
    }
    off_t seek(int descriptor, off_t offset) override {
        return fails() ? -1 : FileSystem::seek(descriptor, offset);
    }
    int fsync(int descriptor) override { return fails() ? -1 : FileSystem::fsync(descriptor); }
    int close(int descriptor) override {
        const int result = FileSystem::close(descriptor);
        return fails() ? -1 : result;
    }
    int rename(const char* from, const char* to) override {
        return fails() ? -1 : FileSystem::rename(from, to);
    }
    int rename_no_replace(const char* from, const char* to) override {
        return fails() ? -1 : FileSystem::rename_no_replace(from, to);
    }
    int mkdir(const char* path, mode_t mode) override { return fails() ? -1 : FileSystem::mkdir(path, mode); }

private:
    bool fails() {
        if (++calls_ != failing_call_) return false;
        errno = error_number_;
        return true;
    }

    int failing_call_, error_number_;
    int calls_ = 0;
};

/// Fails every call of the operation in turn until none is left to fail, and checks what each failure leaves;
/// returns how many calls there are.
inline int fail_every_call(int error_number, ErrorCode expected, const std::function<void()>& operation,
                           const std::function<void()>& check) {
    for (int call = 1;; ++call) {
        SCOPED_TRACE("call " + std::to_string(call));
        const FaultyFileSystem faulty(call, error_number);
        try {
            operation();
            if (!faulty.failed()) return call - 1;
            ADD_FAILURE() << "the failure was not told";
        } catch (const EngineException& exception) {
            EXPECT_STREQ(error_name(exception.error().code), error_name(expected));
        }
        check();
    }
}

} // namespace reelmesh::testing
