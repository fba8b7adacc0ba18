#include "request/mesh_rules.h"
#include "rules_of.h"

#include <gmock/gmock.h>

namespace reelmesh {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr MeshLimits kUnguided1300M{32760, 12, 8960, 30, 1}, kGuided1300M{32760, 12, 8960, 30, 2},
    kGuided14B{75600, 40, 13824, 40, 2};

JobRequest job_on(const char* mesh, int ranks, double guidance) {
    JobRequest job;
    job.mesh = mesh;
    job.ranks = ranks;
    job.guidance = guidance;
    return job;
}

std::vector<std::string> texts(const std::vector<MeshShape>& meshes) {
    std::vector<std::string> all;
    for (const MeshShape& mesh : meshes)
        all.push_back(mesh_text(mesh));
    return all;
}

/// Axis, what is needed, offers.
void expect_fault(const char* mesh, const MeshLimits& limits, const char* axis, const char* needed,
                  const char* nearest) {
    const std::vector<Error> faults = shape_faults(parse_mesh(mesh), limits);
    ASSERT_EQ(faults.size(), 1u) << mesh;
    EXPECT_EQ(faults[0].code, ErrorCode::MeshIllegal);
    EXPECT_EQ(exit_code(faults[0]), 2);
    EXPECT_EQ(faults[0].text("mesh"), mesh);
    EXPECT_EQ(faults[0].text("axis"), axis);
    EXPECT_THAT(faults[0].text("needed"), HasSubstr(needed));
    EXPECT_EQ(faults[0].text("nearest"), nearest);
}

TEST(MeshRulesTest, LimitsComeFromModelAndRequest) {
    const ModelCard card = card_14b();
    const FamilyRules rules = family_rules(card);
    JobRequest request = with_defaults({}, rules);
    const MeshLimits limits = mesh_limits(request, rules);
    EXPECT_EQ(limits.tokens, 75600);
    EXPECT_EQ(limits.heads, 40);
    EXPECT_EQ(limits.ffn, 13824);
    EXPECT_EQ(limits.layers, 40);
    EXPECT_EQ(limits.branches, 2);
    request.guidance = 1.0;
    EXPECT_EQ(mesh_limits(request, rules).branches, 1);
}

TEST(MeshRulesTest, EveryFactorisationThatIsLegalIsListed) {
    EXPECT_THAT(texts(legal_meshes(kUnguided1300M, 1)), ElementsAre("single"));
    EXPECT_THAT(texts(legal_meshes(kGuided1300M, 2)), ElementsAre("cfg2", "ulysses2", "ring2", "tp2"));
    // 12 heads over 8 ranks: uneven, and legal.
    EXPECT_THAT(texts(legal_meshes(kUnguided1300M, 8)),
                ElementsAre("ulysses8", "ulysses4,ring2", "ulysses4,tp2", "ulysses2,ring4",
                            "ulysses2,ring2,tp2", "ulysses2,tp4", "ring8", "ring4,tp2", "ring2,tp4"));
    EXPECT_THAT(texts(legal_meshes(kUnguided1300M, 3)), ElementsAre("ulysses3", "ring3"));
    for (const int ranks : {3, 5, 6, 7})
        EXPECT_THAT(texts(legal_meshes(kGuided14B, ranks)), Contains("ulysses" + std::to_string(ranks)));
    // Two tokens feed two sequence ranks; the heads of one cannot be split.
    EXPECT_THAT(texts(legal_meshes({2, 1, 7, 1, 1}, 2)), ElementsAre("ring2"));
    EXPECT_THAT(legal_meshes({2, 1, 7, 1, 1}, 3), IsEmpty());
}

TEST(MeshRulesTest, RefusalsNameTheNumberThatDoesNotFitAndOfferAsManyRanksFirst) {
    expect_fault("tp5", kGuided14B, "tp", "13824 does not divide by 5", "ulysses5, ring5, tp4, ulysses3");
    expect_fault("tp3", kGuided14B, "tp", "40 does not divide by 3", "ulysses3, ring3, tp2, single");
    expect_fault("tp5", kUnguided1300M, "tp", "12 does not divide by 5", "ulysses5, ring5, tp4, ulysses3");
    expect_fault("ulysses16", kUnguided1300M, "ulysses", "at most the 12 heads",
                 "ulysses8,ring2, ulysses4,ring4, ulysses4,ring2,tp2, ulysses5,ring3");
    expect_fault("ulysses8,tp2", kUnguided1300M, "ulysses", "at most the 6 heads",
                 "ulysses8,ring2, ulysses4,ring2,tp2, ulysses4,ring4, ulysses5,ring3");
    expect_fault("cfg2,ulysses2", kUnguided1300M, "cfg", "guidance above 1",
                 "ulysses4, ulysses2,ring2, ulysses2,tp2, ulysses3");
    expect_fault("cfg3", kGuided1300M, "cfg", "1 or 2 are needed", "ulysses3, ring3, cfg2, single");
    expect_fault("ring9", {8, 12, 8960, 30, 1}, "ring", "8 tokens", "ring8, ring7, ring6, ring5");
}

TEST(MeshRulesTest, PipeIsKnownButNotInThisBuild) {
    const std::vector<Error> faults = shape_faults(parse_mesh("pipe2"), kGuided1300M);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].code, ErrorCode::MeshNotInBuild);
    EXPECT_EQ(exit_code(faults[0]), 2);
    EXPECT_EQ(faults[0].text("nearest"), "cfg2, ulysses2, ring2, single");
    EXPECT_THAT(shape_faults(parse_mesh("dp2"), kGuided1300M), IsEmpty());
}

