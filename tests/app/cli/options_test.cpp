#include "options.h"

#include <gmock/gmock.h>

namespace reelmesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

CommandLine parse(std::vector<std::string> arguments) {
    return parse_command_line(std::move(arguments));
}

JobRequest job_of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "generate");
    const CommandLine line = parse(std::move(arguments));
    for (const Error& error : line.errors)
        ADD_FAILURE() << error_message(error);
    JobRequest job;
    for (const Error& error : apply_fields(line, job))
        ADD_FAILURE() << error_message(error);
    return job;
}

TEST(OptionsTest, EveryJobKeyIsAFlag) {
    JobRequest expected;
    expected.prompt = "a kite";
    expected.negative_prompt = "rain";
    expected.width = 832;
    expected.height = 480;
    expected.frames = 81;
    expected.fps = FrameRate{24000, 1001};
    expected.steps = 40;
    expected.guidance = 7.5;
    expected.guidance2 = 3;
    expected.shift = 5;
    expected.sampler = "euler";
    expected.seed = UINT64_MAX;
    expected.boundary = 0.9;
    expected.model = "folder";
    expected.dtype = "bf16";
    expected.preview = "off";
    expected.devices = {"cuda:0", "cuda:1"};
    expected.ranks = 2;
    expected.mesh = "cfg2";
    expected.output.path = "a.mp4";
    const std::vector<std::string> arguments{"--prompt",
                                             "a kite",
                                             "--negative-prompt",
                                             "rain",
                                             "--width",
                                             "832",
                                             "--height",
                                             "480",
                                             "--frames",
                                             "81",
                                             "--fps",
                                             "23.976",
                                             "--steps",
                                             "40",
                                             "--guidance",
                                             "7.5",
                                             "--guidance2",
                                             "3",
                                             "--shift",
                                             "5",
                                             "--sampler",
                                             "euler",
                                             "--seed",
                                             "18446744073709551615",
                                             "--boundary",
                                             "0.9",
                                             "--model",
                                             "folder",
                                             "--dtype",
                                             "bf16",
                                             "--preview",
                                             "off",
                                             "--device",
                                             "cuda:0,cuda:1",
                                             "--ranks",
                                             "2",
                                             "--mesh",
                                             "cfg2",
                                             "--output",
                                             "a.mp4"};
    EXPECT_EQ(job_of(arguments), expected);
    for (const RequestField& field : request_fields()) {
        std::string flag = "--" + std::string(field.key == "devices" ? "device" : field.key);
        std::replace(flag.begin(), flag.end(), '_', '-');
        EXPECT_THAT(arguments, testing::Contains(flag));
    }
}

TEST(OptionsTest, ShorterFlags) {
    const JobRequest job = job_of({"--size", "640x352", "--negative", "rain", "-o", "x"});
    EXPECT_EQ(*job.width, 640);
    EXPECT_EQ(*job.height, 352);
    EXPECT_EQ(*job.negative_prompt, "rain");
    EXPECT_EQ(job.output.path, "x");
}

TEST(OptionsTest, PromptsArriveAsTyped) {
    for (const char* prompt : {"", "{}", "%%", "[a]", "a,b", "[a,b]", "-x", "--steps", "\"q\"", "'q'", "a\nb",
                               " ", "{a|b}", "50% off", "\xFF"}) {
        EXPECT_EQ(job_of({"--prompt", prompt}).prompt, prompt);
        const std::string joined = std::string("--prompt=") + prompt;
        EXPECT_EQ(job_of({joined, "--steps", "4"}).prompt, prompt);
    }
    EXPECT_EQ(*job_of({"--negative", ""}).negative_prompt, "");
}

TEST(OptionsTest, NegativeNumbersAreValues) {
    EXPECT_EQ(*job_of({"--frames", "-1"}).frames, -1);
    EXPECT_EQ(*job_of({"--guidance", "-0.5"}).guidance, -0.5);
    EXPECT_EQ(*job_of({"--guidance=-0.5"}).guidance, -0.5);
}

TEST(OptionsTest, FilesGoIntoTheRunOptions) {
    const CommandLine line = parse({"generate",
                                    "--job",
                                    "a",
                                    "--job",
                                    "b",
                                    "--threads",
                                    "2",
                                    "--dry-run",
                                    "--initial-latents",
                                    "1",
                                    "--from-latents",
                                    "2",
                                    "--prompt-embeds",
                                    "3",
                                    "--negative-embeds",
                                    "4",
                                    "--save-latents",
                                    "5",
                                    "--save-steps",
                                    "6",
                                    "--save-frames",
                                    "7",
                                    "--save-embeds",
                                    "8",
                                    "--trace",
                                    "9"});
    EXPECT_THAT(line.errors, IsEmpty());
    EXPECT_THAT(line.job_files, ElementsAre("a", "b"));
    EXPECT_EQ(line.run.threads, 2);
    EXPECT_TRUE(line.dry_run);
    const RunOptions& run = line.run;
    EXPECT_EQ(run.initial_latents + run.from_latents + run.prompt_embeds + run.negative_embeds, "1234");
    EXPECT_EQ(run.save_latents + run.save_steps + run.save_frames + run.save_embeds + run.trace, "56789");
}

TEST(OptionsTest, ExportNeedsATraceAFormatAndATarget) {
    EXPECT_EQ(parse({"export"}).errors.size(), 3U);
    EXPECT_EQ(parse({"export", "a.reeltrace", "--format", "mp4", "-o", "b"}).errors.size(), 1U);
    const CommandLine line = parse({"export", "a.reeltrace", "--format", "perfetto", "-o", "b.json"});
    EXPECT_THAT(line.errors, IsEmpty());
    EXPECT_EQ(line.command, CommandLine::Command::Export);
    EXPECT_EQ(line.path + line.output, "a.reeltraceb.json");
}

