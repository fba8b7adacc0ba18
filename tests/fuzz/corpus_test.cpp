// Replays tests/fuzz/corpus against verdicts.tsv: a line a file, "parser<TAB>file<TAB>ErrorName" or "OK".
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/check.h"
#include "engine/request.h"
#include "fuzz/parsers.h"
#include "support/scratch_folder.h"
#include "text/spiece_tokenizer.h"
#include "text/tokenizer_json.h"

namespace reelmesh::testing {
namespace {

namespace fs = std::filesystem;

void read_tokenizer_json(std::string_view bytes) {
    parse_tokenizer_json(bytes, "tokenizer.json");
}
void read_spiece(std::string_view bytes) {
    SpieceTokenizer tokenizer(bytes, "spiece.model");
}
void read_job(std::string_view bytes) {
    const Result<JobRequest> job = job_from_json(bytes, "job.reeljob");
    if (!job) throw EngineException(job.error());
}

void read_trace_file(std::string_view bytes) {
    (void)read_trace_bytes(bytes);
}

const std::map<std::string, void (*)(std::string_view)> kParsers = {
    {"safetensors", read_safetensors}, {"index", read_index},
    {"config", read_component_config}, {"tokenizer_json", read_tokenizer_json},
    {"spiece", read_spiece},           {"job", read_job},
    {"trace", read_trace_file},
};

std::string verdict_of(const std::string& parser, const std::string& bytes) {
    try {
        kParsers.at(parser)(bytes);
    } catch (const EngineException& exception) {
        return error_name(exception.error().code);
    }
    return "OK";
}

const fs::path kFuzz = REELMESH_TEST_DATA "/../fuzz";

TEST(CorpusTest, EveryFileGetsItsVerdict) {
    std::ifstream table(kFuzz / "verdicts.tsv");
    ASSERT_TRUE(table);
    std::set<fs::path> listed;
    for (std::string line; std::getline(table, line);) {
        std::istringstream fields(line);
        std::string parser, file, verdict;
        std::getline(std::getline(std::getline(fields, parser, '\t'), file, '\t'), verdict);
        ASSERT_TRUE(kParsers.contains(parser)) << line;
        const fs::path path = kFuzz / "corpus" / parser / file;
        ASSERT_TRUE(fs::is_regular_file(path)) << path;
        EXPECT_EQ(verdict_of(parser, read_file(path)), verdict) << path;
        listed.insert(path);
    }
    for (const auto& entry : fs::recursive_directory_iterator(kFuzz / "corpus"))
        if (entry.is_regular_file()) {
            EXPECT_TRUE(listed.contains(entry.path())) << entry.path() << " has no verdict";
        }
}

} // namespace
} // namespace reelmesh::testing
