#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>

#include "mesh_fixture.h"
#include "models/mesh_feed.h"
#include "models/plan_model.h"
#include "panels/mesh_panel.h"
#include "theme/style.h"
#include "widgets/degree_box.h"
#include "widgets/mesh_picture.h"
#include "widgets/notice_bar.h"
#include "widgets/segmented_control.h"

namespace reelmesh {
namespace {

/// The panel with its models, as the window would wire them.
struct Bench {
    explicit Bench(HardwareSnapshot hardware = twoCores(), PlanSet plans = twoCorePlans()) {
        client.open([this, hardware, plans]() -> Result<std::unique_ptr<Engine>> {
            auto own = std::make_unique<PlanningEngine>(hardware, plans);
            engine = own.get();
            return std::unique_ptr<Engine>(std::move(own));
        });
        panel.resize(420, 600);
        panel.show();
    }

    template <class Widget>
    Widget* find(const char* name) const {
        auto* widget = panel.findChild<Widget*>(name);
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    MeshPicture* picture() const { return find<MeshPicture>("meshPicture"); }
    QRect item(const QString& name) const {
        for (const QVariant& entry : picture()->uiItems())
            if (entry.toMap().value("name") == name) return entry.toMap().value("rect").toRect();
        ADD_FAILURE() << "no " << name.toStdString();
        return {};
    }
    void chooseMode(int choice) const {
        auto* mode = find<SegmentedControl>("meshMode");
        QTest::mouseClick(mode, Qt::LeftButton, {},
                          mode->uiItems()[choice].toMap().value("rect").toRect().center());
    }
    /// Until the planner has answered to the draft as it is now.
    bool planned(const char* mesh) const {
        return bool(eventually([&] {
            return choice.text() == mesh && choice.isLegal() && this->mesh.scene().degrees.text() == mesh &&
                   !this->mesh.scene().cards.empty();
        }));
    }

    EngineClient client;
    PlanningEngine* engine = nullptr;
    RequestDraft draft;
    MeshChoice choice{draft};
    MeshModel mesh;
    PlanTableModel plans;
    ParityCheck parity{client};
    ViewFocus focus;
    PlanModel planner{client, draft};
    MeshFeed feed{planner, draft, {choice, mesh, plans}};
    MeshPanel panel{{draft, choice, mesh, plans, parity, focus}};
};

TEST(MeshPanelTest, FitsItsSizesInBothThemes) {
    const QString folder = qEnvironmentVariable("REELMESH_SCREENS");
    struct Scene {
        const char* name;
        HardwareSnapshot hardware;
        PlanSet plans;
        const char* mesh;
    };
    PlanSet stacked = eightGpuPlans();
    stacked.plans.insert(stacked.plans.begin(), planOf("cfg2,ulysses2,tp2", 1.0));
    PlanSet many = eightGpuPlans();
    many.plans = {planOf("cfg2,ulysses8,ring4", 0.2)};
    PlanSet ring = eightGpuPlans();
    std::swap(ring.plans[0], ring.plans[1]);
    PlanSet eight = eightGpuPlans();
    std::swap(eight.plans[0], eight.plans[2]);
    const Scene scenes[] = {{"gpu8", eightGpus(), eightGpuPlans(), "cfg2,ulysses4"},
                            {"ring", eightGpus(), ring, "cfg2,ulysses2,ring2"},
                            {"u8", eightGpus(), eight, "ulysses8"},
                            {"tp", eightGpus(), stacked, "cfg2,ulysses2,tp2"},
                            {"many", eightGpus(), many, "cfg2,ulysses8,ring4"},
                            {"cpu", twoCores(), twoCorePlans(), "cfg2"}};
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        applyTheme(*qApp, theme);
        for (const Scene& scene : scenes) {
            Bench bench(scene.hardware, scene.plans);
            if (bench.choice.isOnCpu() && QString(scene.name) == "cpu") bench.choice.setCpuRanks(2);
            ASSERT_TRUE(bench.planned(scene.mesh)) << bench.choice.text().toStdString();
            if (QString(scene.name) == "gpu8") {
                bench.mesh.begin(runningJob(scene.plans.plans.front()));
                bench.mesh.apply(
                    JobStateChanged{.job = 1, .state = JobState::Running, .stage = Stage::Denoise});
                bench.mesh.apply(1, stepOfEight(11));
                LoadSample load;
                for (int i = 0; i < 8; ++i)
                    load.devices.push_back({.id = "cuda:" + std::to_string(i),
                                            .memory_used_bytes = 33.6 * kGiBytes,
                                            .memory_total_bytes = 80.0 * kGiBytes});
                bench.mesh.apply(load);
                bench.focus.setRank(5);
            }
            for (const QSize size : {QSize(280, 440), QSize(420, 600), QSize(640, 500)}) {
                bench.panel.resize(size);
                QTest::qWait(150);
                const MeshPicture* picture = bench.picture();
                for (const QVariant& entry : picture->uiItems())
                    EXPECT_TRUE(
                        picture->rect().adjusted(0, 0, 1, 1).contains(entry.toMap().value("rect").toRect()))
                        << scene.name << " " << size.width() << " "
                        << entry.toMap().value("name").toString().toStdString();
                EXPECT_LE(bench.panel.minimumSizeHint().width(), 280) << scene.name;
                if (!folder.isEmpty())
                    bench.panel.grab().save(QString("%1/%2-%3-%4.png")
                                                .arg(folder, scene.name)
                                                .arg(size.width())
                                                .arg(theme == Theme::Dark ? "dark" : "light"));
            }
        }
    }
}

TEST(MeshPanelTest, TypedIllegalMeshStaysAndOneClickTakesTheNearest) {
    Bench bench(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(bench.planned("cfg2,ulysses4"));
    auto* field = bench.find<QLineEdit>("meshString");
    auto* fault = bench.find<QWidget>("meshFault");
    EXPECT_FALSE(fault->isVisible());
    field->selectAll();
    QTest::keyClicks(field, "tp5");
    ASSERT_TRUE(eventually([&] { return bench.choice.legality() == MeshChoice::Legality::Illegal; }));
    EXPECT_FALSE(bench.choice.isLegal());
    EXPECT_EQ(field->text(), "tp5");
    EXPECT_EQ(bench.draft.mesh(), "tp5");
    EXPECT_TRUE(bench.find<QWidget>("meshStringFault")->isVisible());
    EXPECT_TRUE(fault->isVisible());
    EXPECT_TRUE(bench.find<QLabel>("meshFaultText")->text().contains("13824"));
    EXPECT_EQ(bench.find<QToolButton>("meshNearest1")->text(), "ulysses5");
    EXPECT_EQ(bench.find<QToolButton>("meshNearest3")->text(), "tp4");
    bench.find<QToolButton>("meshNearest1")->click();
    EXPECT_EQ(bench.draft.mesh(), "ulysses5");
    EXPECT_EQ(field->text(), "ulysses5");
}

TEST(MeshPanelTest, TextThatIsNoMeshOffersTheBestOnes) {
    Bench bench(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(bench.planned("cfg2,ulysses4"));
    auto* field = bench.find<QLineEdit>("meshString");
    field->selectAll();
    QTest::keyClicks(field, "eight");
    EXPECT_FALSE(bench.choice.isLegal());
    EXPECT_EQ(bench.find<QToolButton>("meshNearest1")->text(), "cfg2,ulysses4");
    bench.panel.activateWindow();
    bench.panel.focusFault();
    EXPECT_EQ(field->selectedText(), "eight");
    // Enter takes the nearest.
    QTest::keyClick(field, Qt::Key_Return);
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses4");
    EXPECT_TRUE(bench.choice.isLegal());
    EXPECT_FALSE(bench.find<QWidget>("meshFault")->isVisible());
}

TEST(MeshPanelTest, SpinBoxesStepOverLegalDegreesOnly) {
    Bench bench(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(bench.planned("cfg2,ulysses4"));
    auto* ulysses = bench.find<DegreeBox>("meshUlysses");
    EXPECT_FALSE(ulysses->isVisible());
    bench.chooseMode(1);
    EXPECT_TRUE(ulysses->isVisible());
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses4");
    EXPECT_EQ(ulysses->value(), 4);
    EXPECT_EQ(ulysses->legalValues(), (QList<int>{1, 2, 3, 4}));
    ulysses->stepDown();
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses3");
    ulysses->stepDown();
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses2");
    // With a ring of 2 there is nothing but this.
    auto* ring = bench.find<DegreeBox>("meshRing");
    ring->stepUp();
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses2,ring2");
    EXPECT_EQ(ulysses->legalValues(), (QList<int>{2}));
    bench.find<DegreeBox>("meshTp")->stepUp();
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses2,ring2") << "no tensor parallelism is legal here";
    EXPECT_EQ(bench.find<DegreeBox>("meshDp")->legalValues(), (QList<int>{1}));
    // A typed degree stays although it is illegal.
    ulysses->setFocus();
    ulysses->selectAll();
    QTest::keyClicks(ulysses, "7");
    QTest::keyClick(ulysses, Qt::Key_Return);
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses7,ring2");
    ASSERT_TRUE(eventually([&] { return bench.choice.legality() == MeshChoice::Legality::Illegal; }));
    EXPECT_EQ(ulysses->value(), 7);
    EXPECT_TRUE(bench.find<QWidget>("meshUlyssesFault")->isVisible());
    bench.find<QToolButton>("meshNearest1")->click();
    ASSERT_TRUE(bench.planned("ulysses2"));
    bench.chooseMode(0);
    EXPECT_EQ(bench.draft.mesh(), "auto");
    EXPECT_EQ(bench.draft.ranks(), 0);
    EXPECT_TRUE(bench.choice.isLegal());
}

TEST(MeshPanelTest, CpuRanksAreTheRanksOfAuto) {
    Bench bench;
    ASSERT_TRUE(bench.planned("single"));
    auto* ranks = bench.find<QSpinBox>("meshCpuRanks");
    EXPECT_TRUE(ranks->isVisible());
    EXPECT_EQ(ranks->value(), 1);
    EXPECT_EQ(ranks->maximum(), 8);
    ranks->stepUp();
    EXPECT_EQ(bench.draft.mesh(), "auto");
    EXPECT_EQ(bench.draft.ranks(), 2);
    ASSERT_TRUE(bench.planned("cfg2"));
    EXPECT_EQ(bench.picture()->scene().cards.size(), 2u);
    // The table lists all meshes of the machine, the chosen one marked.
    EXPECT_EQ(bench.plans.rowCount(), 3);
    EXPECT_EQ(bench.plans.currentRow(), 1);
}

TEST(MeshPanelTest, NoCpuRanksAndNoStripWhereThereAreGpus) {
    Bench gpus(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(gpus.planned("cfg2,ulysses4"));
    EXPECT_FALSE(gpus.find<QSpinBox>("meshCpuRanks")->isVisible());
    EXPECT_FALSE(gpus.find<NoticeBar>("meshGpuNotice")->isVisible());
    Bench cpu;
    ASSERT_TRUE(eventually([&] { return cpu.find<NoticeBar>("meshGpuNotice")->isVisible(); }));
    EXPECT_EQ(cpu.find<NoticeBar>("meshGpuNotice")->text(),
              "No GPU. libcuda.so.1 was not found: no NVIDIA driver is installed. Everything works.");
}

TEST(MeshPanelTest, WhatTheSelfTestFoundWrongWithGpusIsShown) {
    HardwareSnapshot hardware = eightGpus();
    hardware.gpu_notices = {
        "cuda:1 reading cuda:0's memory never ends; the two exchange through the host's memory."};
    Bench bench(hardware, eightGpuPlans());
    auto* notice = bench.find<NoticeBar>("meshGpuNotice");
    ASSERT_TRUE(eventually([&] { return notice->isVisible(); }));
    EXPECT_EQ(notice->text().toStdString(), hardware.gpu_notices.front());
}

TEST(MeshPanelTest, WithoutGuidanceAutoMovesTheCfgRanksAndSaysSo) {
    Bench bench;
    bench.choice.setCpuRanks(2);
    ASSERT_TRUE(bench.planned("cfg2"));
    auto* note = bench.find<QLabel>("meshNote");
    EXPECT_FALSE(note->isVisible());
    bench.draft.setField("guidance", "1.0");
    ASSERT_TRUE(bench.planned("ulysses2"));
    EXPECT_TRUE(note->isVisible());
    EXPECT_EQ(note->text(), "CFG is off: its ranks share the tokens, CFG 2 became U 2");
    EXPECT_EQ(bench.picture()->scene().degrees.text(), "ulysses2");
    bench.draft.setField("guidance", "5.0");
    ASSERT_TRUE(bench.planned("cfg2"));
    EXPECT_FALSE(note->isVisible());
}

TEST(MeshPanelTest, WithoutGuidanceACfgMeshByHandIsRefusedOfferingTheSameRanks) {
    Bench bench;
    ASSERT_TRUE(bench.planned("single"));
    bench.choice.setText("cfg2");
    ASSERT_TRUE(bench.planned("cfg2"));
    bench.draft.setField("guidance", "1.0");
    // At once, before the planner has answered.
    EXPECT_FALSE(bench.choice.isLegal());
    auto* offer = bench.find<QToolButton>("meshNearest1");
    ASSERT_TRUE(eventually([&] { return offer->isVisible() && offer->text() == "ulysses2"; }));
    offer->click();
    EXPECT_EQ(bench.draft.mesh(), "ulysses2");
    EXPECT_TRUE(bench.planned("ulysses2"));
}

TEST(MeshPanelTest, TwoDraftsFrozenOneAfterTheOtherKeepTheirMeshes) {
    Bench bench;
    ASSERT_TRUE(bench.planned("single"));
    bench.choice.setText("cfg2");
    const JobRequest first = bench.draft.request();
    bench.choice.setText("ulysses2");
    const JobRequest second = bench.draft.request();
    EXPECT_EQ(first.mesh, "cfg2");
    EXPECT_EQ(second.mesh, "ulysses2");
}

TEST(MeshPanelTest, AlternativeIsUsedByADoubleClickOrEnter) {
    Bench bench(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(bench.planned("cfg2,ulysses4"));
    auto* table = bench.find<QTableView>("meshPlans");
    const auto middle = [&](int row) { return table->visualRect(bench.plans.index(row, 0)).center(); };
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, middle(2));
    EXPECT_EQ(bench.draft.mesh(), "auto");
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, middle(2));
    EXPECT_EQ(bench.draft.mesh(), "ulysses8");
    EXPECT_EQ(bench.choice.mode(), MeshChoice::Mode::Manual);
    ASSERT_TRUE(bench.planned("ulysses8"));
    QTest::keyClick(table, Qt::Key_Down);
    QTest::keyClick(table, Qt::Key_Return);
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses3");
    // A refused row does nothing.
    const int refused = bench.plans.rowCount() - 2;
    table->scrollTo(bench.plans.index(refused, 0));
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, middle(refused));
    EXPECT_EQ(bench.draft.mesh(), "cfg2,ulysses3");
    EXPECT_EQ(bench.find<QLabel>("meshCount")->text(), "9 + 2 refused");
    bench.find<QToolButton>("meshAlternatives")->click();
    EXPECT_FALSE(table->isVisible());
}

TEST(MeshPanelTest, NarrowTableKeepsWhatTellsMost) {
    Bench bench(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(bench.planned("cfg2,ulysses4"));
    const auto* table = bench.find<QTableView>("meshPlans");
    const auto shown = [&] {
        QStringList heads;
        for (int column = 0; column < PlanTableModel::ColumnCount; ++column)
            if (!table->isColumnHidden(column))
                heads << bench.plans.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        return heads.join(' ').toStdString();
    };
    bench.panel.resize(280, 440);
    QTest::qWait(20);
    EXPECT_EQ(shown(), "Plan Total s GiB Basis");
    bench.panel.resize(700, 500);
    QTest::qWait(20);
    EXPECT_EQ(shown(), "Plan Step s Total s GiB GB/step/rank Exposed Exact Basis");
    int width = 0;
    for (int column = 0; column < PlanTableModel::ColumnCount; ++column)
        width += table->columnWidth(column);
    EXPECT_EQ(width, table->viewport()->width());
}

TEST(MeshPanelTest, ClickedRankOrLinkIsWhatAllViewsLookAt) {
    Bench bench(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(bench.planned("cfg2,ulysses4"));
    QTest::mouseClick(bench.picture(), Qt::LeftButton, {}, bench.item("meshCard5").center());
    EXPECT_EQ(bench.focus.rank(), 5);
    EXPECT_EQ(bench.picture()->selectedRank(), 5);
    QTest::mouseClick(bench.picture(), Qt::LeftButton, {}, bench.item("meshLinkUlysses4").center());
    EXPECT_EQ(bench.focus.rank(), ViewFocus::kNoRank);
    EXPECT_EQ(bench.focus.link(), (LinkFocus{ExchangeGroup::Ulysses, 4}));
    // The other way round: chosen elsewhere, shown here.
    bench.focus.setRank(2);
    EXPECT_EQ(bench.picture()->selectedRank(), 2);
    QTest::keyClick(bench.picture(), Qt::Key_Escape);
    EXPECT_EQ(bench.focus.rank(), ViewFocus::kNoRank);
}

TEST(MeshPanelTest, CopyButtonCopiesTheMeshThatRuns) {
    Bench bench(eightGpus(), eightGpuPlans());
    ASSERT_TRUE(bench.planned("cfg2,ulysses4"));
    bench.find<QToolButton>("meshCopy")->click();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), "cfg2,ulysses4");
}

TEST(MeshPanelTest, ParityRunsTwoStepsAndShowsTheReportInPlace) {
    Bench bench;
    auto* button = bench.find<QToolButton>("meshParity");
    EXPECT_FALSE(button->isEnabled());
    EXPECT_TRUE(button->toolTip().contains("engine is not open"));
    ASSERT_TRUE(bench.planned("single"));
    EXPECT_FALSE(button->isEnabled());
    EXPECT_TRUE(button->toolTip().contains("nothing to compare"));
    bench.choice.setText("cfg2");
    ASSERT_TRUE(bench.planned("cfg2"));
    EXPECT_TRUE(button->isEnabled());
    button->click();
    EXPECT_FALSE(button->isEnabled());
    auto* notice = bench.find<NoticeBar>("meshParityNotice");
    EXPECT_TRUE(notice->isVisible());
    EXPECT_EQ(notice->text(), "Checking: 2 steps on cfg2, then on one rank…");
    ASSERT_TRUE(eventually([&] { return !bench.parity.isRunning(); }));
    EXPECT_EQ(notice->kind(), NoticeBar::Kind::Done);
    EXPECT_EQ(notice->text(),
              "Equal within the bounds. cfg2 against single: latents bit-equal (at most 2e-05), frames "
              "max 0/255 (at most 1/255)");
    EXPECT_EQ(bench.engine->parityRequest().steps, 2);
    EXPECT_EQ(bench.engine->parityRequest().mesh, "cfg2");
    EXPECT_TRUE(button->isEnabled());
}

TEST(MeshPanelTest, ParityThatFailsSaysDifferent) {
    Bench bench;
    ASSERT_TRUE(bench.planned("single"));
    bench.parity.start(bench.draft.request(), "ring2");
    ASSERT_TRUE(eventually([&] { return !bench.parity.isRunning(); }));
    const auto* notice = bench.find<NoticeBar>("meshParityNotice");
    EXPECT_EQ(notice->kind(), NoticeBar::Kind::Error);
    EXPECT_TRUE(
        notice->text().startsWith("DIFFERENT. ring2 against single: latents rel L2 0.5 (at most 2e-05)"))
        << notice->text().toStdString();
}

} // namespace
} // namespace reelmesh
