// The weight files of one component: a single safetensors file or an index with shards. Opening
// reads and checks headers only; weights are read by position into owned buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weights/safetensors.h"
#include "weights/weight_spec.h"

namespace reelmesh {

class ComponentFiles {
public:
    /// Looks for STEM.safetensors.index.json, then STEM.safetensors, then a variant
    /// (STEM.fp16.safetensors, STEM.safetensors.index.fp16.json). Throws the verdicts of docs/model-files.md:
    /// one BadShards names every missing, short or long shard.
    static std::shared_ptr<const ComponentFiles> open(const std::string& folder, const std::string& stem);

    const std::string& main_file() const { return main_file_; }
    /// Every tensor by name, with the file that holds it.
    const std::map<std::string, TensorEntry>& tensors() const { return tensors_; }
    const SafetensorsFile& file_of(const std::string& tensor) const;
    std::uint64_t file_bytes() const;
    /// The index's total_size where it is not the sum of its tensors; none: right or not stated.
    std::optional<std::uint64_t> wrong_total_size() const { return wrong_total_size_; }
    /// Files beside the index that it does not name: reported, never read.
    const std::vector<std::string>& surplus_files() const { return surplus_files_; }
    /// "F32", "BF16" or "BF16+F32", most bytes first.
    std::string stored_dtype() const;

private:
    void open_single(const std::string& folder, const std::string& name);
    void open_indexed(const std::string& folder, const std::string& name);

    std::string main_file_;
    std::vector<std::unique_ptr<SafetensorsFile>> files_;
    std::map<std::string, TensorEntry> tensors_;
    std::map<std::string, std::size_t> file_index_;
    std::vector<std::string> surplus_files_;
    std::optional<std::uint64_t> wrong_total_size_;
};

} // namespace reelmesh
