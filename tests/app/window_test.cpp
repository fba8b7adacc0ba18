// The whole window on the fake engine, without a screen.
#include <QAction>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include "app_fixture.h"
#include "bridge/engine_library.h"
#include "models/settings.h"
#include "options.h"
#include "shell/ui_map.h"
#include "shell/workstation.h"
#include "widgets/notice_bar.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

class WindowTest : public ::testing::Test {
protected:
    void start(const FakeScript& script) {
        generation_.draft().setPrompt(QString::fromStdString(smallRequest().prompt));
        window_.show();
        openFake(client_, script);
    }
    template <class Widget>
    Widget& get(const char* name) {
        auto* widget = window_.findChild<Widget*>(name);
        EXPECT_NE(widget, nullptr) << name;
        return *widget;
    }
    QString stage() { return get<QLabel>("statusStage").text(); }
    void press(const char* name) { get<QToolButton>(name).click(); }
    auto stageIs(const QString& text) {
        return eventually([this, text] { return stage() == text; });
    }

    EngineClient client_;
    Settings settings_;
    Workstation workstation_{client_, settings_};
    Generation& generation_ = workstation_.generation();
    MainWindow& window_ = workstation_.window();
};

TEST_F(WindowTest, GenerateEndsWithAPlayingClipAndASavedFile) {
    start({});
    generation_.draft().setOutputFolder(QTemporaryDir().path());
    press("actGenerate");
    ASSERT_TRUE(stageIs("Done"));
    auto& video = get<VideoView>("viewerVideo");
    EXPECT_TRUE(video.isVisible());
    const QString before = get<QLabel>("viewerFrame").text();
    EXPECT_TRUE(before.contains("/017")) << before.toStdString();
    EXPECT_TRUE(eventually([&] { return get<QLabel>("viewerFrame").text() != before; }));
    EXPECT_EQ(get<NoticeBar>("notice").kind(), NoticeBar::Kind::Done);
    EXPECT_TRUE(get<NoticeBar>("notice").text().contains("clip.mp4"));
    EXPECT_EQ(get<QTableView>("rankTimes").model()->rowCount(), 2);
    EXPECT_TRUE(get<QToolButton>("actGenerate").isEnabled());
    EXPECT_FALSE(get<QToolButton>("actStop").isEnabled());
}

TEST_F(WindowTest, PreviewAnimatesWhileTheJobRuns) {
    start({.step_time = std::chrono::milliseconds(80)});
    press("actGenerate");
    auto& video = get<VideoView>("viewerVideo");
    ASSERT_TRUE(eventually([&] { return video.text().endsWith("preview"); }));
    EXPECT_TRUE(get<QLabel>("viewerFrame").text().contains("/017"));
    EXPECT_FALSE(get<QToolButton>("actGenerate").isEnabled());
    ASSERT_TRUE(stageIs("Done"));
    EXPECT_EQ(video.text(), "");
}

TEST_F(WindowTest, CancelSaysStoppingAtOnceAndThenCancelled) {
    start({.step_time = std::chrono::milliseconds(500)});
    press("actGenerate");
    ASSERT_TRUE(eventually([&] { return stage().startsWith("Denoise"); }));
    press("actStop");
    EXPECT_EQ(stage(), "Stopping…");
    EXPECT_FALSE(get<QToolButton>("actStop").isEnabled());
    ASSERT_TRUE(stageIs("Cancelled"));
    press("actGenerate");
    EXPECT_TRUE(eventually([&] { return stage().startsWith("Denoise"); }));
}

TEST_F(WindowTest, GenerateBeforeTheEngineIsOpenWaitsForIt) {
    window_.show();
    press("actGenerate");
    EXPECT_EQ(stage(), "Starting engine");
    openFake(client_);
    EXPECT_TRUE(stageIs("Done"));
}

TEST_F(WindowTest, CancelWhileTheEngineOpensRunsNothing) {
    window_.show();
    press("actGenerate");
    press("actStop");
    EXPECT_EQ(stage(), "Cancelled");
    openFake(client_);
    ASSERT_TRUE(eventually([&] { return client_.state() == EngineClient::State::Ready; }));
    QTest::qWait(50);
    EXPECT_EQ(stage(), "Cancelled");
}

TEST_F(WindowTest, MissingEngineIsANotice) {
    window_.show();
    client_.open([] { return openEngineLibrary({"/no/engine.so"}); });
    ASSERT_TRUE(eventually([&] { return get<NoticeBar>("notice").isVisible(); }));
    EXPECT_TRUE(get<NoticeBar>("notice").text().contains("/no/engine.so"));
    press("actGenerate");
    EXPECT_EQ(stage(), "Failed");
    EXPECT_TRUE(get<NoticeBar>("notice").isVisible());
}

TEST_F(WindowTest, RefusedMeshOffersTheAutomaticOne) {
    start({.refusal = errorWith(ErrorCode::MeshTooLarge)});
    get<QComboBox>("meshChoice").setCurrentIndex(2);
    EXPECT_EQ(generation_.draft().mesh(), "cfg2");
    press("actGenerate");
    ASSERT_TRUE(stageIs("Failed"));
    EXPECT_EQ(get<NoticeBar>("notice").kind(), NoticeBar::Kind::Error);
    press("noticeAction1");
    EXPECT_EQ(get<QComboBox>("meshChoice").currentData(), "auto");
}

