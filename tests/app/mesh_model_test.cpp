#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <cmath>

#include "cli/json_output.h"
#include "mesh_fixture.h"
#include "models/mesh_model.h"
#include "models/plan_table_model.h"
#include "models/slowest_rank.h"

namespace reelmesh {
namespace {

QString meshText(const char* text) {
    const auto mesh = MeshDegrees::parse(QString(text));
    return mesh ? mesh->text() : QString("nothing");
}

TEST(MeshDegreesTest, ReadsAndWritesMeshStrings) {
    EXPECT_EQ(meshText("cfg2,ulysses4"), "cfg2,ulysses4");
    EXPECT_EQ(meshText(" tp2, ring3 ,cfg2 "), "cfg2,ring3,tp2");
    EXPECT_EQ(meshText("single"), "single");
    EXPECT_EQ(meshText("cfg1"), "single");
    for (const char* wrong : {"", "cfg", "cfg0", "cfg02", "cfg2,", "cfg2,cfg2", "u4", "CFG2", "auto", "cfg-2",
                              "ulysses4096,ring4096", "tp99999"})
        EXPECT_EQ(meshText(wrong), "nothing") << wrong;
    EXPECT_EQ(MeshDegrees::parse(u"ring2,ulysses4,cfg2")->label(), "CFG 2 × U 4 × R 2");
}

TEST(MeshDegreesTest, NumbersRanksAsTheEngineDoes) {
    // rank = ((((dp*C + cfg)*P + pipe)*R + ring)*U + ulysses)*T + tp
    const MeshDegrees mesh = *MeshDegrees::parse(u"cfg2,ulysses4,ring3,tp2,dp2");
    ASSERT_EQ(mesh.ranks(), 96);
    const int rank = (((1 * 2 + 1) * 3 + 2) * 4 + 3) * 2 + 0;
    EXPECT_EQ(mesh.coordinates(rank), "c1 u3 r2 t0 d1");
    EXPECT_EQ(mesh.group(rank, MeshAxis::Ulysses), (std::vector<int>{rank - 6, rank - 4, rank - 2, rank}));
    EXPECT_EQ(mesh.group(rank, MeshAxis::Cfg), (std::vector<int>{rank - 24, rank}));
}

struct ModelBench {
    ModelBench() {
        model.setPlans(eightGpuPlans(), eightGpus());
        model.begin(runningJob(eightGpuPlans().plans.front()));
        model.apply(JobStateChanged{.job = 1, .state = JobState::Running, .stage = Stage::Denoise});
    }
    const RankCard& card(int rank) const { return model.scene().cards[static_cast<std::size_t>(rank)]; }
    const MeshLink& link(ExchangeGroup group, int firstRank) const {
        for (const MeshLink& link : model.scene().links)
            if (link.group == group && link.firstRank() == firstRank) return link;
        ADD_FAILURE() << "no such link";
        return model.scene().links.front();
    }
    /// Until what was applied so far is in the scene.
    void settle() { QTest::qWait(MeshModel::kRefresh_ms * 3 / 2); }

