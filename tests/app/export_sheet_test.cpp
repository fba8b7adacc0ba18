#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QToolButton>

#include "app_fixture.h"
#include "models/export_job.h"
#include "models/job_list_model.h"
#include "panels/export_sheet.h"
#include "theme/style.h"
#include "widgets/notice_bar.h"

namespace reelmesh {
namespace {

class ExportSheetTest : public ::testing::Test {
protected:
    void show(const FakeScript& script) {
        openFake(client_, script);
        ASSERT_TRUE(eventually([this] { return client_.state() == EngineClient::State::Ready; }));
        sheet_.setFolder(folder_.path());
        sheet_.show();
        ASSERT_TRUE(eventually([this] { return preset().count() > 2 || !sheet_.isVisible(); }));
    }
    static ExportSource source(int frames = 9) {
        ExportSource source;
        const std::shared_ptr<std::byte[]> bytes(new std::byte[64 * 32 * 3]());
        source.frames.assign(static_cast<std::size_t>(frames), {64, 32, PixelFormat::Rgb8, 64 * 3, bytes});
        source.fps = FrameRate{16, 1};
        source.request = smallRequest();
        source.request.prompt = "a red kite";
        source.request.seed = 7;
        source.request.guidance = 5.0;
        source.plan = "cfg2";
        return source;
    }
    template <class W>
    W& child(const char* name) {
        auto* found = sheet_.findChild<W*>(name);
        EXPECT_NE(found, nullptr) << name;
        return *found;
    }
    QComboBox& preset() { return child<QComboBox>("exportPreset"); }
    QToolButton& start() { return child<QToolButton>("exportStart"); }
    QString preview() { return child<QLabel>("exportNamePreview").text(); }
    QStringList files() const { return QDir(folder_.path()).entryList(QDir::Files, QDir::Name); }
    bool exported() const { return job_.state() == ExportJob::State::Done; }

