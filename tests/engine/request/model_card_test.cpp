#include "request/model_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/expect_error.h"
#include "support/scratch_folder.h"

namespace reelmesh::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kModels = REELMESH_TEST_DATA "/goldens/models/";

TEST(ModelCardTest, ReadsTheSmallTextToVideoModel) {
    const ModelCard card = read_model_card(kModels + "wan21-t2v");
    EXPECT_EQ(card.pipeline, "WanPipeline");
    EXPECT_TRUE(fs::path(card.folder).is_absolute());
    EXPECT_EQ(card.transformer.width(), 64);
    EXPECT_EQ(card.transformer.ffn_dim, 96);
    EXPECT_EQ(card.transformer.text_dim, 32);
    EXPECT_EQ(card.transformer.num_layers, 2);
    EXPECT_EQ(card.transformer.eps, 1e-6);
    EXPECT_FALSE(card.transformer_2 || card.boundary_ratio || card.expand_timesteps);
    EXPECT_EQ(card.vae.base_dim, 5);
    EXPECT_EQ(card.vae.decoder_base_dim, 5);
    EXPECT_EQ(card.vae.patch_size, 1);
    EXPECT_EQ(card.vae.latents_std.back(), 1.916);
    EXPECT_EQ(card.text_encoder.vocab_size, 1088);
    EXPECT_EQ(card.scheduler.class_name, "UniPCMultistepScheduler");
    EXPECT_EQ(card.scheduler.flow_shift, 3.0);
    std::vector<std::string> names;
    for (const ComponentCard& component : card.components)
        names.push_back(component.name);
    EXPECT_THAT(names, ::testing::ElementsAre("text_encoder", "transformer", "vae"));
    EXPECT_EQ(card.component("text_encoder").weights_stem, "model");
    EXPECT_EQ(card.component("vae").folder, card.folder + "/vae");
    EXPECT_EQ(card.tokenizer_folder, card.folder + "/tokenizer");
    EXPECT_EQ(error_of([&] { card.component("transformer_2"); }).code, ErrorCode::Internal);
}

TEST(ModelCardTest, ReadsTheOtherFamilies) {
    const ModelCard two = read_model_card(kModels + "wan22-a14b");
    ASSERT_TRUE(two.transformer_2);
    EXPECT_EQ(*two.transformer_2, two.transformer);
    EXPECT_EQ(two.boundary_ratio, 0.875);
    EXPECT_EQ(two.component("transformer_2").folder, two.folder + "/transformer_2");
    const ModelCard large = read_model_card(kModels + "wan22-ti2v-5b/");
    EXPECT_TRUE(large.expand_timesteps);
    EXPECT_FALSE(large.transformer_2 || large.boundary_ratio);
    EXPECT_EQ(large.vae.z_dim, 48);
    EXPECT_EQ(large.vae.patch_size, 2);
    EXPECT_TRUE(large.vae.is_residual);
    EXPECT_EQ(large.scheduler.flow_shift, 5.0);
    EXPECT_NO_THROW(read_model_card(REELMESH_RESOURCES "/sample-model"));
}

TEST(ModelCardTest, MissingKeysTakeTheModelsDefaults) {
    const ScratchFolder folder;
    for (const char* name : {"scheduler", "text_encoder", "transformer", "vae", "tokenizer"})
        fs::create_directory(folder / name);
    fs::copy(kModels + "wan21-t2v/model_index.json", folder.path());
    write_file(folder / "scheduler/scheduler_config.json",
               R"({"_class_name":"FlowMatchEulerDiscreteScheduler","shift":7})");
    write_file(folder / "text_encoder/config.json", R"({"d_model":4096})");
    write_file(folder / "transformer/config.json", R"({"out_channels":null,"unknown":{"x":[1]}})");
    write_file(folder / "vae/config.json", "{}");
    const ModelCard card = read_model_card(folder.path());
    EXPECT_EQ(card.transformer, WanTransformerConfig{});
    WanVaeConfig vae;
    vae.latents_mean = read_model_card(kModels + "wan21-t2v").vae.latents_mean;
    vae.latents_std = read_model_card(kModels + "wan21-t2v").vae.latents_std;
    EXPECT_EQ(card.vae, vae);
    EXPECT_EQ(card.text_encoder.vocab_size, 250112);
    EXPECT_EQ(card.scheduler.flow_shift, 7.0);
}

