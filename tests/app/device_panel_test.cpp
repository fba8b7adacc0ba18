#include "panels/device_panel.h"

#include <QSignalSpy>

#include <cmath>

#include "app_fixture.h"
#include "models/device_load_model.h"
#include "models/view_focus.h"
#include "panels/load_card_content.h"
#include "support/load_samples.h"
#include "theme/style.h"
#include "widgets/reason_strip.h"

namespace reelmesh {
namespace {

using testing::cpu_sample;
using testing::gpu_sample;

class DevicePanelTest : public ::testing::Test {
protected:
    explicit DevicePanelTest() {
        panel_.resize(700, 480);
        panel_.show();
    }

    /// What an item shows; null: it is not drawn.
    QString shown(const QString& name) const { return item(name).value("text").toString(); }
    QVariantMap item(const QString& name) const {
        for (const LoadCard* card : panel_.findChildren<LoadCard*>()) {
            if (card->isHidden()) continue;
            for (const QVariant& entry : card->uiItems())
                if (entry.toMap().value("name") == name) return entry.toMap();
        }
        return {};
    }
    LoadCard* card(int index) const {
        return panel_.findChild<LoadCard*>(QString("deviceCard%1").arg(index));
    }

    DeviceLoadModel model_;
    ViewFocus focus_;
    DevicePanel panel_{model_, focus_};
};

TEST_F(DevicePanelTest, AGpusFiguresStandUnderTheirNames) {
    model_.add(gpu_sample(1000, 2));
    EXPECT_EQ(shown("deviceUtil0"), "97 %");
    EXPECT_EQ(shown("deviceMemory0"), "33.6/80");
    EXPECT_EQ(shown("devicePower1"), "612/700 W");
    EXPECT_EQ(shown("deviceTemp1"), "68 °C");
    EXPECT_EQ(shown("deviceClock1"), QLocale().toString(1755.0, 'f', 0) + " MHz");
    EXPECT_EQ(shown("deviceLink1"), "10.6 GB/s");
    EXPECT_EQ(card(1)->content().title, "GPU 1");
    EXPECT_EQ(card(1)->content().place, "0000:2A:00.0");
    EXPECT_EQ(panel_.findChild<ReasonStrip*>("deviceNoGpu")->isVisible(), false);
}

TEST_F(DevicePanelTest, UnknownFiguresAreDashesAndNeverZero) {
    LoadSample sample = gpu_sample(1000, 1);
    DeviceLoad bare;
    bare.id = "cuda:0";
    bare.name = "NVIDIA A2";
    sample.devices[0] = bare;
    model_.add(sample);
    for (const char* name : {"deviceUtil0", "deviceMemory0", "deviceTemp0", "deviceClock0", "deviceLink0"})
        EXPECT_EQ(shown(name), "–") << name;
    EXPECT_EQ(shown("devicePower0"), "– W");
}

TEST_F(DevicePanelTest, AClockThatIsHeldDownNamesTheReasons) {
    LoadSample sample = gpu_sample(1000, 1);
    sample.devices[0].throttle = {"SW thermal", "SW power cap"};
    model_.add(sample);
    EXPECT_EQ(card(0)->content().badge, "SW thermal, SW power cap");
    EXPECT_TRUE(card(0)->text().contains("SW thermal"));
}

TEST_F(DevicePanelTest, ADeviceThatIsLostSaysSoInThePlaceOfFigures) {
    LoadSample sample = gpu_sample(1000, 1);
    sample.devices[0].lost = "GPU is lost (Xid 79)";
    model_.add(sample);
    EXPECT_EQ(card(0)->content().trouble, "lost: GPU is lost (Xid 79)");
    EXPECT_TRUE(card(0)->uiItems().isEmpty());
    EXPECT_EQ(card(0)->text(), "GPU 0: lost: GPU is lost (Xid 79)");
}

TEST_F(DevicePanelTest, TheDriversFigureIsToldFromOurs) {
    model_.add(gpu_sample(1000, 1));
    const QString toolTip = card(0)->content().cells.front().toolTip;
    EXPECT_TRUE(toolTip.contains("NVML"));
    EXPECT_TRUE(toolTip.contains("busy by our own events"));
}

TEST_F(DevicePanelTest, OnACpuRanksAndTheMachineHaveCardsAndTheReasonIsTold) {
    model_.setRanks({"cpu", "cpu"}, {"c0 u0", "c0 u1"});
    model_.add(cpu_sample(1000, 2));
    EXPECT_EQ(shown("deviceUtil0"), "97 %");
    EXPECT_EQ(shown("deviceUtil1"), "97 %");
    EXPECT_EQ(shown("deviceMachineCores"), "1.9/2");
    EXPECT_EQ(shown("deviceMachineMemory"), "3.0/8");
    EXPECT_EQ(shown("deviceMachinePressure"), "0.4 %");
    EXPECT_EQ(card(1)->content().title, "Rank 1");
    EXPECT_TRUE(card(1)->content().detail.contains("c0 u1"));
    const auto* reason = panel_.findChild<ReasonStrip*>("deviceNoGpu");
    EXPECT_TRUE(reason->isVisible());
    EXPECT_EQ(reason->text(), QString::fromStdString(cpu_sample(0, 0).no_gpu_reason));
}

TEST_F(DevicePanelTest, ACardSelectsItsRankAndShowsTheSelectionOfOthers) {
    model_.add(cpu_sample(1000, 2));
    QTest::mouseClick(card(1), Qt::LeftButton);
    EXPECT_EQ(focus_.rank(), 1);
    EXPECT_TRUE(card(1)->content().selected);
    focus_.setRank(0);
    EXPECT_TRUE(card(0)->content().selected);
    EXPECT_FALSE(card(1)->content().selected);
    QTest::keyClick(card(0), Qt::Key_Return); // once more: none
    EXPECT_EQ(focus_.rank(), ViewFocus::kNoRank);
    // The machine is no rank.
    QTest::mouseClick(card(2), Qt::LeftButton);
    EXPECT_EQ(focus_.rank(), ViewFocus::kNoRank);
    EXPECT_EQ(card(2)->focusPolicy(), Qt::NoFocus);
}

TEST_F(DevicePanelTest, WhereCardsFindNoRoomTheyBecomeRows) {
    panel_.resize(280, 300);
    model_.add(gpu_sample(1000, 8));
    EXPECT_EQ(card(1)->y() - card(0)->y(), LoadCard::heightFor(LoadCard::Form::Row, 280, 0));
    EXPECT_EQ(shown("deviceUtil7"), "97 %");
    panel_.resize(800, 1000);
    QApplication::processEvents();
    EXPECT_EQ(card(1)->y(), card(0)->y()); // two columns of cards
    EXPECT_EQ(shown("deviceClock7"), QLocale().toString(1755.0, 'f', 0) + " MHz");
}

TEST_F(DevicePanelTest, ItemsLieInsideTheirCardsAndDoNotOverlap) {
    LoadSample sample = gpu_sample(1000, 3);
    sample.ranks = cpu_sample(0, 2).ranks;
    model_.add(sample);
    for (const QSize size :
         {QSize(280, 300), QSize(300, 2000), QSize(420, 440), QSize(700, 480), QSize(1400, 900)}) {
        panel_.resize(size);
        QApplication::processEvents();
        for (const LoadCard* one : panel_.findChildren<LoadCard*>()) {
            QRect before;
            for (const QVariant& entry : one->uiItems()) {
                const QRect rect = entry.toMap().value("rect").toRect();
                EXPECT_TRUE(one->rect().contains(rect))
                    << entry.toMap().value("name").toString().toStdString();
                EXPECT_FALSE(rect.intersects(before));
                before = rect;
            }
        }
    }
}

TEST_F(DevicePanelTest, TheRemarkNamesSpanRateAndDriver) {
    QSignalSpy remarks(&panel_, &DevicePanel::remarkChanged);
    model_.add(gpu_sample(1000, 1));
    model_.add(gpu_sample(1250, 1));
    EXPECT_EQ(panel_.remark(), "60 s · 4 Hz · driver 550.90");
    EXPECT_EQ(remarks.last().at(0).toString(), panel_.remark());
    model_.add(gpu_sample(1500, 1));
    EXPECT_EQ(remarks.count(), 2);
}

/// The whole way: panel, client, engine.
TEST(DeviceLoadTest, SamplesComeWhileThePanelIsSeenAndAtMostFourASecond) {
    DeviceLoadModel model;
    ViewFocus focus;
    DevicePanel panel(model, focus);
    EngineClient client;
    QObject::connect(&panel, &DevicePanel::watchChanged, &client, &EngineClient::watchLoad);
    QObject::connect(&client, &EngineClient::loadSampled, &model, &DeviceLoadModel::add);
    std::vector<std::int64_t> times_ns;
    QObject::connect(&client, &EngineClient::loadSampled,
                     [&](const LoadSample& sample) { times_ns.push_back(sample.time_ns); });
    FakeScript script;
    script.loads = {cpu_sample(0, 1)};
    openFake(client, script);
    ASSERT_TRUE(eventually([&] { return client.state() == EngineClient::State::Ready; }));
    QTest::qWait(600);
    EXPECT_EQ(times_ns.size(), 0U); // never shown

    panel.show();
    ASSERT_TRUE(eventually([&] { return times_ns.size() >= 4; }));
    panel.hide();
    QTest::qWait(100);
    const std::size_t then = times_ns.size();
    QTest::qWait(800);
    EXPECT_EQ(times_ns.size(), then);
    for (std::size_t i = 1; i < times_ns.size(); ++i)
        EXPECT_GE(times_ns[i] - times_ns[i - 1], 240'000'000);
}

/// Pictures for the eye, where REELMESH_RENDER names a folder.
TEST(DevicePanelPictures, Render) {
    const QString folder = qEnvironmentVariable("REELMESH_RENDER");
    if (folder.isEmpty()) GTEST_SKIP();
    for (const Theme theme : {Theme::Dark, Theme::Light}) {
        applyTheme(*qApp, theme);
        const QString suffix = theme == Theme::Dark ? "dark" : "light";
        for (const QString kind : {"cpu", "gpu2", "gpu8"}) {
            DeviceLoadModel model;
            ViewFocus focus;
            const int gpus = kind == "cpu" ? 0 : kind == "gpu2" ? 2 : 8;
            if (gpus == 8)
                model.setRanks(
                    {"cuda:0", "cuda:1", "cuda:2", "cuda:3", "cuda:4", "cuda:5", "cuda:6", "cuda:7"},
                    {"c0 u0", "c0 u1", "c0 u2", "c0 u3", "c1 u0", "c1 u1", "c1 u2", "c1 u3"});
            else
                model.setRanks({"cpu", "cpu"}, {"c0 u0", "c0 u1"});
            for (int i = 0; i < 240; ++i) {
                LoadSample sample =
                    gpus > 0 ? gpu_sample(1000 + 250 * i, gpus) : cpu_sample(1000 + 250 * i, 2);
                const double wave = 0.04 * std::sin(i * 0.7) + 0.02 * std::sin(i * 0.13);
                if (i > 90 && i < 110) sample.machine.process_cores = kUnknown;
                for (RankLoad& rank : sample.ranks)
                    rank.cores = i < 40 ? 0.05 : i > 90 && i < 110 ? kUnknown : 0.93 + wave;
                for (std::size_t g = 0; g < sample.devices.size(); ++g) {
                    DeviceLoad& load = sample.devices[g];
                    load.utilization = i < 40 ? 0.02 : 0.95 + wave;
                    load.power_w = i < 40 ? 120 : 612 + 600 * wave;
                    load.temperature_c = 50 + std::min(i, 100) * 0.2 + double(g);
                    load.nvlink_rx_bytes_per_s = i < 40 ? 0 : 5.3e9 * (1 + 4 * wave);
                    if (g == 5) {
                        load.throttle = {"SW thermal"};
                        load.temperature_c = 83;
                        load.sm_mhz = i < 140 ? 1755 : 1590;
                    }
                    if (g == 1 && gpus == 2) {
                        load.nvlink_rx_bytes_per_s = load.nvlink_tx_bytes_per_s = kUnknown;
                        load.energy_j = load.power_limit_w = kUnknown;
                    }
                    if (g == 7) load.lost = i > 200 ? "GPU is lost (Xid 79)" : "";
                }
                model.add(sample);
            }
            focus.setRank(gpus == 8 ? 5 : 1);
            DevicePanel panel(model, focus);
            for (const QSize size : {QSize(280, 300), QSize(420, 440), QSize(700, 480)}) {
                panel.resize(size);
                panel.show();
                QApplication::processEvents();
                panel.grab().save(
                    QString("%1/devices-%2-%3-%4.png").arg(folder, kind).arg(size.width()).arg(suffix));
            }
        }
    }
    applyTheme(*qApp, Theme::Dark);
}

} // namespace
} // namespace reelmesh
