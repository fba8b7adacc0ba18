// Two small families beside Wan, so that no interface hardens around one: joint attention of
// latents and text, and two streams of different rates that listen to each other. Real arithmetic
// from fixed numbers, no weight files. Stateless, any thread.
#pragma once

#include "models/family.h"

namespace reelmesh::testing {

/// "fake_joint": one video stream; text tokens are rows beside the latents' and change from block to block.
const Family& joint_attention_family();
/// "fake_two_streams": video, and sound with two latent frames for each of video; every block has both
/// exchange.
const Family& two_stream_family();

} // namespace reelmesh::testing