/// A copy of the two-expert model whose configuration is changed value by value.
class ModelCardRefusalTest : public ::testing::Test {
protected:
    ModelCardRefusalTest() { fs::copy(kModels + "wan22-a14b", folder_.path(), fs::copy_options::recursive); }

    Error error_with(const std::string& file, const std::string& key, const json& value) {
        const std::string whole = read_file(folder_ / file);
        json config = json::parse(whole);
        config[key] = value;
        const Error error = error_with_text(file, config.dump());
        write_file(folder_ / file, whole);
        return error;
    }
    Error error_with_text(const std::string& file, const std::string& text) {
        write_file(folder_ / file, text);
        return error_of([&] { read_model_card(folder_.path()); });
    }

    ScratchFolder folder_;
    const std::string index_ = "model_index.json", transformer_ = "transformer/config.json",
                      vae_ = "vae/config.json", text_ = "text_encoder/config.json",
                      scheduler_ = "scheduler/scheduler_config.json";
};

TEST_F(ModelCardRefusalTest, ValuesOutsideTheirRangeAreBadConfig) {
    const std::vector<std::tuple<std::string, std::string, json>> rows = {
        {transformer_, "num_layers", 0},
        {transformer_, "num_layers", 257},
        {transformer_, "num_layers", "2"},
        {transformer_, "num_layers", 2.0},
        {transformer_, "num_layers", nullptr},
        {transformer_, "num_layers", std::uint64_t{1} << 63},
        {transformer_, "num_attention_heads", 257},
        {transformer_, "attention_head_dim", 13},
        {transformer_, "attention_head_dim", 1026},
        {transformer_, "ffn_dim", 65537},
        {transformer_, "in_channels", -16},
        {transformer_, "patch_size", json{1, 2}},
        {transformer_, "patch_size", json{1, 2, 17}},
        {transformer_, "patch_size", 2},
        {transformer_, "eps", 0},
        {transformer_, "eps", -1e-6},
        {transformer_, "eps", "1e-6"},
        {transformer_, "cross_attn_norm", 1},
        {transformer_, "_class_name", 5},
        {vae_, "z_dim", 0},
        {vae_, "dim_mult", json{1, 0, 4, 4}},
        {vae_, "dim_mult", json::array()},
        {vae_, "temperal_downsample", json{0, 1, 1}},
        {vae_, "latents_std", json(std::vector<double>(16, 0.0))},
        {vae_, "patch_size", 17},
        {vae_, "base_dim", 65536},
        {text_, "d_kv", 7},
        {text_, "vocab_size", 0},
        {text_, "layer_norm_epsilon", nullptr},
        {scheduler_, "flow_shift", 0},
        {scheduler_, "solver_order", 4},
        {index_, "boundary_ratio", 1.5},
        {index_, "boundary_ratio", -0.1},
        {index_, "expand_timesteps", nullptr},
        {index_, "vae", json{"diffusers"}},
        {index_, "vae", "AutoencoderKLWan"},
    };
    for (const auto& [file, key, value] : rows) {
        SCOPED_TRACE(file + " " + key + " " + value.dump());
        const Error error = error_with(file, key, value);
        EXPECT_STREQ(error_name(error.code), "BadConfig");
        EXPECT_EQ(error.text("file"), folder_ / file);
        EXPECT_FALSE(error.text("found").empty() || error.text("needed").empty());
        // base_dim is too wide for what dim_mult makes of it.
        EXPECT_EQ(error.text("field"), key == "base_dim" ? "dim_mult" : key);
    }
    const Error layers = error_with(transformer_, "num_layers", 257);
    EXPECT_EQ(layers.text("found"), "257");
    EXPECT_EQ(layers.text("needed"), "a whole number from 1 to 256");
    const Error wide = error_with(transformer_, "attention_head_dim", 1024);
    EXPECT_STREQ(error_name(wide.code), "ModelMismatch")
        << "4 heads of 1024 are legal, the second expert differs";
}