    MeshModel model;
};

TEST(MeshModelTest, DraftIsShownAsPredicted) {
    MeshModel model;
    model.setPlans(eightGpuPlans(), eightGpus());
    const MeshScene& scene = model.scene();
    ASSERT_EQ(scene.cards.size(), 8u);
    EXPECT_EQ(scene.cards[7].name, "GPU 7");
    EXPECT_EQ(scene.cards[7].coordinates, "c1 u3");
    EXPECT_EQ(memoryText(scene.cards[7]), "≈ 34/80");
    EXPECT_TRUE(std::isnan(scene.cards[7].busy));
    // Two all-to-alls and four pairs of branches.
    ASSERT_EQ(scene.links.size(), 6u);
    for (const MeshLink& link : scene.links) {
        EXPECT_FALSE(link.measured);
        EXPECT_FALSE(link.staged);
        EXPECT_EQ(link.bytes, link.group == ExchangeGroup::Cfg ? 2096640 : 10063872000);
    }
}

TEST(MeshModelTest, RanksOfAProcessorShowTheProcess) {
    MeshModel model;
    const Plan plan = twoCorePlans().plans[1];
    model.setPlans(only(plan, twoCorePlans()), twoCores());
    ASSERT_EQ(model.scene().cards.size(), 2u);
    EXPECT_EQ(model.scene().cards[1].name, "CPU 1");
    EXPECT_EQ(model.scene().cards[1].coordinates, "c1");
    EXPECT_EQ(memoryText(model.scene().cards[1]), "≈ 0.3/8.0");
    model.begin(runningJob(plan));
    LoadSample load;
    load.machine.resident_bytes = 0.5 * kGiBytes;
    load.machine.limit_bytes = 4.0 * kGiBytes;
    model.apply(load);
    ASSERT_TRUE(eventually([&] { return memoryText(model.scene().cards[0]) == "0.5/4.0"; }));
}

TEST(SlowestRankTest, IsOneThatTheOthersWaitFor) {
    EXPECT_EQ(slowestOf({0.92, 0.95, 0.92, 0.921}), 1);
    EXPECT_EQ(slowestOf({0.920, 0.923, 0.920}), -1) << "0.3 % is noise";
    EXPECT_EQ(slowestOf({1.0, 1.1}), 1);
    EXPECT_EQ(slowestOf({0, 0, 0}), -1);
    EXPECT_EQ(slowestOf({1.0}), -1);
    EXPECT_EQ(slowestOf({}), -1);
    EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(MeshModelTest, LastStepGivesBusyTimesBytesAndTheSlowest) {
    ModelBench bench;
    bench.model.apply(1, stepOfEight(3));
    StepDone done{.job = 1, .step = 3, .steps = 40, .seconds = 1.0};
    for (int rank = 0; rank < 8; ++rank)
        done.rank_seconds.push_back(rank == 5 ? 0.95 : 0.92 + 0.001 * (rank % 4));
    bench.model.apply(done);
    bench.settle();
    EXPECT_NEAR(bench.card(0).busy, 0.853, 0.001);
    EXPECT_DOUBLE_EQ(bench.card(0).stepSeconds, 0.92);
    EXPECT_TRUE(bench.card(5).slowest);
    EXPECT_FALSE(bench.card(4).slowest);
    EXPECT_NEAR(bench.card(5).deviation, 0.95 / 0.9215 - 1, 0.002);
    const MeshLink& bus = bench.link(ExchangeGroup::Ulysses, 4);
    EXPECT_TRUE(bus.measured);
    EXPECT_EQ(bus.bytes, 10063872000);
    EXPECT_NEAR(bus.bytesPerSecond(), 150e9, 1e9);
    EXPECT_EQ(bench.link(ExchangeGroup::Cfg, 2).bytes, 2096640);
}

TEST(MeshModelTest, BytesOfAStepThatStillRunsAreNotShown) {
    ModelBench bench;
    bench.model.apply(1, std::vector{exchangeOf(ExchangeGroup::Ulysses, 0, 1, 4, 0.01, 0, 777)});
    bench.settle();
    EXPECT_FALSE(bench.link(ExchangeGroup::Ulysses, 0).measured);
    bench.model.apply(StepDone{.job = 1, .step = 4, .seconds = 1, .rank_seconds = std::vector<double>(8, 1)});
    bench.settle();
    EXPECT_EQ(bench.link(ExchangeGroup::Ulysses, 0).bytes, 777);
    // The next step begins: the figures stay those of the last one.
    bench.model.apply(1, std::vector{exchangeOf(ExchangeGroup::Ulysses, 0, 1, 5, 0.01, 0, 5)});
    bench.settle();
    EXPECT_EQ(bench.link(ExchangeGroup::Ulysses, 0).bytes, 777);
}

TEST(MeshModelTest, StateIsWhatTookMostOfTheLastNews) {
    ModelBench bench;
    EXPECT_EQ(bench.card(0).state, RankState::Idle);
    bench.settle();
    EXPECT_EQ(bench.card(0).state, RankState::Compute);
    bench.model.apply(1, std::vector{exchangeOf(ExchangeGroup::Ulysses, 0, 0, 1, 0.1, 0.09, 5),
                                     exchangeOf(ExchangeGroup::Ulysses, 0, 1, 1, 0.1, 0.01, 5),
                                     // Most of this block was its exchange.
                                     exchangeOf(ExchangeGroup::Ulysses, 0, 2, 1, 0.08, 0.01, 5),
                                     blockOf(EventWork::Linear, 2, 1, 0, 0.1),
                                     blockOf(EventWork::Text, 3, -1, 0, 0.1)});
    bench.settle();
    EXPECT_EQ(bench.card(0).state, RankState::Wait);
    EXPECT_EQ(bench.card(1).state, RankState::Comm);
    EXPECT_EQ(bench.card(2).state, RankState::Comm);
    EXPECT_EQ(bench.card(3).state, RankState::Text);
    EXPECT_EQ(bench.card(4).state, RankState::Compute);
    bench.model.apply(JobStateChanged{.job = 1, .state = JobState::Running, .stage = Stage::Decode});
    bench.settle();
    EXPECT_EQ(bench.card(0).state, RankState::Decode);
    Error error = errorWith(ErrorCode::OutOfMemory);
    error.rank = 6;
    bench.model.apply(JobStateChanged{.job = 1, .state = JobState::Failed, .error = error});
    bench.settle();
    EXPECT_EQ(bench.card(6).state, RankState::Error);
    EXPECT_EQ(bench.card(0).state, RankState::Idle);
    EXPECT_FALSE(bench.model.isRunning());
}

TEST(MeshModelTest, LinksWithoutAPathOfTheirOwnGoThroughTheHost) {
    HardwareSnapshot hardware = eightGpus();
    std::erase_if(hardware.links, [](const LinkSummary& link) { return link.from == 3 && link.to == 2; });
    for (LinkSummary& link : hardware.links)
        if (link.from == 5 && link.to == 1) link.kind = "staged";
    ModelBench bench;
    bench.model.setPlans(eightGpuPlans(), hardware);
    bench.settle();
    EXPECT_TRUE(bench.link(ExchangeGroup::Ulysses, 0).staged);
    EXPECT_FALSE(bench.link(ExchangeGroup::Ulysses, 4).staged);
    EXPECT_TRUE(bench.link(ExchangeGroup::Cfg, 1).staged);
    EXPECT_FALSE(bench.link(ExchangeGroup::Cfg, 0).staged);
}

TEST(MeshModelTest, TwoJobsHaveTwoMeshesOneAfterTheOther) {
    ModelBench bench;
    bench.model.apply(JobStateChanged{.job = 1, .state = JobState::Done});
    bench.model.begin(runningJob(planOf("ulysses2,ring2", 2), 2));
    bench.settle();
    EXPECT_EQ(bench.model.scene().degrees.text(), "ulysses2,ring2");
    // News of the job before are not the second one's.
    bench.model.apply(StepDone{.job = 1, .step = 9, .seconds = 1, .rank_seconds = std::vector<double>(8, 1)});
    bench.settle();
    EXPECT_TRUE(std::isnan(bench.card(0).stepSeconds));
    bench.model.apply(1, stepOfEight(9));
    bench.settle();
    EXPECT_TRUE(std::isnan(bench.card(0).busy));
    bench.model.apply(JobStateChanged{.job = 2, .state = JobState::Done});
    bench.model.setPlans(eightGpuPlans(), eightGpus());
    bench.settle();
    EXPECT_EQ(bench.model.scene().degrees.text(), "cfg2,ulysses4");
}

TEST(MeshModelTest, NewsAreShownAtMostTenTimesASecond) {
    ModelBench bench;
    bench.settle();
    QSignalSpy changes(&bench.model, &MeshModel::changed);
    QElapsedTimer time;
    time.start();
    int news = 0;
    while (time.elapsed() < 1000) {
        bench.model.apply(1, std::vector{exchangeOf(ExchangeGroup::Ulysses, 0, 1, 5, 0.01, 0, 5)});
        ++news;
        QTest::qWait(2);
    }
    EXPECT_GT(news, 30);
    EXPECT_LE(changes.size(), time.elapsed() / MeshModel::kRefresh_ms + 1);
    EXPECT_GE(changes.size(), 2);
    // The last news are not lost.
    const qsizetype before = changes.size();
    bench.model.apply(JobStateChanged{.job = 1, .state = JobState::Done});
    EXPECT_TRUE(
        eventually([&] { return changes.size() > before && bench.card(1).state == RankState::Idle; }));
}

/// What a cell says, by the JSON of the command line.
std::string cell(const PlanTableModel& model, int row, PlanTableModel::Column column) {
    return model.index(row, column).data().toString().toStdString();
}

std::string fixed(double value, int decimals) {
    return QLocale().toString(value, 'f', decimals).toStdString();
}

TEST(PlanTableModelTest, SaysWhatTheCommandLinePrints) {
    PlanTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    const PlanSet plans = eightGpuPlans();
    model.setPlans(plans);
    const OrderedJson rows = plan_json(plans)["plans"];
    ASSERT_EQ(model.rowCount(), static_cast<int>(rows.size()));
    int refused = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const OrderedJson& json = rows[static_cast<std::size_t>(row)];
        EXPECT_EQ(model.index(row, 0).data(PlanTableModel::MeshRole).toString().toStdString(), json["mesh"]);
        if (!json["refusal"].is_null()) {
            ++refused;
            EXPECT_TRUE(model.index(row, 0).data(PlanTableModel::RefusedRole).toBool());
            EXPECT_EQ(cell(model, row, PlanTableModel::WhyNot), json["refusal"]["message"]);
            for (const auto& nearest : json["refusal"]["nearest"])
                EXPECT_NE(cell(model, row, PlanTableModel::WhyNot).find(nearest.get<std::string>()),
                          std::string::npos);
            EXPECT_EQ(cell(model, row, PlanTableModel::StepSeconds), "");
            continue;
        }
        EXPECT_EQ(refused, 0) << "refused ones come last";
        EXPECT_EQ(cell(model, row, PlanTableModel::StepSeconds), "≈ " + fixed(json["step_s"], 2));
        const double total = json["total_s"];
        EXPECT_EQ(cell(model, row, PlanTableModel::TotalSeconds), "≈ " + fixed(total, total < 10 ? 1 : 0));
        EXPECT_EQ(cell(model, row, PlanTableModel::Memory),
                  fixed(json["peak_bytes"].get<double>() / static_cast<double>(kGiBytes), 1));
        double exposed = 0;
        for (const auto& [axis, seconds] : json["exposed_s"].items())
            exposed += axis == "vae" ? 0 : seconds.get<double>();
        EXPECT_EQ(cell(model, row, PlanTableModel::Exposed),
                  fixed(exposed / json["step_s"].get<double>() * 100, 1) + " %");
        EXPECT_EQ(cell(model, row, PlanTableModel::Exact), json["uneven"] ? "uneven heads" : "exact");
        EXPECT_EQ(cell(model, row, PlanTableModel::Basis), "modelled");
    }
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(model.refused(), refused);
    EXPECT_EQ(cell(model, 0, PlanTableModel::Mesh), "CFG 2 × U 4");
    EXPECT_EQ(cell(model, 0, PlanTableModel::Bytes), "10.07");
    model.setCurrent("ulysses8");
    EXPECT_EQ(model.currentRow(), 2);
    model.setPlans({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(PlanTableModelTest, SmallBytesAreNotRoundedToNothing) {
    PlanTableModel model;
    PlanSet plans = twoCorePlans();
    plans.basis = "measured";
    plans.plans[2].exact = false;
    model.setPlans(plans);
    EXPECT_EQ(cell(model, 1, PlanTableModel::Bytes), "0.0021");
    EXPECT_EQ(cell(model, 0, PlanTableModel::Basis), "measured here");
    EXPECT_EQ(cell(model, 0, PlanTableModel::Bytes), "0.00");
    EXPECT_EQ(cell(model, 2, PlanTableModel::Exact), "approximate");
}

} // namespace
} // namespace reelmesh
