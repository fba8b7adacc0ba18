// A job: all that makes the picture. One table of fields serves window, command line, job files
// and the engine. Plain values and pure functions: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.h"

namespace reelmesh {

/// Frames per second, exact.
struct FrameRate {
    std::int64_t numerator = 16;
    std::int64_t denominator = 1;
    double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
    bool operator==(const FrameRate&) const = default;
};

/// Reads 16, 23.976, 29.97, 59.94 (as n*1000/1001), 12.5 or 30000/1001; 1 to 240.
Result<FrameRate> parse_frame_rate(std::string_view text);
/// "16" or "30000/1001".
std::string frame_rate_text(const FrameRate& rate);

/// Where finished frames go. Not part of the settings that a file carries.
struct OutputSpec {
    std::string path;   ///< a file (extension decides), a folder, or empty: the default folder
    std::string format; ///< "mp4", "png" or "": from the extension, else mp4
    int crf = 19;       ///< 0 ... 51
    bool embed_settings = true;
    bool operator==(const OutputSpec&) const = default;
};

/// Unset optionals take the family's default when the job is submitted.
struct JobRequest {
    int schema = 1; ///< of the file it came from
    std::string prompt;
    std::optional<std::string> negative_prompt;
    std::optional<std::int64_t> width, height; ///< pixels
    std::optional<std::int64_t> frames;
    std::optional<FrameRate> fps;
    std::optional<std::int64_t> steps;
    std::optional<double> guidance;  ///< high-noise expert where there are two
    std::optional<double> guidance2; ///< low-noise expert; unset: guidance
    std::optional<double> shift;
    std::optional<std::string> sampler; ///< unipc, dpmpp_2m, euler
    std::optional<std::uint64_t> seed;  ///< unset: drawn once at submit
    std::optional<double> boundary;     ///< 0 ... 1, models with two experts
    std::string model;                  ///< folder; "": the sample model
    std::string dtype = "auto";         ///< auto, fp32, bf16, fp16
    std::string preview = "fast";       ///< off, fast
    std::vector<std::string> devices;   ///< cpu, cuda:0 ...; empty: all that are fit
    int ranks = 0;                      ///< 0: as many as the mesh asks, else one
    std::string mesh = "auto";          ///< auto or cfg2,ulysses4 ...
    OutputSpec output;
    std::string unknown_keys_json; ///< keys of a job file that nobody knows, kept as they came

    bool operator==(const JobRequest&) const = default;
};

/// What is kept of a run and for whom; never changes the picture.
struct RunOptions {
    int threads = 0;             ///< over all ranks; 0: the cores this process may use
    std::string initial_latents; ///< file with key latents [1,C,T,H,W] in place of the seed's noise
    std::string prompt_embeds;   ///< file with key prompt_embeds [1,L,text_dim]
    std::string negative_embeds; ///< file with key negative_prompt_embeds
    std::string from_latents;    ///< file with key latents: decode and write only
    std::string save_latents, save_steps, save_frames, save_embeds;
    std::string trace; ///< Chrome trace JSON
    int detail = 1; ///< of telemetry: 0 stages and steps, 1 also blocks and exchanges, 2 also parts of blocks
    bool write_output = true;
};

/// The job with every default and random choice in place: what a run obeys and a file carries.
struct ResolvedJob {
    JobRequest request;        ///< every optional set that the family has
    std::string family;        ///< registry key, "wan"
    std::string family_preset; ///< "wan2.1-t2v-1.3b" ...: which row of defaults
};

enum class FieldKind { Text, Integer, Number, Rational, Choice, Seed, Path, List };

/// One row of the table of job keys.
struct RequestField {
    std::string_view key; ///< job key; flag: "--" + key with '-' for '_'
    FieldKind kind;
    std::string_view unit;                     ///< "px", "s", "" ...
    double minimum = 0, maximum = 0, step = 0; ///< numbers only; the family may be coarser
    std::span<const std::string_view> choices; ///< Choice only
    std::string_view help;                     ///< one sentence
};

std::span<const RequestField> request_fields();
/// The known name that a mistyped one most likely meant; "": none is near.
std::string nearest_name(std::string_view typed, std::span<const std::string_view> known);

/// A size that a family was trained for.
struct TrainedSize {
    std::string group; ///< "480p", "square": what people call it
    std::int64_t width = 0, height = 0;
    bool operator==(const TrainedSize&) const = default;
};

/// The rules of one family that a request is held against; data, made from a model's config.
struct FamilyRules {
    std::string family; ///< "wan"
    std::string preset; ///< row of family_defaults
    std::int64_t side_multiple = 16;
    std::int64_t minimum_side = 16;
    std::int64_t maximum_side = 16384;
    std::int64_t frame_stride = 4; ///< frames are stride*n + 1
    std::int64_t maximum_frames = 1001;
    std::int64_t text_tokens = 512;
    bool two_experts = false;
    int guidance_branches = 2; ///< forwards of a guided step; 1: the guidance is an input of the model
    // What a mesh is held against; 0: not known.
    std::int64_t heads = 0, ffn_dim = 0, layers = 0;
    std::int64_t token_rows = 0, token_columns = 0; ///< pixels of a token
    std::int64_t token_frames = 1;                  ///< latent frames of a token
    std::vector<TrainedSize> sizes;                 ///< as a list shows them
    JobRequest defaults;                            ///< every optional set that the family has
};

/// The legal values of one number: from minimum to maximum, and where there is a grid minimum + n * grid.
struct NumberRule {
    double minimum = 0, maximum = 0;
    double step = 1; ///< of arrows; never leads off the grid
    double grid = 0; ///< 0: every value between

    bool holds(double value) const;
    /// The legal values around one that is not: below and above, or the one at an end; empty: not a number.
    std::vector<double> nearest(double value) const;
    /// So many steps on from a value, which need not be legal; held to the ends.
    double stepped(double value, int steps) const;
};

/// Of a key of the table that is a number, for this family; nothing for other keys and for numbers that the
/// family does not have. The seed is none: it does not fit a double.
std::optional<NumberRule> number_rule(std::string_view key, const FamilyRules& rules);

/// About what the finished file takes on a disk. The request is complete.
std::uint64_t expected_output_bytes(const JobRequest& request);

/// Fills unset fields from the rules. Does not draw a seed.
JobRequest with_defaults(JobRequest request, const FamilyRules& rules);
/// Every fault of a complete request, in the order of the table; empty: legal.
std::vector<Error> validate(const JobRequest& request, const FamilyRules& rules);
/// The faults that need no model: syntax of prompts, numbers, mesh string.
std::vector<Error> validate_without_model(const JobRequest& request);

/// Sets one field from text as typed after its flag: a key of the table, "output" (its path) or "size" (WxH).
/// Unknown keys and unreadable values are errors.
Result<bool> set_field(JobRequest& request, std::string_view key, std::string_view text);

/// What job_to_json writes. A file of a newer schema is read as far as it is known; its number is kept.
inline constexpr int kJobSchema = 1;
/// A job file's text (at most 16 MiB, nesting at most 32). Accepts the import aliases; a missing key stays
/// unset.
Result<JobRequest> job_from_json(std::string_view text, std::string_view file_name);
/// The same of a file.
Result<JobRequest> job_from_file(const std::string& path);
enum class JobScope { Whole, EmbeddedSettings };
/// Whole: a job file. EmbeddedSettings: without output, devices, plan and timings, so that the
/// same command gives byte-equal media.
std::string job_to_json(const JobRequest& request, JobScope scope);

} // namespace reelmesh