TEST_F(ModelCardRefusalTest, ContradictionsGiveBothNumbers) {
    const std::vector<std::tuple<std::string, std::string, json, std::string, std::string>> rows = {
        {transformer_, "in_channels", 48, "48", "16"},
        {transformer_, "text_dim", 32, "24", "32"},
        {transformer_, "num_layers", 3, "2", "3"},
        {transformer_, "eps", 1e-5, "1e-06", "1e-05"},
        {text_, "d_model", 32, "32", "24"},
        {text_, "relative_attention_max_distance", 8, "8", "9"},
        {vae_, "z_dim", 48, "16", "48"},
        {vae_, "dim_mult", json{1, 2, 4}, "3", "4"},
        {vae_, "temperal_downsample", json{true, true}, "4", "3"},
        {vae_, "temperal_downsample", json{true, true, true}, "4", "8"},
        {vae_, "patch_size", 2, "3", "12"},
        {vae_, "out_channels", 12, "12", "3"},
        {vae_, "scale_factor_spatial", 16, "16", "8"},
    };
    for (const auto& [file, key, value, found, needed] : rows) {
        SCOPED_TRACE(file + " " + key + " " + value.dump());
        const Error error = error_with(file, key, value);
        EXPECT_STREQ(error_name(error.code), "ModelMismatch") << error_message(error);
        if (key == "in_channels") continue; // against its own out_channels, see below
        EXPECT_EQ(error.text("found"), found) << error_message(error);
        EXPECT_EQ(error.text("needed"), needed) << error_message(error);
    }
}

TEST_F(ModelCardRefusalTest, VaeOfAnotherFamilyShowsBothChannelCounts) {
    fs::copy(kModels + "wan22-ti2v-5b/vae/config.json", folder_ / "vae/config.json",
             fs::copy_options::overwrite_existing);
    Error error = error_of([&] { read_model_card(folder_.path()); });
    EXPECT_EQ(error.code, ErrorCode::ModelMismatch);
    EXPECT_EQ(error.text("found") + " " + error.text("needed"), "48 16");

    const ScratchFolder large;
    fs::copy(kModels + "wan22-ti2v-5b", large.path(), fs::copy_options::recursive);
    fs::copy(kModels + "wan21-t2v/vae/config.json", large / "vae/config.json",
             fs::copy_options::overwrite_existing);
    error = error_of([&] { read_model_card(large.path()); });
    EXPECT_EQ(error.code, ErrorCode::ModelMismatch);
    EXPECT_EQ(error.text("found") + " " + error.text("needed"), "16 48");
}

TEST_F(ModelCardRefusalTest, WhatThisBuildCannotRunIsUnsupported) {
    const json absent = {nullptr, nullptr};
    const std::vector<std::tuple<std::string, std::string, json>> rows = {
        {index_, "_class_name", "WanImageToVideoPipeline"},
        {index_, "_class_name", "FluxPipeline"},
        {index_, "image_encoder", json{"transformers", "CLIPVisionModel"}},
        {index_, "transformer", absent},
        {index_, "vae", absent},
        {index_, "vae", json{"diffusers", "AutoencoderKL"}},
        {index_, "text_encoder", json{"transformers", "T5EncoderModel"}},
        {index_, "scheduler", json{"diffusers", "DDIMScheduler"}},
        {index_, "tokenizer", json{"transformers", "CLIPTokenizer"}},
        {transformer_, "_class_name", "WanVACETransformer3DModel"},
        {transformer_, "image_dim", 1280},
        {transformer_, "added_kv_proj_dim", 64},
        {transformer_, "in_channels", 36},
        {vae_, "attn_scales", json{0.5}},
        {vae_, "_class_name", "AutoencoderKL"},
        {text_, "feed_forward_proj", "relu"},
        {text_, "model_type", "t5"},
        {scheduler_, "_class_name", "DDIMScheduler"},
        {scheduler_, "prediction_type", "epsilon"},
    };
    for (const auto& [file, key, value] : rows) {
        SCOPED_TRACE(file + " " + key + " " + value.dump());
        const Error error = error_with(file, key, value);
        EXPECT_STREQ(error_name(error.code), "UnsupportedModel") << error_message(error);
        EXPECT_FALSE(error.text("needed").empty());
    }
}

