#include <gtest/gtest.h>

#include "base/check.h"

namespace reelmesh {
namespace {

TEST(ErrorMessageTest, NamesThingFoundAndNeeded) {
    const Error error =
        make_error(ErrorCode::BadField, {{"field", std::string("width")},
                                         {"found", std::int64_t{640}},
                                         {"needed", std::string("a multiple of 16")},
                                         {"nearest", std::vector<std::string>{"624", "656"}}});
    EXPECT_EQ(error_message(error), "width: 640 is not legal, needed: a multiple of 16; nearest: 624, 656");
}

TEST(ErrorMessageTest, LeavesOutPartsWithoutArgument) {
    const Error error =
        make_error(ErrorCode::BadField, {{"field", std::string("guidance")}, {"found", std::string("nan")}});
    EXPECT_EQ(error_message(error), "guidance: nan is not legal");
}

TEST(ErrorMessageTest, SizesHaveTheUnitThatPeopleUse) {
    const auto text = [](std::uint64_t needed, std::uint64_t free) {
        return error_message(
            make_error(ErrorCode::MemoryTooSmall, {{"needed_bytes", needed}, {"free_bytes", free}}));
    };
    EXPECT_EQ(text(25729900956, 7448014848), "needs about 24.0 GiB, 6.9 GiB are free");
    EXPECT_EQ(text(2223566899036, 900), "needs about 2.0 TiB, 900 bytes are free");
}

TEST(ErrorMessageTest, SaysWhereAndWhy) {
    Error error = make_error(ErrorCode::NotFinite, {{"tensor", std::string("the velocity of video")}});
    error.stage = Stage::Denoise;
    error.step = 1;
    error.rank = 3;
    EXPECT_EQ(error_message(error),
              "the velocity of video holds values that are not finite; nothing was written "
              "(denoise, step 2, rank 3)");
    Error outer = make_error(ErrorCode::CommunicatorAborted);
    outer.cause = std::make_shared<Error>(error);
    EXPECT_NE(error_message(outer).find("; because the velocity of video"), std::string::npos);
}

TEST(ErrorMessageTest, EveryCodeHasNameTextAndExitCode) {
    for (int value = 0; value <= static_cast<int>(ErrorCode::Canceled); ++value) {
        const Error error = make_error(static_cast<ErrorCode>(value));
        EXPECT_STRNE(error_name(error.code), value == 0 ? "" : "None") << value;
        EXPECT_FALSE(error_message(error).empty()) << value;
        const int code = exit_code(error);
        EXPECT_TRUE(code == 0 || (code >= 1 && code <= 4) || code == 130) << error_name(error.code);
    }
}

TEST(ErrorMessageTest, FullDiskIsRefusedBeforehandAndFailsWhileWriting) {
    Error error = make_error(ErrorCode::DiskFull);
    EXPECT_EQ(exit_code(error), 3);
    error.stage = Stage::Write;
    EXPECT_EQ(exit_code(error), 1);
}

TEST(CheckTest, ForeignExceptionsBecomeErrors) {
    const auto thrown = [](auto exception) { return catch_errors([&]() -> int { throw exception; }); };
    EXPECT_EQ(thrown(std::bad_alloc()).error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(thrown(std::runtime_error("DefaultCPUAllocator: can't allocate memory")).error().code,
              ErrorCode::OutOfMemory);
    const Result<int> other = thrown(std::runtime_error("first line\nsecond line"));
    EXPECT_EQ(other.error().code, ErrorCode::Internal);
    EXPECT_EQ(other.error().text("reason"), "first line");
    EXPECT_EQ(catch_errors([] { return 7; }).value(), 7);
}

} // namespace
} // namespace reelmesh
