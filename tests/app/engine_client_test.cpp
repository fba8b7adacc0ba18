#include "bridge/engine_client.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <cstring>

#include "app_fixture.h"
#include "bridge/engine_library.h"
#include "bridge/frame_image.h"

namespace reelmesh {
namespace {

TEST(EngineClientTest, MissingLibraryBecomesAnError) {
    EngineClient client;
    Error error;
    QObject::connect(&client, &EngineClient::openFailed, [&](const Error& e) { error = e; });
    client.open([] { return openEngineLibrary(engineLibraryPlaces("/no/such/folder")); });
    ASSERT_TRUE(eventually([&] { return client.state() == EngineClient::State::Missing; }));
    EXPECT_EQ(error.code, ErrorCode::EngineLibrary);
    EXPECT_NE(error_message(error).find("/no/such/folder"), std::string::npos);
}

TEST(EngineClientTest, FileThatIsNoLibraryBecomesAnError) {
    const Result<std::unique_ptr<Engine>> engine = openEngineLibrary({"/etc/hostname"});
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code, ErrorCode::EngineLibrary);
    EXPECT_EQ(engine.error().text("file"), "/etc/hostname");
}

TEST(EngineClientTest, OpensALibraryByItsFactory) {
    const Result<std::unique_ptr<Engine>> engine = openEngineLibrary({"/no/such", REELMESH_FAKE_ENGINE});
    ASSERT_TRUE(engine) << error_message(engine.error());
    EXPECT_EQ(engine.value()->resolved(7).error().code, ErrorCode::Internal);
}

TEST(EngineClientTest, TheReplyComesBeforeTheJobsFirstEventAndNothingIsLost) {
    EngineClient client;
    openFake(client);
    ASSERT_TRUE(eventually([&] { return client.state() == EngineClient::State::Ready; }));
    QStringList order;
    int steps = 0, frames = 0;
    QObject::connect(&client, &EngineClient::submitted, [&](JobId, const JobRequest& resolved) {
        EXPECT_EQ(resolved.seed, 5U);
        order << "submitted";
    });
    QObject::connect(&client, &EngineClient::jobStateChanged,
                     [&](const JobStateChanged& e) { order << job_state_name(e.state); });
    QObject::connect(&client, &EngineClient::stepDone,
                     [&](const StepDone& e) { EXPECT_EQ(e.step, steps++); });
    QObject::connect(&client, &EngineClient::framesDecoded, [&](const FramesDecoded& e) {
        EXPECT_EQ(e.first, frames);
        frames += int(e.frames.size());
    });
    JobRequest request = smallRequest();
    request.steps = 500;
    client.submit(request);
    ASSERT_TRUE(eventually([&] { return order.contains(job_state_name(JobState::Done)); }));
    EXPECT_EQ(order.first(), "submitted");
    EXPECT_EQ(order[1], job_state_name(JobState::Pending));
    EXPECT_EQ(steps, 500);
    EXPECT_EQ(frames, 9);
}

/// Counts drain events: each turns into one call of an event filter.
class EventCounter : public QObject {
public:
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() >= QEvent::User) ++count;
        return false;
    }
    int count = 0;
};

TEST(EngineClientTest, ManyWakeUpsMakeOnePendingEvent) {
    EngineClient client;
    openFake(client);
    ASSERT_TRUE(eventually([&] { return client.state() == EngineClient::State::Ready; }));
    bool submitted = false, done = false;
    QObject::connect(&client, &EngineClient::submitted, [&] { submitted = true; });
    QObject::connect(&client, &EngineClient::jobStateChanged,
                     [&](const JobStateChanged& e) { done = done || e.state == JobState::Done; });
    JobRequest request = smallRequest();
    request.steps = 20;
    client.submit(request);
    ASSERT_TRUE(eventually([&] { return submitted; }));
    // The whole job plays while this thread is away; what it posted meanwhile is one event.
    QTest::qSleep(1000);
    EventCounter counter;
    client.installEventFilter(&counter);
    QCoreApplication::sendPostedEvents(&client, 0);
    EXPECT_LE(counter.count, 1);
    EXPECT_TRUE(eventually([&] { return done; }));
}