TEST_F(ModelCardRefusalTest, TextThatIsNoConfigurationIsSyntax) {
    std::string nested = "{\"a\":";
    for (int depth = 0; depth < 32; ++depth)
        nested += '[';
    const std::string deep = std::string(1'000'000, '[');
    for (const std::string& text :
         {std::string("[]"), std::string("{"), std::string("{\"eps\":NaN}"),
          std::string("{\"eps\":-Infinity}"), std::string("{\"eps\":1e999}"), std::string("{}\0x", 4),
          std::string("\xEF\xBB\xBF{}"), std::string("\"x\""),
          "{\"a\":\"" + std::string(1 << 20, 'x') + "\"}", nested + std::string(32, ']') + "}", deep}) {
        SCOPED_TRACE(text.substr(0, 40));
        EXPECT_STREQ(error_name(error_with_text(transformer_, text).code), "ConfigSyntax");
    }
    EXPECT_EQ(error_with_text(transformer_, R"({"eps":1,"eps":1})").code, ErrorCode::DuplicateName);
}

TEST_F(ModelCardRefusalTest, ThirtyTwoLevelsAreRead) {
    json nested = json::array();
    for (int depth = 2; depth < 32; ++depth)
        nested = json::array({nested});
    json index = json::parse(read_file(folder_ / index_));
    index["unknown"] = {{"a", 1}};
    index["deep"] = json::object({{"a", nested[0]}});
    write_file(folder_ / index_, index.dump());
    EXPECT_NO_THROW(read_model_card(folder_.path()));
}

TEST_F(ModelCardRefusalTest, FilesThatAreMissingOrForeignAreNamed) {
    EXPECT_EQ(error_of([&] { read_model_card(folder_ / "absent"); }).code, ErrorCode::FileMissing);
    EXPECT_EQ(error_of([&] { read_model_card(folder_ / index_); }).code, ErrorCode::NotAModel);
    EXPECT_EQ(error_with_text(vae_, "<html></html>").code, ErrorCode::NotAModel);
    EXPECT_EQ(error_with_text(vae_, "").code, ErrorCode::NotAModel);
    fs::remove(folder_ / vae_);
    EXPECT_EQ(error_of([&] { read_model_card(folder_.path()); }).code, ErrorCode::FileMissing);
    fs::create_symlink("absent", folder_ / vae_);
    const Error link = error_of([&] { read_model_card(folder_.path()); });
    EXPECT_EQ(link.code, ErrorCode::BadLink);
    EXPECT_EQ(link.text("file"), folder_ / vae_);
}

TEST_F(ModelCardRefusalTest, ComponentNamesStayInTheFolder) {
    for (const char* name : {"../../x", "/etc", "C:\\x", "a/../../b", "..", "a\x01"}) {
        const Error error = error_with(index_, name, json{"diffusers", "AutoencoderKLWan"});
        EXPECT_EQ(error.code, ErrorCode::UnsafeName) << name;
    }
    EXPECT_EQ(error_with(index_, std::string(300, 'n'), json{"a", "b"}).code, ErrorCode::UnsafeName);
}

} // namespace
} // namespace reelmesh::testing
