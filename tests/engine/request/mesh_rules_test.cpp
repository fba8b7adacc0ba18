#include "request/mesh_rules.h"
#include "rules_of.h"

#include <gmock/gmock.h>

namespace reelmesh {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JobRequest job_on(const char* mesh, int ranks, double guidance) {
    JobRequest job;
    job.mesh = mesh;
    job.ranks = ranks;
    job.guidance = guidance;
    return job;
}

TEST(MeshRulesTest, LegalMeshes) {
    const std::tuple<const char*, int, double, const char*> rows[] = {
        {"auto", 0, 5, "single"}, {"auto", 1, 5, "single"},   {"auto", 2, 5, "cfg2"},
        {"auto", 1, 1, "single"}, {"single", 0, 1, "single"}, {"cfg2", 0, 1.1, "cfg2"},
        {"cfg2", 2, 5, "cfg2"},   {"cfg1", 1, 0, "single"}};
    for (const auto& [mesh, ranks, guidance, chosen] : rows) {
        const JobRequest job = job_on(mesh, ranks, guidance);
        EXPECT_THAT(mesh_faults(job), IsEmpty()) << mesh << ranks;
        EXPECT_EQ(mesh_text(chosen_mesh(job)), chosen);
    }
}

TEST(MeshRulesTest, RefusalsNameTheAxisAndOfferWhatWorks) {
    const std::tuple<const char*, int, double, ErrorCode, const char*> rows[] = {
        {"auto", 2, 1, ErrorCode::BadField, "ranks: 1"},
        {"auto", 3, 5, ErrorCode::BadField, "ranks: 2"},
        {"cfg2", 2, 1, ErrorCode::MeshIllegal, "cfg2: single"},
        {"cfg2", 0, 0, ErrorCode::MeshIllegal, "cfg2: single"},
        {"cfg3", 0, 5, ErrorCode::MeshIllegal, "cfg3: single, cfg2"},
        {"pipe2", 0, 5, ErrorCode::MeshNotInBuild, "pipe2: single, cfg2"},
        {"ulysses2", 0, 1, ErrorCode::MeshNotInBuild, "ulysses2: single"},
        {"cfg2", 1, 5, ErrorCode::BadField, "ranks: 2"},
        {"single", 2, 5, ErrorCode::BadField, "ranks: 1"},
    };
    for (const auto& [mesh, ranks, guidance, code, offer] : rows) {
        const auto faults = mesh_faults(job_on(mesh, ranks, guidance));
        ASSERT_THAT(offers(faults), ElementsAre(offer)) << mesh << ranks;
        EXPECT_EQ(faults[0].code, code);
        EXPECT_EQ(exit_code(faults[0]), 2);
    }
    EXPECT_EQ(mesh_faults(job_on("cfg2;", 0, 5))[0].code, ErrorCode::MeshSyntax);
    EXPECT_EQ(mesh_faults(job_on("ring2,tp2", 0, 5)).size(), 2u);
}

TEST(MeshRulesTest, GuidanceAloneDecidesAlsoForTheLowNoiseExpert) {
    JobRequest job = job_on("cfg2", 0, 1);
    job.guidance2 = 3;
    EXPECT_EQ(mesh_faults(job).size(), 1u);
    job.guidance = 3;
    job.guidance2 = 1;
    EXPECT_THAT(mesh_faults(job), IsEmpty());
}

} // namespace
} // namespace reelmesh
