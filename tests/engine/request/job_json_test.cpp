#include "rules_of.h"

#include <gmock/gmock.h>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <random>

namespace reelmesh {
namespace {

using testing::HasSubstr;

JobRequest full_job() {
    JobRequest job;
    job.prompt = std::string("a \"kite\"\n\0 \xF0\x9F\xAA\x81", 15);
    job.negative_prompt = "模糊";
    job.width = 832;
    job.height = 480;
    job.frames = 81;
    job.fps = FrameRate{30000, 1001};
    job.steps = 40;
    job.guidance = 7.5;
    job.guidance2 = 0.1;
    job.shift = 3.0000000000000004;
    job.sampler = "euler";
    job.seed = UINT64_MAX;
    job.boundary = 0.875;
    job.model = "/models/wan";
    job.dtype = "bf16";
    job.preview = "off";
    job.devices = {"cuda:0", "cuda:1"};
    job.ranks = 2;
    job.mesh = "cfg2";
    job.output = {"clips/kite.mp4", "mp4", 21, false};
    return job;
}

JobRequest read(std::string_view text) {
    const auto job = job_from_json(text, "job.reeljob");
    EXPECT_TRUE(job) << text << ": " << (job ? "" : error_message(job.error()));
    return job ? *job : JobRequest();
}

Error refusal(std::string_view text) {
    const auto job = job_from_json(text, "job.reeljob");
    EXPECT_FALSE(job) << text.substr(0, 100);
    return job ? Error() : job.error();
}

TEST(JobJsonTest, WholeJobsRoundTrip) {
    for (const JobRequest& job : {JobRequest(), full_job(), legal_request()}) {
        const std::string text = job_to_json(job, JobScope::Whole);
        EXPECT_EQ(read(text), job) << text;
        EXPECT_EQ(job_to_json(read(text), JobScope::Whole), text);
    }
}

TEST(JobJsonTest, PathsRoundTrip) {
    for (const char* path : {"", "a.mp4", "/", "/a.mp4", "clips/", "./clips/a", "a//b.png", "../x"}) {
        JobRequest job;
        job.output.path = path;
        EXPECT_EQ(read(job_to_json(job, JobScope::Whole)).output.path, path);
    }
    EXPECT_EQ(read(R"({"output": {"dir": "clips", "name": "a.mp4"}})").output.path, "clips/a.mp4");
    EXPECT_EQ(read(R"({"output": {"dir": "clips"}})").output.path, "clips");
    EXPECT_EQ(read(R"({"output": "a.mp4"})").output.path, "a.mp4");
}

TEST(JobJsonTest, EmbeddedSettingsLeaveOutWhatIsLocal) {
    JobRequest job = full_job();
    job.unknown_keys_json = R"({"note":1,"plan":{"mesh":"cfg2"},"timings":{}})";
    const std::string text = job_to_json(job, JobScope::EmbeddedSettings);
    for (const char* key : {"output", "devices", "plan", "timings", "clips"})
        EXPECT_THAT(text, testing::Not(HasSubstr(key)));
    EXPECT_THAT(text, HasSubstr("\"note\":1"));

    JobRequest elsewhere = job;
    elsewhere.output.path = "other.mp4";
    elsewhere.devices.clear();
    EXPECT_EQ(job_to_json(elsewhere, JobScope::EmbeddedSettings), text);

    JobRequest expected = job;
    expected.output = {};
    expected.devices.clear();
    expected.unknown_keys_json = R"({"note":1})";
    EXPECT_EQ(read(text), expected);
}

TEST(JobJsonTest, SeedsKeepAllBits) {
    EXPECT_THAT(job_to_json(full_job(), JobScope::Whole), HasSubstr("\"seed\": \"18446744073709551615\""));
    EXPECT_EQ(*read(R"({"seed": "18446744073709551615"})").seed, UINT64_MAX);
    EXPECT_EQ(*read(R"({"seed": 18446744073709551615})").seed, UINT64_MAX);
    EXPECT_EQ(*read(R"({"seed": 0})").seed, 0u);
    for (const char* seed :
         {"-1", "\"-1\"", "1.5", "18446744073709551616", "\"18446744073709551616\"", "\"\"", "\" 1\""})
        EXPECT_EQ(refusal(std::string(R"({"seed": )") + seed + "}").text("field"), "seed") << seed;
}

TEST(JobJsonTest, FrameRatesStayExact) {
    EXPECT_EQ(*read(R"({"fps": 23.976})").fps, (FrameRate{24000, 1001}));
    EXPECT_EQ(*read(R"({"fps": "24000/1001"})").fps, (FrameRate{24000, 1001}));
    EXPECT_EQ(*read(R"({"fps": 16})").fps, (FrameRate{16, 1}));
    EXPECT_EQ(*read(R"({"fps": 12.5})").fps, (FrameRate{25, 2}));
    for (const char* fps : {"0", "-1", "1e-6", "1e6", "\"16,5\"", "\"\"", "null", "true", "241"})
        EXPECT_EQ(refusal(std::string(R"({"fps": )") + fps + "}").text("field"), "fps") << fps;
}

TEST(JobJsonTest, ReadsTheNamesOfOtherPrograms) {
    const JobRequest job =
        read(R"({"guidance_scale": 6, "guidance2_scale": 3.5, "size": "832*480", "frame_num": 81,
        "sample_steps": 50, "sample_shift": 8, "sample_solver": "dpm++", "base_seed": 42, "switch_threshold": 0.9})");
    EXPECT_EQ(*job.guidance, 6);
    EXPECT_EQ(*job.guidance2, 3.5);
    EXPECT_EQ(*job.width, 832);
    EXPECT_EQ(*job.height, 480);
    EXPECT_EQ(*job.frames, 81);
    EXPECT_EQ(*job.steps, 50);
    EXPECT_EQ(*job.shift, 8);
    EXPECT_EQ(*job.sampler, "dpmpp_2m");
    EXPECT_EQ(*job.seed, 42u);
    EXPECT_EQ(*job.boundary, 0.9);
    EXPECT_EQ(job.unknown_keys_json, "");

