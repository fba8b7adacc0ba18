#include "text/t5_encoder.h"
#include "text/text_encoder.h"

namespace reelmesh {

std::vector<WeightSpec> text_encoder_weights(const ModelCard& card, at::ScalarType dtype) {
    return t5_weights(card.text_encoder, dtype);
}

std::unique_ptr<TextEncoder> load_text_encoder(const ModelCard& card, WeightMap weights,
                                               at::ScalarType dtype) {
    return std::make_unique<T5Encoder>(card.text_encoder, std::move(weights), dtype);
}

} // namespace reelmesh
