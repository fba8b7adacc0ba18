#include "engine/request.h"

#include <gmock/gmock.h>

namespace reelmesh {
namespace {

JobRequest with(std::string_view key, std::string_view text) {
    JobRequest job;
    const auto set = set_field(job, key, text);
    EXPECT_TRUE(set) << key << " " << text << ": " << (set ? "" : error_message(set.error()));
    return job;
}

TEST(SetFieldTest, ReadsEveryKind) {
    EXPECT_EQ(with("prompt", "7,5 a").prompt, "7,5 a");
    EXPECT_EQ(*with("negative_prompt", "").negative_prompt, "");
    EXPECT_EQ(*with("frames", "-1").frames, -1);
    EXPECT_EQ(*with("guidance", "7.5").guidance, 7.5);
    EXPECT_EQ(*with("guidance", "1").guidance, 1.0);
    EXPECT_EQ(*with("fps", "23.976").fps, (FrameRate{24000, 1001}));
    EXPECT_EQ(*with("seed", "18446744073709551615").seed, UINT64_MAX);
    EXPECT_EQ(with("ranks", "2").ranks, 2);
    EXPECT_EQ(with("devices", "cuda:0,cuda:1").devices, (std::vector<std::string>{"cuda:0", "cuda:1"}));
    EXPECT_EQ(with("output", "a/b.mp4").output.path, "a/b.mp4");
    for (const char* size : {"832x480", "832X480", "832*480", "832\u00D7480"}) {
        EXPECT_EQ(*with("size", size).width, 832);
        EXPECT_EQ(*with("size", size).height, 480);
    }
}

TEST(SetFieldTest, UnreadableTextLeavesTheRequestAlone) {
    const std::pair<const char*, const char*> rows[] = {{"frames", "17.0"},
                                                        {"frames", ""},
                                                        {"frames", "99999999999999999999"},
                                                        {"frames", "1e1"},
                                                        {"frames", "0x10"},
                                                        {"steps", "four"},
                                                        {"guidance", "7,5"},
                                                        {"guidance", "nan"},
                                                        {"guidance", "inf"},
                                                        {"guidance", "-infinity"},
                                                        {"guidance", "1e999"},
                                                        {"guidance", "5 "},
                                                        {"seed", "-1"},
                                                        {"seed", "18446744073709551616"},
                                                        {"fps", "16,5"},
                                                        {"size", "832"},
                                                        {"size", "x480"},
                                                        {"size", "832x480x3"},
                                                        {"ranks", "2147483648"},
                                                        {"devices", "cpu,"}};
    for (const auto& [key, text] : rows) {
        JobRequest job;
        const auto set = set_field(job, key, text);
        ASSERT_FALSE(set) << key << " " << text;
        EXPECT_EQ(set.error().code, ErrorCode::BadField);
        EXPECT_EQ(set.error().text("field"), key);
        EXPECT_NE(set.error().text("needed"), "");
        if (std::string_view(key) != "devices") {
            EXPECT_EQ(job, JobRequest()) << key;
        }
    }
}

TEST(SetFieldTest, UnknownKeysOfferTheNearest) {
    JobRequest job;
    EXPECT_EQ(set_field(job, "stpes", "4").error().text("nearest"), "steps");
    EXPECT_EQ(set_field(job, "giudance", "4").error().text("nearest"), "guidance");
    EXPECT_EQ(set_field(job, "qqqqqq", "4").error().text("nearest"), "");
    EXPECT_EQ(set_field(job, std::string(100000, 'a'), "4").error().code, ErrorCode::UnknownField);
}

TEST(SetFieldTest, TableKeysAreUniqueAndDescribed) {
    std::vector<std::string_view> keys;
    for (const RequestField& field : request_fields()) {
        EXPECT_NE(field.help, "") << field.key;
        EXPECT_LE(field.minimum, field.maximum) << field.key;
        EXPECT_EQ(field.kind == FieldKind::Choice, !field.choices.empty()) << field.key;
        keys.push_back(field.key);
    }
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

} // namespace
} // namespace reelmesh
