// A refused model leaves the loaded one as it was.
#include <gtest/gtest.h>

#include <fstream>

#include "support/engine_fixture.h"

namespace reelmesh::testing {
namespace {

namespace fs = std::filesystem;

class ModelChangeTest : public EngineFixture {
protected:
    std::string copy_model() {
        fs::copy(golden("models/wan21-t2v"), folder_ / "model", fs::copy_options::recursive);
        return path("model");
    }
    std::string latents(const std::string& model) {
        JobRequest request = tiny_request();
        request.model = model;
        return saved_bytes(request, &RunOptions::save_latents);
    }
};

TEST_F(ModelChangeTest, TruncatedModelFailsAndTheOldOneGivesTheSameBytes) {
    const std::string before = latents(golden("models/wan21-t2v"));
    JobRequest request = tiny_request();
    request.model = copy_model();
    const fs::path weights = folder_ / "model/transformer/diffusion_pytorch_model.safetensors";
    fs::resize_file(weights, fs::file_size(weights) - 100);
    const JobOutcome outcome = run(request);
    EXPECT_EQ(outcome.state, JobState::Failed);
    EXPECT_EQ(outcome.last().error.code, ErrorCode::Truncated) << error_message(outcome.last().error);
    EXPECT_EQ(exit_code(outcome.last().error), 4);
    EXPECT_EQ(latents(golden("models/wan21-t2v")), before);
}

TEST_F(ModelChangeTest, WeightsReplacedOnDiskAreAnotherModel) {
    const std::string model = copy_model();
    const std::string before = latents(model);
    const fs::path weights = folder_ / "model/transformer/diffusion_pytorch_model.safetensors";
    std::fstream file(weights, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(-4, std::ios::end);
    const float changed = 0.75F;
    file.write(reinterpret_cast<const char*>(&changed), sizeof(changed));
    file.close();
    EXPECT_NE(latents(model), before);
}

TEST_F(ModelChangeTest, ReadOnlyModelWorksAndNothingIsCreatedBesideIt) {
    const std::string model = copy_model();
    const auto list = [&] {
        std::vector<std::string> names;
        for (const auto& entry : fs::recursive_directory_iterator(model))
            names.push_back(entry.path().string());
        std::sort(names.begin(), names.end());
        return names;
    };
    const auto before = list();
    for (const auto& entry : fs::recursive_directory_iterator(model))
        fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::remove);
    EXPECT_FALSE(latents(model).empty());
    EXPECT_EQ(list(), before);
    for (const auto& entry : fs::recursive_directory_iterator(model))
        fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
}

} // namespace
} // namespace reelmesh::testing
