// A bounded reader of one safetensors file, and the writer of ours. The file is opened once,
// regular files only, never mapped: a file that shrinks while it is read is an error, not a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/regular_file.h"

namespace reelmesh {

/// Element types of the format; the text is the format's own ("F32", "BF16", "F8_E4M3" ...).
struct TensorEntry {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0; ///< bytes, counted from the data part
    std::uint64_t num_bytes() const { return end - begin; }
};

class SafetensorsFile {
public:
    /// Reads and checks the header. Throws NotAModel, FileMissing, BadLink, HeaderTooLong, Truncated,
    /// HeaderSyntax, UnknownDtype, BadNumber, ShapeOverflow, SpanMismatch, GapOrOverlap, TrailingBytes,
    /// DuplicateName.
    explicit SafetensorsFile(const std::string& path);

    const std::string& path() const { return file_.path(); }
    std::uint64_t file_bytes() const { return file_.size_bytes(); }
    const std::map<std::string, TensorEntry>& tensors() const { return tensors_; }
    const std::map<std::string, std::string>& metadata() const { return metadata_; }
    /// Copies bytes of one tensor; any thread. Throws Truncated when the file has become shorter.
    void read(const TensorEntry& entry, std::uint64_t offset, void* destination, std::size_t num_bytes) const;

private:
    RegularFile file_;
    std::uint64_t data_offset_ = 0;
    std::map<std::string, TensorEntry> tensors_;
    std::map<std::string, std::string> metadata_;
};

/// Bytes of the header that a file of file_bytes announces in its first bytes (512 of them, or the whole of a
/// smaller file). Throws NotAModel, HeaderTooLong, Truncated.
std::uint64_t safetensors_header_bytes(std::string_view start, std::uint64_t file_bytes,
                                       const std::string& file);

/// The header's verdict alone, for fuzzing: text after the length word, and the size of the data part.
std::map<std::string, TensorEntry> parse_safetensors_header(std::string_view header, std::uint64_t data_bytes,
                                                            const std::string& file,
                                                            std::map<std::string, std::string>* metadata);

} // namespace reelmesh
