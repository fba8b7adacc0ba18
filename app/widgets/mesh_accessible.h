// What a screen reader finds in the mesh picture: a list with an entry a rank. GUI thread.
#pragma once

namespace reelmesh {

class MeshPicture;

/// Makes the interface known to Qt; more than once is harmless.
void installMeshAccessible();
/// The keyboard moved to that rank.
void announceRank(MeshPicture& picture, int rank);

} // namespace reelmesh
