#include <QAccessible>
#include <QSignalSpy>

#include <algorithm>

#include "mesh_fixture.h"
#include "models/mesh_model.h"
#include "theme/lanes.h"
#include "widgets/mesh_picture.h"

namespace reelmesh {
namespace {

struct PictureBench {
    explicit PictureBench(const std::string& mesh, QSize size,
                          const HardwareSnapshot& hardware = eightGpus()) {
        model.setPlans(only(planOf(mesh, 1), eightGpuPlans()), hardware);
        picture.setScene(model.scene());
        picture.resize(size);
        picture.show();
    }
    QVariantMap item(const QString& name) const {
        for (const QVariant& entry : picture.uiItems())
            if (entry.toMap().value("name") == name) return entry.toMap();
        ADD_FAILURE() << "no " << name.toStdString();
        return {};
    }
    QRect rect(const QString& name) const { return item(name).value("rect").toRect(); }
    QStringList names() const {
        QStringList names;
        for (const QVariant& entry : picture.uiItems())
            names << entry.toMap().value("name").toString();
        return names;
    }

    MeshModel model;
    MeshPicture picture;
};

TEST(MeshPictureTest, BranchesAreRowsAndSequenceRanksColumns) {
    const PictureBench bench("cfg2,ulysses4", {620, 300});
    EXPECT_EQ(bench.picture.cardKind(), CardKind::Full);
    for (int rank = 0; rank < 8; ++rank) {
        const QRect card = bench.rect(QString("meshCard%1").arg(rank));
        EXPECT_GE(card.width(), 110);
        EXPECT_EQ(card.top(), bench.rect(QString("meshCard%1").arg(rank / 4 * 4)).top());
        EXPECT_EQ(card.left(), bench.rect(QString("meshCard%1").arg(rank % 4)).left());
    }
    EXPECT_LT(bench.rect("meshCard0").right(), bench.rect("meshCard1").left());
    // One bus under each row, a line from each rank to its other branch.
    const QRect bus = bench.rect("meshLinkUlysses0");
    EXPECT_GT(bus.top(), bench.rect("meshCard0").bottom());
    EXPECT_LT(bus.bottom(), bench.rect("meshCard4").top());
    EXPECT_GT(bus.width(), 3 * bench.rect("meshCard0").width());
    EXPECT_GT(bench.rect("meshLinkUlysses4").top(), bench.rect("meshCard7").bottom());
    const QRect pair = bench.rect("meshLinkCfg2");
    EXPECT_GT(pair.left(), bench.rect("meshCard2").left());
    EXPECT_LT(pair.right(), bench.rect("meshCard2").right());
    const QStringList names = bench.names();
    EXPECT_EQ(std::count_if(names.begin(), names.end(),
                            [](const QString& name) { return name.startsWith("meshLink"); }),
              6);
}

TEST(MeshPictureTest, TwoBranchesAloneStandSideBySide) {
    const PictureBench bench("cfg2", {264, 120});
    EXPECT_EQ(bench.rect("meshCard0").top(), bench.rect("meshCard1").top());
    const QRect link = bench.rect("meshLinkCfg0");
    EXPECT_NEAR(link.left(), bench.rect("meshCard0").right(), 3);
    EXPECT_NEAR(link.right(), bench.rect("meshCard1").left(), 3);
}

TEST(MeshPictureTest, TensorRanksAreStackedAndRingsRunAbove) {
    const PictureBench stacked("ulysses2,tp2", {400, 300});
    EXPECT_EQ(stacked.rect("meshCard0").left(), stacked.rect("meshCard1").left());
    EXPECT_GT(stacked.rect("meshCard1").top(), stacked.rect("meshCard0").bottom());
    EXPECT_GT(stacked.rect("meshCard2").left(), stacked.rect("meshCard0").right());
    EXPECT_TRUE(stacked.names().contains("meshLinkTp2"));

    const PictureBench ring("cfg2,ulysses2,ring2", {400, 300});
    // First of each ring: the ranks of one ring block.
    EXPECT_LT(ring.rect("meshLinkRing0").bottom(), ring.rect("meshCard0").top());
    EXPECT_GT(ring.rect("meshLinkRing5").top(), ring.rect("meshCard1").bottom());
    EXPECT_NE(ring.rect("meshLinkRing0").top(), ring.rect("meshLinkRing1").top());
    EXPECT_TRUE(ring.names().contains("meshLinkUlysses6"));
}

TEST(MeshPictureTest, CardsShrinkWithTheWidthAndSixtyFourRanksAreDots) {
    EXPECT_EQ(PictureBench("cfg2,ulysses4", {404, 240}).picture.cardKind(), CardKind::Medium);
    EXPECT_EQ(PictureBench("cfg2,ulysses4", {264, 240}).picture.cardKind(), CardKind::Small);
    const PictureBench wrapped("ulysses8", {264, 240});
    EXPECT_GT(wrapped.rect("meshCard4").top(), wrapped.rect("meshCard3").bottom());
    const PictureBench dots("cfg2,ulysses8,ring4", {264, 240});
    EXPECT_EQ(dots.picture.cardKind(), CardKind::Dot);
    for (int rank = 0; rank < 64; ++rank) {
        const QRect dot = dots.rect(QString("meshCard%1").arg(rank));
        EXPECT_GE(dot.width(), 8);
        EXPECT_TRUE(dots.picture.rect().contains(dot)) << rank;
        for (int other = 0; other < rank; ++other)
            EXPECT_FALSE(dot.intersects(dots.rect(QString("meshCard%1").arg(other)))) << rank << " " << other;
    }
}

TEST(MeshPictureTest, CentresOfItemsAreWhereTheyCanBeClicked) {
    for (const char* mesh : {"cfg2,ulysses4", "cfg2,ulysses2,ring2", "ulysses2,tp2", "cfg2"}) {
        for (const QSize size : {QSize(264, 260), QSize(404, 300), QSize(624, 320)}) {
            PictureBench bench(mesh, size);
            QStringList clicked;
            QObject::connect(&bench.picture, &MeshPicture::rankClicked,
                             [&](int rank) { clicked << QString("meshCard%1").arg(rank); });
            QObject::connect(&bench.picture, &MeshPicture::linkClicked, [&](ExchangeGroup group, int first) {
                const char* name = group == ExchangeGroup::Cfg       ? "Cfg"
                                   : group == ExchangeGroup::Ulysses ? "Ulysses"
                                   : group == ExchangeGroup::Ring    ? "Ring"
                                                                     : "Tp";
                clicked << QString("meshLink%1%2").arg(name).arg(first);
            });
            const QStringList names = bench.names();
            for (const QString& name : names)
                QTest::mouseClick(&bench.picture, Qt::LeftButton, {}, bench.rect(name).center());
            EXPECT_EQ(clicked, names)
                << mesh << " " << size.width() << " " << clicked.join(' ').toStdString();
        }
    }
}

TEST(MeshPictureTest, BesideEverythingAClickClears) {
    PictureBench bench("cfg2", {264, 200});
    QSignalSpy cleared(&bench.picture, &MeshPicture::cleared);
    QTest::mouseClick(&bench.picture, Qt::LeftButton, {}, QPoint(130, 190));
    EXPECT_EQ(cleared.size(), 1);
}

TEST(MeshPictureTest, ArrowsMoveEnterSelectsEscapeClears) {
    PictureBench bench("cfg2,ulysses4", {620, 300});
    QSignalSpy clicked(&bench.picture, &MeshPicture::rankClicked),
        cleared(&bench.picture, &MeshPicture::cleared);
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Right, Qt::Key_Down, Qt::Key_Left})
        QTest::keyClick(&bench.picture, key);
    EXPECT_EQ(bench.picture.currentRank(), 5);
    QTest::keyClick(&bench.picture, Qt::Key_Up);
    QTest::keyClick(&bench.picture, Qt::Key_Up);
    QTest::keyClick(&bench.picture, Qt::Key_Return);
    ASSERT_EQ(clicked.size(), 1);
    EXPECT_EQ(clicked[0][0].toInt(), 1);
    QTest::keyClick(&bench.picture, Qt::Key_Escape);
    EXPECT_EQ(cleared.size(), 1);
}