TEST(OptionsTest, CommandsAndTheirArguments) {
    EXPECT_EQ(parse({"info", "--json"}).command, CommandLine::Command::Info);
    EXPECT_TRUE(parse({"info", "--json"}).json);
    const CommandLine plan =
        parse({"plan", "--family", "flux.1-dev", "--hardware", "2xl40s", "--mesh", "tp2"});
    EXPECT_EQ(plan.command, CommandLine::Command::Plan);
    EXPECT_EQ(plan.family, "flux.1-dev");
    EXPECT_EQ(plan.hardware, "2xl40s");
    EXPECT_THAT(plan.fields, ElementsAre(testing::Pair("mesh", "tp2")));
    const CommandLine parity =
        parse({"parity", "--mesh", "ring2", "--against", "cfg2", "--threads", "2", "--steps", "2"});
    EXPECT_EQ(parity.command, CommandLine::Command::Parity);
    EXPECT_EQ(parity.against, "cfg2");
    EXPECT_EQ(parity.run.threads, 2);
    EXPECT_THAT(parity.fields,
                testing::UnorderedElementsAre(testing::Pair("mesh", "ring2"), testing::Pair("steps", "2")));
    EXPECT_EQ(parse({"parity", "--mesh", "ring2"}).against, "single");
    EXPECT_EQ(parse({"bench", "mesh"}).what, "mesh");
    EXPECT_EQ(parse({"bench"}).errors.size(), 1U);
    const CommandLine inspect = parse({"inspect", "model", "--tensors", "--size", "64x64"});
    EXPECT_EQ(inspect.command, CommandLine::Command::Inspect);
    EXPECT_EQ(inspect.path, "model");
    EXPECT_TRUE(inspect.tensors);
    EXPECT_THAT(inspect.fields, ElementsAre(testing::Pair("size", "64x64")));
    EXPECT_THAT(parse({"tokenize", "a", "red", "kite"}).words, ElementsAre("a", "red", "kite"));
    EXPECT_THAT(parse({"tokenize", "--prompt", "a red kite"}).fields,
                ElementsAre(testing::Pair("prompt", "a red kite")));
}

TEST(OptionsTest, Verbosity) {
    EXPECT_EQ(parse({"info"}).verbosity, Verbosity::Info);
    EXPECT_EQ(parse({"info", "--quiet"}).verbosity, Verbosity::Errors);
    EXPECT_EQ(parse({"info", "--log-level", "warning"}).verbosity, Verbosity::Warnings);
    EXPECT_EQ(parse({"info", "--log-level", "loud"}).errors.size(), 1u);
}

TEST(OptionsTest, HelpNamesEveryFlag) {
    const std::string help = parse({"generate", "--help"}).help;
    for (const char* flag : {"--prompt", "--negative", "--size", "--guidance", "--device", "--mesh",
                             "-o,--output", "--job", "--dry-run", "--save-steps", "--threads", "--log-level"})
        EXPECT_THAT(help, HasSubstr(flag));
    EXPECT_THAT(parse({"--help"}).help, HasSubstr("tokenize"));
    EXPECT_THAT(parse({"--version"}).help, HasSubstr("reelmesh-cli "));
}

TEST(OptionsTest, FaultsNameTheFlagTheValueAndTheNearest) {
    const std::tuple<std::vector<std::string>, const char*, const char*> rows[] = {
        {{"generate", "--stpes", "4"}, "--stpes", "--steps"},
        {{"generate", "--stpes=4"}, "--stpes", "--steps"},
        {{"generate", "--qqqqqqqq"}, "--qqqqqqqq", ""},
        {{"generate", "--resume", "3"}, "--resume", ""},
        {{"inspect", "model", "--tensor"}, "--tensor", "--tensors"},
        {{"generate", "kite"}, "argument", ""},
        {{"generate", "--steps"}, "--steps", ""},
        {{"generate", "--steps", "4", "--steps", "5"}, "--steps", ""},
        {{"generate", "--threads", "0"}, "threads", ""},
        {{"generate", "--threads", "two"}, "threads", ""},
        {{"generate", "--threads", "2x"}, "threads", ""},
        {{"inspect"}, "path", ""},
        {{"tokenize"}, "text", ""},
        {{}, "command", ""},
        {{"generat"}, "command", "generate"},
    };
    for (const auto& [arguments, field, nearest] : rows) {
        const CommandLine line = parse(arguments);
        ASSERT_EQ(line.errors.size(), 1u) << field;
        EXPECT_EQ(exit_code(line.errors[0]), 2);
        EXPECT_EQ(line.errors[0].text("field"), field);
        EXPECT_EQ(line.errors[0].text("nearest"), nearest);
        EXPECT_THAT(error_message(line.errors[0]), HasSubstr(field));
    }
    EXPECT_EQ(parse({"generate", "--aaaaaaaaaaaa", "--bbbbbbbbbbbbb"}).errors.size(), 2u);
}

TEST(OptionsTest, JsonIsKnownEvenWhereTheRestIsWrong) {
    EXPECT_TRUE(parse({"generate", "--stpes", "4", "--json"}).json);
    EXPECT_TRUE(parse({"generate", "--steps", "4", "--steps", "4", "--json"}).json);
}

TEST(OptionsTest, UnreadableValuesAreAllReported) {
    const CommandLine line =
        parse({"generate", "--steps", "x", "--guidance", "nan", "--size", "0", "--fps", "16,5"});
    JobRequest job;
    const auto errors = apply_fields(line, job);
    ASSERT_EQ(errors.size(), 4u);
    for (const Error& error : errors)
        EXPECT_EQ(error.code, ErrorCode::BadField);
}

} // namespace
} // namespace reelmesh