TEST_F(WindowTest, FailureInAStepKeepsTheWindowUsable) {
    start({.failure = errorWith(ErrorCode::NotFinite), .fail_at_step = 2});
    press("actGenerate");
    ASSERT_TRUE(stageIs("Failed"));
    EXPECT_EQ(get<NoticeBar>("notice").text().toStdString(), error_message(errorWith(ErrorCode::NotFinite)));
    EXPECT_TRUE(get<QToolButton>("actGenerate").isEnabled());
    EXPECT_EQ(get<QToolButton>("noticeAction1").text(), "Retry");
}

TEST_F(WindowTest, ClosingDuringAJobAsksInPlace) {
    start({.step_time = std::chrono::hours(1)});
    bool confirmed = false;
    QObject::connect(&workstation_, &Workstation::quitConfirmed, [&] { confirmed = true; });
    press("actGenerate");
    ASSERT_TRUE(eventually([&] { return stage().startsWith("Denoise"); }));
    window_.close();
    EXPECT_TRUE(window_.isVisible());
    EXPECT_FALSE(confirmed);
    press("noticeAction1");
    EXPECT_TRUE(confirmed);
}

TEST_F(WindowTest, PromptIsKeptAsTypedAndEnterIsANewLine) {
    start({});
    auto& prompt = get<QPlainTextEdit>("promptText");
    prompt.clear();
    QTest::keyClicks(&prompt, QString("a") + QChar::Nbsp + "b");
    QTest::keyClick(&prompt, Qt::Key_Return);
    QTest::keyClicks(&prompt, "c");
    EXPECT_EQ(generation_.draft().request().prompt, "a\u00a0b\nc");
    EXPECT_FALSE(generation_.status().isActive());
}

TEST_F(WindowTest, NothingIsClippedInTheSmallestWindows) {
    start({.step_time = std::chrono::milliseconds(30)});
    for (const QSize size : {QSize(1024, 700), QSize(1280, 800)}) {
        window_.resize(size);
        press("actGenerate");
        ASSERT_TRUE(stageIs("Done"));
        QTest::qWait(50);
        EXPECT_EQ(window_.size(), size);
        const QRect screen(window_.mapToGlobal(QPoint()), window_.size());
        for (const QWidget* widget : window_.findChildren<QWidget*>()) {
            if (!widget->isVisible()) continue;
            const auto* label = qobject_cast<const QLabel*>(widget);
            const bool isText = (label && !label->wordWrap()) || qobject_cast<const QToolButton*>(widget);
            if (!isText || (label && label->text().isEmpty())) continue;
            const QString name = widget->objectName() + " " + widget->property("text").toString();
            EXPECT_GE(widget->width(), widget->sizeHint().width()) << name.toStdString();
            EXPECT_TRUE(screen.contains(QRect(widget->mapToGlobal(QPoint()), widget->size())))
                << name.toStdString();
        }
        EXPECT_GE(get<QWidget>("viewer").width(), 600);
    }
}

TEST_F(WindowTest, UiMapNamesWhatIsVisible) {
    start({});
    press("actGenerate");
    ASSERT_TRUE(stageIs("Done"));
    QMap<QString, QJsonObject> items;
    const QJsonDocument map = QJsonDocument::fromJson(UiMap::describe({&window_}));
    for (const QJsonValue& item : map["items"].toArray())
        items[item["name"].toString()] = item.toObject();
    EXPECT_EQ(items["statusStage"]["text"], "Done");
    EXPECT_EQ(items["promptText"]["text"], "a ball");
    EXPECT_EQ(items["actGenerate"]["enabled"], true);
    EXPECT_GT(items["viewerVideo"]["rect"].toObject()["width"].toDouble(), 600);
    EXPECT_EQ(items["meshChoice"]["accessible"], "Mesh");
}

TEST(OptionsTest, ReadsAndRefuses) {
    const Options options =
        parseOptions({"reelmesh", "--geometry", "1024x700+10-5", "--theme", "light", "--output-dir", "out"});
    EXPECT_EQ(options.wish, Options::Wish::Run);
    EXPECT_EQ(options.geometry->size, QSize(1024, 700));
    EXPECT_EQ(options.geometry->position, QPoint(10, -5));
    EXPECT_EQ(options.theme, Theme::Light);
    EXPECT_EQ(options.outputFolder, "out");
    EXPECT_EQ(parseOptions({"reelmesh", "--version"}).wish, Options::Wish::ShowVersion);
    for (const QStringList& bad :
         {QStringList{"--theme", "pink"}, {"--geometry", "big"}, {"--no-such"}, {"file"}})
        EXPECT_EQ(parseOptions(QStringList{"reelmesh"} + bad).wish, Options::Wish::Refuse);
}

} // namespace
} // namespace reelmesh
