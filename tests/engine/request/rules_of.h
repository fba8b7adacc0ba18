// Rules of the real models, made from their published sizes.
#pragma once

#include "request/model_card.h"

namespace reelmesh {

inline ModelCard card_1300m() {
    ModelCard card;
    card.transformer.num_attention_heads = 12;
    return card;
}

inline ModelCard card_14b() {
    return ModelCard();
}

inline ModelCard card_a14b() {
    ModelCard card;
    card.transformer_2 = card.transformer;
    card.boundary_ratio = 0.875;
    return card;
}

inline ModelCard card_5b() {
    ModelCard card;
    card.transformer.num_attention_heads = 24;
    card.transformer.in_channels = card.transformer.out_channels = 48;
    card.vae.z_dim = 48;
    card.vae.patch_size = 2;
    card.vae.scale_factor_spatial = 16;
    card.scheduler.flow_shift = 5.0;
    return card;
}

inline ModelCard card_sample() {
    ModelCard card;
    card.transformer.num_attention_heads = 8;
    card.transformer.attention_head_dim = 32;
    card.scheduler.flow_shift = 3.0;
    return card;
}

/// A complete request for the 1.3B model.
inline JobRequest legal_request() {
    return with_defaults({}, family_rules(card_1300m()));
}

/// "height: 352, 368" for each fault: field or mesh, then the offers.
inline std::vector<std::string> offers(const std::vector<Error>& faults) {
    std::vector<std::string> all;
    for (const Error& fault : faults) {
        const std::string field = fault.text("field");
        all.push_back((field.empty() ? fault.text("mesh") : field) + ": " + fault.text("nearest"));
    }
    return all;
}

} // namespace reelmesh
