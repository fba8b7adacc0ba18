#include "models/draft_store.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include "app_fixture.h"
#include "models/request_draft.h"

namespace reelmesh {
namespace {

class DraftStoreTest : public ::testing::Test {
protected:
    QTemporaryDir folder_;
    QString file_ = folder_.filePath("state/draft.json");
};

TEST_F(DraftStoreTest, IsWrittenWithinASecondOfAnEditAndComesBack) {
    RequestDraft draft;
    DraftStore store(draft, file_);
    draft.setPrompt("a \"red\" ball\n球");
    draft.setField("frames", "80");
    draft.setField("guidance", "7.5");
    draft.setSeed(UINT64_MAX);
    draft.setSeedMode(RequestDraft::SeedMode::Increment);
    draft.setCount(3);
    draft.setOneJobPerLine(true);
    store.setPreset("Balanced");
    ASSERT_TRUE(eventually([&] { return QFile::exists(file_); }));

    // As after a kill: the first store has not been destroyed.
    RequestDraft later;
    DraftStore other(later, file_);
    ASSERT_TRUE(other.restore());
    EXPECT_EQ(later.request(), draft.request());
    EXPECT_EQ(later.seedMode(), RequestDraft::SeedMode::Increment);
    EXPECT_EQ(later.count(), 3);
    EXPECT_TRUE(later.isOneJobPerLine());
    EXPECT_EQ(other.preset(), "Balanced");
}

TEST_F(DraftStoreTest, TypingWithoutAPauseIsStoredToo) {
    RequestDraft draft;
    DraftStore store(draft, file_);
    QElapsedTimer time;
    time.start();
    for (int i = 0; !QFile::exists(file_) && time.elapsed() < 5 * DraftStore::kDelay_ms; ++i) {
        draft.setPrompt(QString::number(i));
        QTest::qWait(50);
    }
    EXPECT_TRUE(QFile::exists(file_));
}

TEST_F(DraftStoreTest, ClosingWritesWhatWaits) {
    {
        RequestDraft draft;
        DraftStore store(draft, file_);
        draft.setPrompt("last word");
    }
    RequestDraft later;
    DraftStore store(later, file_);
    ASSERT_TRUE(store.restore());
    EXPECT_EQ(later.prompt(), "last word");
}

TEST_F(DraftStoreTest, DamagedFileIsKeptAsideAndSaid) {
    for (const char* text : {"{\"job\": {\"prompt\": \"ha", R"({"schema": 1, "job": {"steps": "many"}})"}) {
        QFile::remove(file_ + ".damaged");
        {
            RequestDraft draft;
            DraftStore store(draft, file_);
            draft.setPrompt("x");
        }
        QFile file(file_);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
        file.close();
        RequestDraft draft;
        draft.setPrompt("kept");
        DraftStore store(draft, file_);
        QStringList said;
        QObject::connect(&store, &DraftStore::damaged, [&](const QString& sentence) { said << sentence; });
        EXPECT_FALSE(store.restore());
        EXPECT_EQ(said.size(), 1) << text;
        EXPECT_TRUE(QFile::exists(file_ + ".damaged")) << text;
        EXPECT_FALSE(QFile::exists(file_)) << text;
        EXPECT_EQ(draft.prompt(), "kept");
    }
}

TEST_F(DraftStoreTest, NothingStoredIsNoProblem) {
    RequestDraft draft;
    DraftStore store(draft, file_);
    bool said = false;
    QObject::connect(&store, &DraftStore::damaged, [&] { said = true; });
    EXPECT_FALSE(store.restore());
    EXPECT_FALSE(said);
}

TEST_F(DraftStoreTest, UnwritablePlaceIsSaid) {
    RequestDraft draft;
    DraftStore store(draft, "/proc/no/draft.json");
    bool said = false;
    QObject::connect(&store, &DraftStore::writeFailed, [&] { said = true; });
    draft.setPrompt("x");
    EXPECT_TRUE(eventually([&] { return said; }));
}

} // namespace
} // namespace reelmesh