TEST(MeshRulesTest, OffersAreLegal) {
    for (const char* mesh : {"tp5", "tp7", "cfg3,tp3", "ulysses13", "pipe3,tp3", "cfg2,ulysses41", "tp4096"})
        for (const Error& fault : shape_faults(parse_mesh(mesh), kGuided14B))
            for (const ErrorArgument& argument : fault.arguments)
                if (argument.name == "nearest") {
                    for (const std::string& offer : std::get<std::vector<std::string>>(argument.value))
                        EXPECT_THAT(shape_faults(parse_mesh(offer), kGuided14B), IsEmpty()) << offer;
                }
}

TEST(MeshRulesTest, UnevenHeadsAreLegalAndKnown) {
    EXPECT_TRUE(has_even_heads(parse_mesh("cfg2,ulysses4"), kGuided1300M));
    EXPECT_FALSE(has_even_heads(parse_mesh("ulysses8"), kGuided1300M));
    EXPECT_FALSE(has_even_heads(parse_mesh("ulysses4,tp2"), kGuided1300M));
    EXPECT_THAT(shape_faults(parse_mesh("ulysses5"), kGuided1300M), IsEmpty());
}

TEST(MeshRulesTest, RequestsWithoutAModelAreHeldAgainstWhatIsKnown) {
    const std::tuple<const char*, int, double> legal[] = {
        {"auto", 0, 5}, {"auto", 7, 1}, {"single", 0, 1},   {"cfg2", 0, 1.1},
        {"cfg2", 2, 5}, {"cfg1", 1, 0}, {"ulysses2", 0, 1}, {"ring2,tp2", 4, 5}};
    for (const auto& [mesh, ranks, guidance] : legal)
        EXPECT_THAT(mesh_faults(job_on(mesh, ranks, guidance)), IsEmpty()) << mesh << ranks;

    const std::tuple<const char*, int, double, ErrorCode, const char*> illegal[] = {
        {"cfg2", 2, 1, ErrorCode::MeshIllegal, "cfg2: ulysses2, ring2, tp2, single"},
        {"cfg2", 0, 0, ErrorCode::MeshIllegal, "cfg2: ulysses2, ring2, tp2, single"},
        {"cfg2", 0, 0.999, ErrorCode::MeshIllegal, "cfg2: ulysses2, ring2, tp2, single"},
        {"pipe2", 0, 5, ErrorCode::MeshNotInBuild, "pipe2: cfg2, ulysses2, ring2, single"},
        {"cfg2", 1, 5, ErrorCode::BadField, "ranks: 2"},
        {"single", 2, 5, ErrorCode::BadField, "ranks: 1"},
    };
    for (const auto& [mesh, ranks, guidance, code, offer] : illegal) {
        const auto faults = mesh_faults(job_on(mesh, ranks, guidance));
        ASSERT_THAT(offers(faults), ElementsAre(offer)) << mesh << ranks;
        EXPECT_EQ(faults[0].code, code);
        EXPECT_EQ(exit_code(faults[0]), 2);
    }
    EXPECT_EQ(mesh_faults(job_on("cfg2;", 0, 5))[0].code, ErrorCode::MeshSyntax);
}

TEST(MeshRulesTest, RanksThatNoMeshHasAreRefusedWithTheNearestThatOneHas) {
    ModelCard card = card_sample();
    card.transformer.num_attention_heads = 1;
    card.transformer.ffn_dim = 7;
    const FamilyRules rules = family_rules(card);
    JobRequest request = with_defaults(job_on("auto", 5, 1), rules);
    request.width = request.height = 32;
    request.frames = 1;
    const std::vector<Error> faults = mesh_faults(request, rules); // four tokens
    ASSERT_THAT(offers(faults), ElementsAre("ranks: 4"));
    EXPECT_EQ(exit_code(faults[0]), 2);
    request.ranks = 4;
    EXPECT_THAT(mesh_faults(request, rules), IsEmpty());
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
