// Paints one rank's card of the mesh picture. GUI thread.
#pragma once

#include <QPainter>

#include "models/mesh_scene.h"
#include "theme/palette.h"
#include "widgets/mesh_layout.h"

namespace reelmesh {

struct CardLook {
    const Tokens& tokens;
    bool selected = false, hovered = false, focused = false;
};

void paintMeshCard(QPainter& painter, const QRectF& rect, CardKind kind, const RankCard& card,
                   const CardLook& look);
/// What the state is told by, beside its word.
QColor stateColor(RankState state, const Tokens& tokens);

} // namespace reelmesh