TEST(EngineClientTest, MakesTheOutputFolderOrSaysThatItCannot) {
    EngineClient client;
    openFake(client);
    ASSERT_TRUE(eventually([&] { return client.state() == EngineClient::State::Ready; }));
    const QTemporaryDir folder;
    bool submitted = false;
    Error refusal;
    QObject::connect(&client, &EngineClient::submitted, [&] { submitted = true; });
    QObject::connect(&client, &EngineClient::refused, [&](const Error& e) { refusal = e; });
    JobRequest request = smallRequest();
    request.output.path = folder.filePath("films/Reelmesh").toStdString();
    client.submit(request);
    ASSERT_TRUE(eventually([&] { return submitted; }));
    EXPECT_TRUE(QDir(folder.filePath("films/Reelmesh")).exists());
    request.output.path = "/proc/no/folder";
    client.submit(request);
    ASSERT_TRUE(eventually([&] { return refusal.code != ErrorCode::None; }));
    EXPECT_EQ(refusal.code, ErrorCode::NotWritable);
}

TEST(EngineClientTest, DestroyingItEndsARunningJob) {
    auto client = std::make_unique<EngineClient>();
    openFake(*client, {.step_time = std::chrono::hours(1)});
    ASSERT_TRUE(eventually([&] { return client->state() == EngineClient::State::Ready; }));
    bool running = false;
    QObject::connect(client.get(), &EngineClient::jobStateChanged,
                     [&](const JobStateChanged& e) { running = running || e.stage == Stage::Denoise; });
    client->submit(smallRequest());
    ASSERT_TRUE(eventually([&] { return running; }));
    client.reset();
}

TEST(FrameImageTest, SharesEightBitPixelsAndKeepsThemAlive) {
    std::shared_ptr<std::byte[]> bytes(new std::byte[2 * 8]);
    for (int i = 0; i < 16; ++i)
        bytes[i] = std::byte(i);
    const std::weak_ptr<std::byte[]> watch = bytes;
    QImage image = frameImage({2, 2, PixelFormat::Rgb8, 8, bytes});
    bytes.reset();
    EXPECT_EQ(image.pixelColor(1, 1), QColor(11, 12, 13));
    EXPECT_EQ(image.constBits(), reinterpret_cast<const uchar*>(watch.lock().get()));
    image = {};
    EXPECT_TRUE(watch.expired());
}

TEST(FrameImageTest, WidensSixteenBitPixels) {
    std::shared_ptr<std::byte[]> bytes(new std::byte[6]);
    const quint16 pixel[] = {0x1234, 0xFFFF, 0};
    std::memcpy(bytes.get(), pixel, sizeof pixel);
    const QImage image = frameImage({1, 1, PixelFormat::Rgb16, 6, bytes});
    EXPECT_EQ(image.pixelColor(0, 0).rgba64(), QRgba64::fromRgba64(0x1234, 0xFFFF, 0, 0xFFFF));
    EXPECT_TRUE(frameImage({}).isNull());
}

TEST(EngineClientTest, QuestionThatTakesLongDoesNotHoldTheEndUp) {
    auto client = std::make_unique<EngineClient>();
    FakeScript script;
    script.step_time = std::chrono::seconds(1);
    openFake(*client, script);
    ASSERT_TRUE(eventually([&] { return client->state() == EngineClient::State::Ready; }));
    const auto control = std::make_shared<ExportControl>();
    // More than the pool has threads: those behind must not be begun any more.
    for (int i = 0; i < 16; ++i)
        client->ask(
            client.get(),
            [control](Engine& engine) {
                ExportRequest request;
                request.frames.resize(1000);
                request.settings.output.path = "/tmp/never.mp4";
                return engine.export_media(request, control).get();
            },
            [](const Result<ExportReport>&) {});
    ASSERT_TRUE(eventually([&] { return control->written > 0; }));
    QElapsedTimer time;
    time.start();
    client.reset();
    EXPECT_LT(time.elapsed(), 5 * 1000);
}

} // namespace
} // namespace reelmesh
