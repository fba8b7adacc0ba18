#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "weights/safetensors.h"
#include "weights/safetensors_bytes.h"

namespace reelmesh::testing {
namespace {

struct HeaderCase {
    const char* name;
    std::string header;
    std::uint64_t data_bytes;
    ErrorCode verdict; ///< None: accepted
};

std::string pair_of(const std::string& first, const std::string& second) {
    return first.substr(0, first.size() - 1) + ",\"b\"" + second.substr(4);
}

std::vector<HeaderCase> header_cases() {
    using enum ErrorCode;
    const std::string good = one_tensor("F32", "[2,2]", "[0,16]");
    std::string rank_64 = "[4";
    for (int index = 1; index < 64; ++index)
        rank_64 += ",1";
    rank_64 += "]";
    std::string nested_objects = "{";
    for (int index = 0; index < 1'000'000; ++index)
        nested_objects += "\"a\":{";
    const std::string two = pair_of(good, one_tensor("F32", "[2,2]", "[16,32]"));
    const auto renamed = [&](const std::string& name) {
        std::string text = two;
        return text.replace(text.find("\"b\""), 3, name);
    };
    return {
        {"good", good, 16, None},
        {"empty object", "{}", 0, None},
        {"no tensor but bytes", "{}", 3, TrailingBytes},
        {"metadata", R"({"__metadata__":{"format":"pt","k":""}})", 0, None},
        {"padded with spaces", good + "     ", 16, None},
        {"white space of all kinds behind", good + " \t\r\n", 16, None},
        {"line breaks inside", R"({ "a" :
            { "dtype":"F32", "shape" : [ ] , "data_offsets":[0,4] } })",
         4, None},
        {"scalar", one_tensor("F32", "[]", "[0,4]"), 4, None},
        {"rank 64", one_tensor("F32", rank_64, "[0,16]"), 16, None},
        {"tag with a 0", one_tensor("F32", "[2,0]", "[0,0]"), 0, None},
        {"0 beside huge dimensions",
         one_tensor("F32", "[0,4611686018427387904,4611686018427387904]", "[0,0]"), 0, None},
        {"any name", R"({"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1, None},
        {"fp8", one_tensor("F8_E4M3", "[5]", "[0,5]"), 5, None},
        {"two fp4 a byte", one_tensor("F4", "[6]", "[0,3]"), 3, None},
        {"order of the file is free",
         pair_of(one_tensor("U8", "[1]", "[1,2]"), one_tensor("U8", "[1]", "[0,1]")), 2, None},

