#include "request/mesh_shape.h"

#include <gtest/gtest.h>

#include <set>

#include "base/check.h"

namespace reelmesh {
namespace {

TEST(MeshShapeTest, ReadsAnyOrderAndPrintsOneOrder) {
    EXPECT_EQ(mesh_text(parse_mesh("ulysses4, cfg2")), "cfg2,ulysses4");
    EXPECT_EQ(mesh_text(parse_mesh("dp2,pipe2,tp2,ring2,ulysses4,cfg2")),
              "cfg2,ulysses4,ring2,tp2,pipe2,dp2");
    EXPECT_EQ(parse_mesh("cfg2,ulysses4,ring2,tp2,pipe2,dp2").ranks(), 128);
    EXPECT_EQ(mesh_text(parse_mesh("cfg1")), "single");
    EXPECT_EQ(parse_mesh("single").ranks(), 1);
}

TEST(MeshShapeTest, RefusesEverythingElse) {
    for (const char* text : {"", "cfg", "cfg0", "cfg02", "cfg-2", "cfg2,cfg2", "cfg2,", ",cfg2", "cfg2x",
                             "cfg2;tp2", "CFG2", "cfg2.0", "cfg99999", "cfg64,ulysses4096", "auto"}) {
        try {
            parse_mesh(text);
            ADD_FAILURE() << text;
        } catch (const EngineException& exception) {
            EXPECT_EQ(exception.error().code, ErrorCode::MeshSyntax) << text;
        }
    }
}

TEST(MeshShapeTest, TensorIsInnermostAndDataOutermost) {
    const MeshShape shape = parse_mesh("cfg2,ulysses3,tp2");
    // rank = (c*U + u)*T + t
    EXPECT_EQ(shape.coordinate(11, Axis::Tensor), 1);
    EXPECT_EQ(shape.coordinate(11, Axis::Ulysses), 2);
    EXPECT_EQ(shape.coordinate(11, Axis::Cfg), 1);
    EXPECT_EQ(shape.coordinate(11, Axis::Ring), 0);
    EXPECT_EQ(shape.neighbour(11, Axis::Cfg, 0), 5);
    EXPECT_EQ(shape.neighbour(0, Axis::Ulysses, 2), 4);
}

TEST(MeshShapeTest, CoordinatesNumberEveryRankOnce) {
    const MeshShape shape = parse_mesh("cfg2,ulysses3,ring2,tp2,dp2");
    std::set<std::vector<int>> seen;
    for (int rank = 0; rank < shape.ranks(); ++rank) {
        std::vector<int> place;
        for (const Axis axis : kAxes)
            place.push_back(shape.coordinate(rank, axis));
        EXPECT_TRUE(seen.insert(place).second);
    }
    EXPECT_EQ(static_cast<int>(seen.size()), 48);
}

} // namespace
} // namespace reelmesh