TEST(MeshPictureTest, LinksHaveTheColourOfTheirAxisAndDashesThroughTheHost) {
    const auto busPixels = [](const PictureBench& bench) {
        const QRect bus = bench.rect("meshLinkUlysses0");
        const QImage image = const_cast<MeshPicture&>(bench.picture).grab().toImage();
        int colored = 0;
        for (int x = bus.left(); x <= bus.right(); ++x)
            colored += image.pixelColor(x, bus.center().y()) == laneStyle(Lane::AllToAll).color ? 1 : 0;
        return double(colored) / bus.width();
    };
    EXPECT_GT(busPixels(PictureBench("cfg2,ulysses4", {400, 300})), 0.9);
    HardwareSnapshot hardware = eightGpus();
    hardware.links.clear();
    const PictureBench staged("cfg2,ulysses4", {400, 300}, hardware);
    EXPECT_LT(busPixels(staged), 0.8);
    EXPECT_GT(busPixels(staged), 0.2);
    EXPECT_TRUE(staged.item("meshLinkUlysses0").value("text").toString().contains("through the host"));
}

TEST(MeshPictureTest, RanksAreEntriesOfAListForAScreenReader) {
    PictureBench bench("cfg2,ulysses4", {620, 300});
    QAccessibleInterface* list = QAccessible::queryAccessibleInterface(&bench.picture);
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(list->childCount(), 8);
    QAccessibleInterface* rank = list->child(5);
    ASSERT_NE(rank, nullptr);
    EXPECT_EQ(rank->text(QAccessible::Name), "GPU 5 c1 u1, idle, memory ≈ 34/80 GiB");
    EXPECT_EQ(list->indexOfChild(rank), 5);
    EXPECT_FALSE(rank->state().selected);
    bench.picture.setSelection(5, std::nullopt);
    EXPECT_TRUE(rank->state().selected);
    bench.picture.setScene({});
    EXPECT_FALSE(rank->isValid());
}

} // namespace
} // namespace reelmesh
