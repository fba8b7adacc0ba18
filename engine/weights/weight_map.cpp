#include "base/check.h"
#include "weights/loader.h"

#include <utility>

namespace reelmesh {

void WeightMap::put(const std::string& name, at::Tensor tensor) {
    if (!tensors_.emplace(name, std::move(tensor)).second)
        fail(ErrorCode::Internal, {{"reason", "weight put twice: " + name}});
}

WeightMap WeightMap::on(c10::Device device) const {
    WeightMap moved;
    for (const auto& [name, tensor] : tensors_)
        moved.put(name, tensor.to(device));
    return moved;
}

at::Tensor WeightMap::take(const std::string& name) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end())
        fail(ErrorCode::Internal, {{"reason", "weight absent or taken before: " + name}});
    at::Tensor tensor = std::move(found->second);
    tensors_.erase(found);
    return tensor;
}

} // namespace reelmesh