        {"nothing", "", 0, HeaderSyntax},
        {"space before the brace", " " + good, 16, HeaderSyntax},
        {"byte order mark", "\xEF\xBB\xBF" + good, 16, HeaderSyntax},
        {"list", "[]", 0, HeaderSyntax},
        {"cut", good.substr(0, good.size() - 1), 16, HeaderSyntax},
        {"text behind", good + "x", 16, HeaderSyntax},
        {"NUL behind", good + std::string(1, '\0'), 16, HeaderSyntax},
        {"NUL behind, then text", good + std::string(1, '\0') + "{", 16, HeaderSyntax},
        {"second object behind", good + "{}", 16, HeaderSyntax},
        {"comment", "{/**/}", 0, HeaderSyntax},
        {"comma at the end", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},})", 1, HeaderSyntax},
        {"line break in a name", "{\"a\nb\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1,
         HeaderSyntax},
        {"not UTF-8", "{\"a\xFF\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, HeaderSyntax},
        {"lone surrogate", R"({"a\ud800":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1, HeaderSyntax},
        {"no dtype", R"({"a":{"shape":[1],"data_offsets":[0,1]}})", 1, HeaderSyntax},
        {"no shape", R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", 1, HeaderSyntax},
        {"no offsets", R"({"a":{"dtype":"U8","shape":[1]}})", 1, HeaderSyntax},
        {"empty entry", R"({"a":{}})", 0, HeaderSyntax},
        {"entry is a number", R"({"a":1})", 0, HeaderSyntax},
        {"entry is null", R"({"a":null})", 0, HeaderSyntax},
        {"unknown key", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"strides":[1]}})", 1,
         HeaderSyntax},
        {"dtype is a number", R"({"a":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", 1, HeaderSyntax},
        {"dtype is a list", R"({"a":{"dtype":["U8"],"shape":[1],"data_offsets":[0,1]}})", 1, HeaderSyntax},
        {"shape is a number", R"({"a":{"dtype":"U8","shape":1,"data_offsets":[0,1]}})", 1, HeaderSyntax},
        {"text in the shape", one_tensor("U8", "[\"1\"]", "[0,1]"), 1, HeaderSyntax},
        {"list in the shape", one_tensor("U8", "[[1]]", "[0,1]"), 1, HeaderSyntax},
        {"one offset", one_tensor("U8", "[1]", "[0]"), 1, HeaderSyntax},
        {"three offsets", one_tensor("U8", "[1]", "[0,1,1]"), 1, HeaderSyntax},
        {"three offsets, the last bad", one_tensor("U8", "[1]", "[0,1,-1]"), 1, HeaderSyntax},
        {"metadata holds a number", R"({"__metadata__":{"a":1}})", 0, HeaderSyntax},
        {"metadata holds an object", R"({"__metadata__":{"a":{}}})", 0, HeaderSyntax},
        {"metadata is text", R"({"__metadata__":"x"})", 0, HeaderSyntax},
        {"metadata holds a huge number", R"({"__metadata__":{"a":1e999}})", 0, HeaderSyntax},
        {"a million brackets", "{\"a\":" + std::string(1'000'000, '['), 0, HeaderSyntax},
        {"a million objects", nested_objects, 0, HeaderSyntax},

        {"tensor twice", renamed("\"a\""), 32, DuplicateName},
        {"tensor twice, once escaped", renamed("\"\\u0061\""), 32, DuplicateName},
        {"dtype twice", R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1,
         DuplicateName},
        {"shape twice", R"({"a":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}})", 1,
         DuplicateName},
        {"offsets twice", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"data_offsets":[0,1]}})", 1,
         DuplicateName},
        {"metadata twice", R"({"__metadata__":{},"__metadata__":{}})", 0, DuplicateName},
        {"metadata key twice", R"({"__metadata__":{"a":"","a":""}})", 0, DuplicateName},

        {"unknown dtype", one_tensor("F128", "[1]", "[0,16]"), 16, UnknownDtype},
        {"dtype in small letters", one_tensor("f32", "[1]", "[0,4]"), 4, UnknownDtype},
        {"empty dtype", one_tensor("", "[1]", "[0,4]"), 4, UnknownDtype},
        {"negative dimension", one_tensor("U8", "[-1]", "[0,1]"), 1, BadNumber},
        {"minus nought", one_tensor("U8", "[-0]", "[0,0]"), 0, BadNumber},
        {"fraction", one_tensor("U8", "[1.5]", "[0,1]"), 1, BadNumber},
        {"fraction of nought", one_tensor("U8", "[1.0]", "[0,1]"), 1, BadNumber},
        {"exponent", one_tensor("U8", "[1e0]", "[0,1]"), 1, BadNumber},
        {"exponent beyond double", one_tensor("U8", "[1e999]", "[0,1]"), 1, BadNumber},
        {"2^64", one_tensor("U8", "[18446744073709551616]", "[0,1]"), 1, BadNumber},
        {"negative offset", one_tensor("U8", "[1]", "[-1,0]"), 1, BadNumber},
        {"offset of 2^64", one_tensor("U8", "[1]", "[0,18446744073709551616]"), 1, BadNumber},
        {"offset with a fraction", one_tensor("U8", "[1]", "[0,1.0]"), 1, BadNumber},

        {"product wraps to 16 bytes", one_tensor("F32", "[4194305,4194305,211106198978564]", "[0,16]"), 16,
         ShapeOverflow},
        {"product of 2^64 elements", one_tensor("U8", "[4294967296,4294967296]", "[0,0]"), 0, ShapeOverflow},
        {"bits beyond 64", one_tensor("U8", "[2305843009213693952]", "[0,16]"), 16, ShapeOverflow},
        {"dimension of 2^63", one_tensor("U8", "[0,9223372036854775808]", "[0,0]"), 0, ShapeOverflow},
        {"half a byte", one_tensor("F4", "[3]", "[0,2]"), 2, ShapeOverflow},
        {"bits that make no bytes", one_tensor("F6_E2M3", "[2]", "[0,2]"), 2, ShapeOverflow},

        {"shape larger than its bytes", one_tensor("F32", "[2,3]", "[0,16]"), 16, SpanMismatch},
        {"shape smaller than its bytes", one_tensor("F32", "[1,3]", "[0,16]"), 16, SpanMismatch},
        {"end before begin", one_tensor("F32", "[1]", "[8,4]"), 8, SpanMismatch},
        {"empty tensor with bytes", one_tensor("F32", "[0]", "[0,4]"), 4, SpanMismatch},
        {"begin beyond 2^63", one_tensor("U8", "[1]", "[18446744073709551615,0]"), 1, SpanMismatch},

        {"begins late", one_tensor("F32", "[1]", "[4,8]"), 8, GapOrOverlap},
        {"empty tensor begins late", one_tensor("F32", "[0]", "[4,4]"), 4, GapOrOverlap},
        {"gap", pair_of(one_tensor("U8", "[1]", "[0,1]"), one_tensor("U8", "[1]", "[2,3]")), 3, GapOrOverlap},
        {"overlap", pair_of(one_tensor("U8", "[2]", "[0,2]"), one_tensor("U8", "[2]", "[1,3]")), 3,
         GapOrOverlap},
        {"same bytes", pair_of(one_tensor("U8", "[2]", "[0,2]"), one_tensor("U8", "[2]", "[0,2]")), 2,
         GapOrOverlap},
        {"far beyond 2^63", one_tensor("U8", "[1]", "[18446744073709551614,18446744073709551615]"), 1,
         GapOrOverlap},

        {"a byte short", good, 15, Truncated},
        {"nothing behind the header", good, 0, Truncated},
        {"a byte long", good, 17, TrailingBytes},

        // The first row that matches counts, whatever the order in the file.
        {"syntax before dtype", one_tensor("F128", "[-1]", "[0,16]") + "x", 16, HeaderSyntax},
        {"dtype before number", one_tensor("F128", "[-1]", "[0,16]"), 16, UnknownDtype},
        {"number before overflow",
         pair_of(one_tensor("U8", "[4294967296,4294967296]", "[0,0]"), one_tensor("U8", "[-1]", "[0,0]")), 0,
         BadNumber},
        {"overflow before span",
         pair_of(one_tensor("U8", "[1]", "[0,2]"), one_tensor("U8", "[4294967296,4294967296]", "[2,2]")), 2,
         ShapeOverflow},
        {"span before gap", pair_of(one_tensor("U8", "[1]", "[1,2]"), one_tensor("U8", "[1]", "[2,4]")), 9,
         SpanMismatch},
    };
}