    for (const char* key : {"cfg", "guidance_scale", "sample_guide_scale"})
        EXPECT_EQ(*read(std::string("{\"") + key + "\": 4}").guidance, 4) << key;
    for (const char* key : {"frame_num", "video_length", "length"})
        EXPECT_EQ(*read(std::string("{\"") + key + "\": 5}").frames, 5) << key;
    for (const char* key : {"sample_steps", "num_inference_steps", "infer_steps"})
        EXPECT_EQ(*read(std::string("{\"") + key + "\": 5}").steps, 5) << key;
    for (const char* key : {"flow_shift", "sample_shift"})
        EXPECT_EQ(*read(std::string("{\"") + key + "\": 5}").shift, 5) << key;
    EXPECT_EQ(*read(R"({"noise_seed": "7"})").seed, 7u);
    EXPECT_EQ(*read(R"({"resolution": "640x352"})").height, 352);
}

TEST(JobJsonTest, DegreesBecomeAMesh) {
    EXPECT_EQ(read(R"({"ulysses_size": 4, "cfg_degree": 2})").mesh, "cfg2,ulysses4");
    EXPECT_EQ(read(R"({"ulysses_degree": 2, "ring_size": 3, "cfg_p_size": 1})").mesh, "ulysses2,ring3");
    EXPECT_EQ(read(R"({"seq_p_size": 8})").mesh, "ulysses8");
    EXPECT_EQ(read(R"({"ring_size": 1})").mesh, "single");
    EXPECT_EQ(refusal(R"({"ring_size": 0})").text("field"), "ring_size");
    EXPECT_EQ(refusal(R"({"ring_size": 1e99})").text("field"), "ring_size");
    EXPECT_EQ(refusal(R"({"ring_size": 2, "mesh": "cfg2"})").code, ErrorCode::JobSyntax);
}

TEST(JobJsonTest, OneSettingUnderTwoNamesIsRefused) {
    EXPECT_THAT(error_message(refusal(R"({"steps": 4, "infer_steps": 5})")),
                testing::AllOf(HasSubstr("steps"), HasSubstr("infer_steps")));
    EXPECT_EQ(refusal(R"({"size": "16*16", "width": 16})").code, ErrorCode::JobSyntax);
}

TEST(JobJsonTest, WrongTypesNameTheField) {
    const std::pair<const char*, const char*> rows[] = {{R"({"steps": "20"})", "steps"},
                                                        {R"({"steps": 20.5})", "steps"},
                                                        {R"({"steps": null})", "steps"},
                                                        {R"({"steps": 1e30})", "steps"},
                                                        {R"({"steps": 9223372036854775808})", "steps"},
                                                        {R"({"prompt": 7})", "prompt"},
                                                        {R"({"prompt": ["a"]})", "prompt"},
                                                        {R"({"guidance": "5"})", "guidance"},
                                                        {R"({"guidance": {}})", "guidance"},
                                                        {R"({"ranks": 2147483648})", "ranks"},
                                                        {R"({"ranks": -2147483649})", "ranks"},
                                                        {R"({"devices": "cpu"})", "devices"},
                                                        {R"({"devices": [1]})", "devices"},
                                                        {R"({"schema": 0})", "schema"},
                                                        {R"({"schema": "1"})", "schema"},
                                                        {R"({"output": 3})", "output"},
                                                        {R"({"output": {"crf": "9"}})", "output.crf"},
                                                        {R"({"output": {"embed": 1}})", "output.embed"},
                                                        {R"({"size": "832"})", "size"},
                                                        {R"({"size": [832, 480]})", "size"},
                                                        {R"({"cfg": "5"})", "cfg"}};
    for (const auto& [text, field] : rows) {
        const Error error = refusal(text);
        EXPECT_EQ(error.code, ErrorCode::JobSyntax) << text;
        EXPECT_EQ(error.text("field"), field) << text;
        EXPECT_THAT(error_message(error), testing::AllOf(HasSubstr("job.reeljob"), HasSubstr(field))) << text;
    }
}

TEST(JobJsonTest, WhatNobodyKnowsIsKept) {
    const JobRequest job =
        read(R"({"zeta": [1, {"b": 2.50}], "alpha": null, "schema": 9, "output": {"later": true}})");
    EXPECT_EQ(job.schema, 9);
    EXPECT_EQ(job.unknown_keys_json, R"({"alpha":null,"output":{"later":true},"zeta":[1,{"b":2.5}]})");
    const std::string text = job_to_json(job, JobScope::Whole);
    EXPECT_EQ(read(text), job);
    EXPECT_EQ(job_to_json(read(text), JobScope::Whole), text);
}

TEST(JobJsonTest, HostileTextIsRefused) {
    std::string nul = R"({"steps": 4})";
    nul += std::string("\0}", 2);
    const std::string rows[] = {"",
                                " ",
                                "[]",
                                "3",
                                "null",
                                "\"a\"",
                                "{",
                                "{\"steps\": 4",
                                "{\"steps\": 4}}",
                                "{\"steps\": 4,}",
                                "{steps: 4}",
                                "{\"guidance\": NaN}",
                                "{\"guidance\": Infinity}",
                                "{\"guidance\": 1e999}",
                                "{\"guidance\": 7,5}",
                                "{\"prompt\": \"\\ud800\"}",
                                "{\"prompt\": \"\xFF\"}",
                                "{\"prompt\": \"\xC0\xAF\"}",
                                "{\"prompt\": \"a\nb\"}",
                                nul,
                                std::string(100000, '['),
                                std::string(100000, '{')};
    for (const std::string& text : rows) {
        const Error error = refusal(text);
        EXPECT_EQ(exit_code(error) == 2 || error.code == ErrorCode::LimitExceeded, true)
            << text.substr(0, 60);
        EXPECT_LT(error_message(error).size(), 400u);
    }
}

TEST(JobJsonTest, DepthAndSizeAreBounded) {
    const auto nested = [](int depth) {
        return "{\"a\": " + std::string(static_cast<std::size_t>(depth - 1), '[') +
               std::string(static_cast<std::size_t>(depth - 1), ']') + "}";
    };
    EXPECT_NE(read(nested(32)).unknown_keys_json, "");
    EXPECT_EQ(refusal(nested(33)).code, ErrorCode::LimitExceeded);
    EXPECT_EQ(refusal(std::string((16u << 20) + 1, ' ')).code, ErrorCode::LimitExceeded);
    const std::string largest = "{\"prompt\": \"\"}" + std::string((16u << 20) - 14, ' ');
    EXPECT_EQ(read(largest), JobRequest());
}

TEST(JobJsonTest, FilesAreReadWithTheirName) {
    const std::string path = testing::TempDir() + "/reelmesh_job_test.reeljob";
    std::ofstream(path) << job_to_json(full_job(), JobScope::Whole);
    EXPECT_EQ(*job_from_file(path), full_job());
    std::filesystem::remove(path);
    EXPECT_EQ(job_from_file(path).error().code, ErrorCode::FileMissing);
    EXPECT_EQ(job_from_file(testing::TempDir()).error().code, ErrorCode::NotAModel);
}

TEST(JobJsonTest, TheUsersLocaleChangesNothing) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    const std::string text = job_to_json(full_job(), JobScope::Whole);
    bool any = false;
    for (const char* locale : {"de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "fr_FR.UTF-8"}) {
        if (!std::setlocale(LC_ALL, locale)) continue;
        any = true;
        EXPECT_EQ(job_to_json(full_job(), JobScope::Whole), text) << locale;
        EXPECT_EQ(read(text), full_job()) << locale;
        JobRequest job;
        EXPECT_TRUE(set_field(job, "guidance", "7.5"));
        EXPECT_EQ(*job.guidance, 7.5) << locale;
        EXPECT_FALSE(set_field(job, "guidance", "7,5")) << locale;
    }
    std::setlocale(LC_ALL, before.c_str());
    if (!any) GTEST_SKIP() << "no locale with a decimal comma is installed";
}

TEST(JobJsonTest, DamagedTextNeverEscapesAsAnException) {
    const std::string text = job_to_json(full_job(), JobScope::Whole);
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        std::string damaged = text;
        for (int change = 0; change < 3; ++change)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        const auto job = job_from_json(damaged, "job.reeljob");
        if (job) {
            const std::string again = job_to_json(*job, JobScope::Whole);
            EXPECT_EQ(read(again), *job);
        } else {
            EXPECT_NE(exit_code(job.error()), 1) << error_message(job.error());
        }
    }
}

} // namespace
} // namespace reelmesh