    QTemporaryDir folder_;
    EngineClient client_;
    ExportJob job_{client_};
    ExportSheet sheet_{client_, job_};
};

TEST_F(ExportSheetTest, OnlyEncodersThatOpenedAreOffered) {
    FakeScript script;
    script.encoders = {{"libx264", false, "not here"}, {"h264_nvenc", true, ""}, {"mpeg4", true, ""}};
    show(script);
    sheet_.setSource(source());
    ASSERT_EQ(preset().count(), 4);
    EXPECT_TRUE(preset().itemText(0).contains("h264_nvenc")) << preset().itemText(0).toStdString();
    EXPECT_EQ(exportPresets({{"libx264", false, "no"}}, 64, 32).size(), 2) << "PNG alone";
    EXPECT_TRUE(exportPresets({{"libx264", true, ""}}, 63, 32).front().detail.endsWith("yuv444p"));
}

TEST_F(ExportSheetTest, PresetDecidesTheQuality) {
    show({});
    sheet_.setSource(source());
    auto& crf = child<QSpinBox>("exportCrf");
    EXPECT_EQ(crf.value(), 19);
    preset().setCurrentIndex(1);
    EXPECT_EQ(crf.value(), 10);
    preset().setCurrentIndex(2);
    EXPECT_FALSE(crf.isEnabled());
    EXPECT_FALSE(crf.toolTip().isEmpty());
}

TEST_F(ExportSheetTest, NameIsShownAsItWillBe) {
    show({});
    sheet_.setSource(source());
    auto& name = child<QLineEdit>("exportName");
    name.setText("{seed}_{prompt:5}_{model}_{size}_{frames}_{steps}_{cfg}_{plan}_{count}");
    EXPECT_EQ(preview(), "7_a re_sample_32x32_9_4_5_cfg2_1.mp4");
    EXPECT_TRUE(start().isEnabled());
    name.setText("{sed}");
    EXPECT_TRUE(preview().contains("seed")) << preview().toStdString();
    EXPECT_FALSE(start().isEnabled());
    EXPECT_EQ(start().toolTip(), preview());
    name.setText("a/../b");
    EXPECT_FALSE(preview().contains('/'));
    name.setText("");
    EXPECT_FALSE(start().isEnabled());
    name.setText("clip");
    preset().setCurrentIndex(2);
    EXPECT_EQ(preview(), "clip/");
    preset().setCurrentIndex(3);
    EXPECT_EQ(preview(), "clip.png");
}

TEST_F(ExportSheetTest, WritesTheClipAndSaysWhere) {
    show({});
    sheet_.setSource(source());
    child<QLineEdit>("exportName").setText("{seed}");
    start().click();
    ASSERT_TRUE(eventually([this] { return exported(); }));
    EXPECT_EQ(files(), QStringList{"7.mp4"});
    EXPECT_TRUE(sheet_.notice().text().contains("7.mp4"));
    // A name from a pattern is counted on.
    start().click();
    ASSERT_TRUE(eventually([this] { return exported() && files().size() == 2; }));
    EXPECT_EQ(files(), (QStringList{"7.mp4", "7_2.mp4"}));
}

TEST_F(ExportSheetTest, TypedNameThatExistsIsRefusedInPlaceAndNothingIsReplaced) {
    show({});
    sheet_.setSource(source());
    QFile taken(folder_.filePath("clip.mp4"));
    ASSERT_TRUE(taken.open(QIODevice::WriteOnly));
    taken.write("mine");
    taken.close();
    child<QLineEdit>("exportName").setText("clip");
    start().click();
    ASSERT_TRUE(eventually([this] { return job_.state() == ExportJob::State::Failed; }));
    EXPECT_EQ(job_.error().code, ErrorCode::OutputExists);
    EXPECT_TRUE(sheet_.notice().isVisible());
    EXPECT_EQ(taken.size(), 4);
    child<QLineEdit>("exportName").setText("other");
    child<QToolButton>("noticeAction1").click(); // Retry
    ASSERT_TRUE(eventually([this] { return exported(); }));
    EXPECT_EQ(files(), (QStringList{"clip.mp4", "other.mp4"}));
}

TEST_F(ExportSheetTest, FolderThatIsGoneAndFullDiskAreToldInPlace) {
    show({});
    sheet_.setSource(source());
    sheet_.setFolder(folder_.filePath("gone"));
    start().click();
    ASSERT_TRUE(eventually([this] { return job_.state() == ExportJob::State::Failed; }));
    EXPECT_TRUE(sheet_.notice().text().contains("gone"));
    EXPECT_EQ(child<QToolButton>("noticeAction2").text(), "Choose folder…");
}

TEST_F(ExportSheetTest, StopLeavesNothingAndTheSheetIsReadyAgain) {
    FakeScript script;
    script.step_time = std::chrono::milliseconds(20);
    show(script);
    sheet_.setSource(source(500));
    start().click();
    ASSERT_TRUE(eventually([this] { return job_.written() > 2; }));
    EXPECT_FALSE(start().isEnabled());
    EXPECT_TRUE(child<QProgressBar>("exportProgress").isVisible());
    EXPECT_TRUE(eventually([this] { return child<QLabel>("exportState").text().startsWith("Frame "); }));
    child<QToolButton>("exportCancel").click();
    ASSERT_TRUE(eventually([this] { return job_.state() == ExportJob::State::Canceled; }));
    EXPECT_TRUE(files().isEmpty());
    EXPECT_TRUE(start().isEnabled());
}

TEST_F(ExportSheetTest, RateIsCheckedWhileItIsTyped) {
    show({});
    sheet_.setSource(source());
    auto& fps = child<QLineEdit>("exportFps");
    EXPECT_EQ(fps.text(), "16");
    fps.setText("fast");
    EXPECT_FALSE(start().isEnabled());
    fps.setText("30000/1001");
    EXPECT_TRUE(start().isEnabled());
}

TEST_F(ExportSheetTest, WithoutAClipItSaysWhy) {
    show({});
    EXPECT_FALSE(start().isEnabled());
    EXPECT_EQ(start().toolTip(), "There is no finished clip to export");
    sheet_.setWaiting("Reading the clip…");
    EXPECT_EQ(child<QLabel>("exportState").text(), "Reading the clip…");
}

TEST_F(ExportSheetTest, FinishedJobsAreExportedFromTheirFramesOrTheirFile) {
    show({});
    JobListModel jobs(client_);
    JobRequest request = smallRequest();
    request.output.path = folder_.path().toStdString();
    jobs.add({request, request}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([&] { return jobs.endedCount() == 2; }));
    sheet_.openJob(jobs, jobs.job(0).key, 3);
    EXPECT_FALSE(child<QLabel>("exportFacts").text().contains("read again"));
    EXPECT_TRUE(start().isEnabled());
    sheet_.openJob(jobs, jobs.job(1).key, 0);
    ASSERT_TRUE(eventually([this] { return start().isEnabled(); }));
    EXPECT_TRUE(child<QLabel>("exportFacts").text().contains("read again from the saved file"));
    start().click();
    ASSERT_TRUE(eventually([this] { return exported(); }));
    EXPECT_EQ(job_.report().frames, 9);
}

TEST(ExportQuitTest, ClosingWhileAnExportRunsIsPrompt) {
    const auto client = std::make_unique<EngineClient>();
    FakeScript script;
    script.step_time = std::chrono::milliseconds(100);
    openFake(*client, script);
    ASSERT_TRUE(eventually([&] { return client->state() == EngineClient::State::Ready; }));
    auto job = std::make_unique<ExportJob>(*client);
    QTemporaryDir folder;
    ExportRequest request;
    const std::shared_ptr<std::byte[]> bytes(new std::byte[12]());
    request.frames.assign(10000, {2, 2, PixelFormat::Rgb8, 6, bytes});
    request.settings.output.path = folder.filePath("a.mp4").toStdString();
    job->start(request);
    ASSERT_TRUE(eventually([&] { return job->written() > 0; }));
    job.reset();
    EXPECT_TRUE(QDir(folder.path()).isEmpty());
}

/// REELMESH_PICTURES: a folder to keep the pictures in, to look at them.
TEST_F(ExportSheetTest, EveryStateIsDrawnInBothThemes) {
    const QString folder = qEnvironmentVariable("REELMESH_PICTURES");
    FakeScript script;
    script.step_time = std::chrono::milliseconds(50);
    show(script);
    ExportSource clip = source(81);
    clip.request.prompt = "a small sailing boat with lit portholes";
    sheet_.setSource(clip);
    const auto save = [&](const char* name) {
        for (const Theme theme : {Theme::Dark, Theme::Light}) {
            applyTheme(*qApp, theme);
            sheet_.adjustSize();
            QTest::qWait(20);
            EXPECT_EQ(sheet_.width(), ExportSheet::kWidth);
            const QPixmap picture = sheet_.grab();
            if (folder.isEmpty()) continue;
            picture.save(
                QString("%1/export-%2-%3.png").arg(folder, name, theme == Theme::Dark ? "dark" : "light"));
        }
        applyTheme(*qApp, Theme::Dark);
    };
    save("ready");
    start().click();
    ASSERT_TRUE(eventually([this] { return job_.written() > 5; }));
    save("running");
    job_.cancel();
    ASSERT_TRUE(eventually([this] { return !job_.isRunning(); }));
    sheet_.setFolder("/nowhere/at/all");
    start().click();
    ASSERT_TRUE(eventually([this] { return job_.state() == ExportJob::State::Failed; }));
    save("failed");
}

} // namespace
} // namespace reelmesh