TEST(SafetensorsHeaderTest, EveryRowGetsItsVerdict) {
    for (const HeaderCase& row : header_cases()) {
        SCOPED_TRACE(row.name);
        const auto parse = [&] { parse_safetensors_header(row.header, row.data_bytes, "x", nullptr); };
        if (row.verdict == ErrorCode::None) {
            EXPECT_NO_THROW(parse());
            continue;
        }
        const Error error = error_of(parse);
        EXPECT_STREQ(error_name(error.code), error_name(row.verdict)) << error_message(error);
        EXPECT_EQ(error.text("file"), "x");
    }
}

TEST(SafetensorsHeaderTest, ValuesArriveAsWritten) {
    std::map<std::string, std::string> metadata;
    const auto tensors = parse_safetensors_header(
        R"({"__metadata__":{"format":"pt"},"b":{"shape":[],"data_offsets":[6,10],"dtype":"F32"},)"
        R"("a\"\u0000":{"dtype":"BF16","shape":[1,3],"data_offsets":[0,6]}})",
        10, "x", &metadata);
    ASSERT_EQ(tensors.size(), 2u);
    EXPECT_EQ(metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
    const TensorEntry& a = tensors.at(std::string("a\"\0", 3));
    EXPECT_EQ(a.dtype, "BF16");
    EXPECT_EQ(a.shape, (std::vector<std::int64_t>{1, 3}));
    EXPECT_EQ(a.num_bytes(), 6u);
    EXPECT_EQ(tensors.at("b").begin, 6u);
    EXPECT_TRUE(tensors.at("b").shape.empty());
}

TEST(SafetensorsHeaderTest, ErrorsNameThingFoundAndNeeded) {
    const Error span =
        error_of([] { parse_safetensors_header(one_tensor("F32", "[2,3]", "[0,16]"), 16, "x", nullptr); });
    EXPECT_EQ(span.text("tensor"), "a");
    EXPECT_EQ(span.text("found_bytes"), "16");
    EXPECT_EQ(span.text("needed_bytes"), "24");
    const Error cut =
        error_of([] { parse_safetensors_header(one_tensor("F32", "[4]", "[0,16]"), 15, "x", nullptr); });
    const std::size_t header_bytes = one_tensor("F32", "[4]", "[0,16]").size();
    EXPECT_EQ(cut.text("needed_bytes"), std::to_string(8 + header_bytes + 16));
    EXPECT_EQ(cut.text("found_bytes"), std::to_string(8 + header_bytes + 15));
    const std::string long_name(1'000'000, 'n');
    const Error shortened = error_of([&] {
        parse_safetensors_header(
            "{\"" + long_name + "\":{\"dtype\":\"X\",\"shape\":[],\"data_offsets\":[0,0]}}", 0, "x", nullptr);
    });
    EXPECT_LT(error_message(shortened).size(), 400u);
}

} // namespace
} // namespace reelmesh::testing
