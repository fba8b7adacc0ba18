// Where cards, boxes and links of a mesh picture lie: CFG branches as rows, sequence ranks as columns that
// wrap where they are too many, tensor-parallel ranks stacked. Pure geometry in logical pixels.
#pragma once

#include <QLineF>
#include <QList>
#include <QRectF>
#include <QSizeF>

#include <vector>

#include "models/mesh_scene.h"

namespace reelmesh {

/// How much fits on a card.
enum class CardKind { Full, Medium, Small, Dot };

struct LinkShape {
    std::size_t link = 0; ///< in MeshScene::links
    QList<QLineF> trunk;  ///< what the ranks share
    QList<QLineF> stubs;  ///< from a rank to it
    QPointF pill;         ///< where figures stand, centred; null: nowhere
    bool isBus = false;   ///< as wide as its bytes
};

struct RingBox {
    QRectF rect;
    int ring = 0;
};

struct RowHead {
    QPointF at; ///< left, centred
    int cfg = 0;
};

struct MeshLayout {
    CardKind kind = CardKind::Full;
    bool wide = false;
    std::vector<QRectF> cards; ///< by rank
    std::vector<LinkShape> links;
    std::vector<RingBox> boxes;
    std::vector<RowHead> heads;
    double height = 0; ///< needed
};

/// area: what there is; the height may be exceeded where cards could not be read otherwise.
MeshLayout layOutMesh(const MeshScene& scene, const QSizeF& area);

} // namespace reelmesh
