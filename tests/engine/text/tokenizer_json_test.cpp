#include "text/tokenizer_json.h"

#include "engine/text/small_tokenizer.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

namespace reelmesh::testing {
namespace {

using nlohmann::json;

ErrorCode verdict(const std::string& text) {
    return error_of([&] { parse_tokenizer_json(text, "file"); }).code;
}

using Change = std::function<void(json&)>;

ErrorCode verdict(const Change& change) {
    json tokenizer = small_tokenizer();
    change(tokenizer);
    return verdict(tokenizer.dump());
}

TEST(TokenizerJsonTest, TheSmallTokenizerItselfIsAccepted) {
    EXPECT_EQ(parse_tokenizer_json(small_tokenizer().dump(), "file")->vocabulary_size(), 10);
}

TEST(TokenizerJsonTest, WhatIsNotSupportedIsNamed) {
    const Change changes[] = {
        [](json& t) { t["model"]["type"] = "BPE"; },
        [](json& t) { t["model"].erase("type"); },
        [](json& t) { t["model"].erase("unk_id"); },
        [](json& t) { t["model"]["unk_id"] = nullptr; },
        [](json& t) { t["model"]["unk_id"] = 10; },
        [](json& t) { t["model"]["unk_id"] = -1; },
        [](json& t) { t["added_tokens"][0]["id"] = 12; },
        [](json& t) { t["post_processor"]["special_tokens"]["</s>"]["ids"][0] = 10; },
        [](json& t) { t["post_processor"]["type"] = "BertProcessing"; },
        [](json& t) {
            t["normalizer"] = {{"type", "Lowercase"}};
        },
        [](json& t) {
            t["normalizer"] = {{"type", "Replace"}, {"pattern", {{"Regex", "a*"}}}, {"content", ""}};
        },
        [](json& t) { t["pre_tokenizer"]["type"] = "ByteLevel"; },
        [](json& t) { t["pre_tokenizer"]["prepend_scheme"] = "sometimes"; },
    };
    for (const Change& change : changes)
        EXPECT_EQ(verdict(change), ErrorCode::UnsupportedTokenizer) << &change - changes;
    const Error error = error_of([] {
        json tokenizer = small_tokenizer();
        tokenizer["normalizer"] = {{"type", "Lowercase"}};
        parse_tokenizer_json(tokenizer.dump(), "some/tokenizer.json");
    });
    EXPECT_EQ(error.text("file"), "some/tokenizer.json");
    EXPECT_EQ(error.text("field"), "normalizer");
    EXPECT_EQ(error.text("found"), "Lowercase");
}

TEST(TokenizerJsonTest, WrongTypesAreSyntax) {
    const Change changes[] = {
        [](json& t) { t = json::array(); },
        [](json& t) { t.erase("model"); },
        [](json& t) { t["model"] = "x"; },
        [](json& t) { t["model"].erase("vocab"); },
        [](json& t) {
            t["model"]["vocab"] = {{"a", 1}};
        },
        [](json& t) { t["model"]["vocab"][3] = "a"; },
        [](json& t) { t["model"]["vocab"][3] = json::array({"a"}); },
        [](json& t) {
            t["model"]["vocab"][3] = json::array({"a", 1, 2});
        },
        [](json& t) {
            t["model"]["vocab"][3] = json::array({1, 1});
        },
        [](json& t) {
            t["model"]["vocab"][3] = json::array({"a", nullptr});
        },
        [](json& t) {
            t["model"]["vocab"][3] = json::array({json::array(), 1});
        },
        [](json& t) {
            t["model"]["vocab"][3] = {{"a", 1}};
        },
        [](json& t) { t["model"]["unk_id"] = "2"; },
        [](json& t) { t["model"]["unk_id"] = 2.5; },
        [](json& t) { t["model"]["byte_fallback"] = 1; },
        [](json& t) { t["added_tokens"] = 3; },
        [](json& t) { t["added_tokens"][0] = 3; },
        [](json& t) { t["added_tokens"][0]["content"] = 3; },
        [](json& t) { t["normalizer"] = 3; },
        [](json& t) {
            t["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "A?=="}};
        },
        [](json& t) {
            t["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}};
        },
        [](json& t) { t["pre_tokenizer"] = nullptr; },
        [](json& t) { t["pre_tokenizer"]["replacement"] = "ab"; },
        [](json& t) { t["post_processor"]["single"] = "x"; },
    };
    for (const Change& change : changes)
        EXPECT_EQ(verdict(change), ErrorCode::TokenizerSyntax) << &change - changes;
}

TEST(TokenizerJsonTest, ScoresMustBeFiniteAndPiecesUtf8) {
    const std::string text = small_tokenizer().dump();
    const auto with = [&](const std::string& entry) {
        std::string changed = text;
        const std::string old = "[\"c\",-4.5]";
        return changed.replace(changed.find(old), old.size(), entry);
    };
    EXPECT_NO_THROW(parse_tokenizer_json(with("[\"c\",-4]"), "file"));
    for (const char* entry :
         {"[\"c\",NaN]", "[\"c\",Infinity]", "[\"c\",-Infinity]", "[\"c\",1e999]", "[\"\xFF\",1]"})
        EXPECT_EQ(verdict(with(entry)), ErrorCode::UnsupportedTokenizer) << entry;
    for (const char* entry : {"[\"c\",x]", "[\"c\"", "[\"\\ud800\",1]"})
        EXPECT_EQ(verdict(with(entry)), ErrorCode::TokenizerSyntax) << entry;
}

TEST(TokenizerJsonTest, ACutFileIsRefusedAtEveryByte) {
    const std::string text = small_tokenizer().dump();
    for (std::size_t size = 0; size < text.size(); ++size)
        ASSERT_EQ(verdict(text.substr(0, size)), ErrorCode::TokenizerSyntax) << size;
}

TEST(TokenizerJsonTest, BoundsHold) {
    EXPECT_EQ(verdict(Change([](json& t) { t["model"]["vocab"] = json::array(); })),
              ErrorCode::LimitExceeded);
    EXPECT_EQ(verdict(Change([](json& t) { t["model"]["vocab"][3][0] = std::string(1025, 'a'); })),
              ErrorCode::LimitExceeded);
    EXPECT_EQ(verdict(std::string(100'000, '[')), ErrorCode::LimitExceeded);
    std::string nested = "{\"x\":";
    for (int i = 0; i < 33; ++i)
        nested += "{\"x\":";
    EXPECT_EQ(verdict(nested), ErrorCode::LimitExceeded);
    std::string values = "{\"x\":[0";
    for (int i = 0; i < 1'000'000; ++i)
        values += ",0";
    EXPECT_EQ(verdict(values + "]}"), ErrorCode::LimitExceeded);
    std::string pieces = "{\"model\":{\"vocab\":[[\"a\",0]";
    for (int i = 0; i < 1'000'000; ++i)
        pieces += ",[\"a\",0]";
    EXPECT_EQ(verdict(pieces + "]}}"), ErrorCode::LimitExceeded);
    EXPECT_EQ(verdict(std::string((64 << 20) + 1, ' ')), ErrorCode::LimitExceeded);
}

TEST(TokenizerJsonTest, NamesStandOnce) {
    EXPECT_EQ(verdict(std::string(R"({"model": 1, "model": 2})")), ErrorCode::DuplicateName);
    EXPECT_EQ(verdict(std::string(R"({"a": [{"x": 1}, {"x": 1}], "b": {"x": 1, "y": {"x": 1}, "x": 2}})")),
              ErrorCode::DuplicateName);
    EXPECT_NO_THROW(parse_tokenizer_json(
        [] {
            json tokenizer = small_tokenizer();
            tokenizer["unknown"] = {{{"x", 1}}, {{"x", 1}}};
            return tokenizer.dump();
        }(),
        "file"));
}

TEST(LoadTokenizerTest, SaysWhatStandsInThePlaceOfTheFile) {
    const ScratchFolder folder;
    const auto code = [&] { return error_of([&] { load_tokenizer(folder.path()); }).code; };
    EXPECT_EQ(code(), ErrorCode::FileMissing);
    const std::string file = folder / "tokenizer.json";
    for (const char* content : {"", "<!DOCTYPE html>", "version https://git-lfs.github.com/spec/v1\noid"}) {
        write_file(file, content);
        EXPECT_EQ(code(), ErrorCode::NotAModel) << content;
    }
    std::filesystem::resize_file(file, (64ULL << 20) + 1);
    EXPECT_EQ(code(), ErrorCode::LimitExceeded);
    std::filesystem::remove(file);
    std::filesystem::create_symlink("nowhere", file);
    EXPECT_EQ(code(), ErrorCode::BadLink);
    std::filesystem::remove(file);
    write_file(folder / "elsewhere", small_tokenizer().dump());
    std::filesystem::create_symlink("elsewhere", file);
    EXPECT_EQ(load_tokenizer(folder.path())->vocabulary_size(), 10);
}

} // namespace
} // namespace reelmesh::testing
