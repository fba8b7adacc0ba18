#include "weights/loader.h"

#include "base/check.h"
#include "weights/convert.h"
#include "weights/stored_weight.h"

#include <ATen/Functions.h>

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

namespace reelmesh {
namespace {

/// Small enough that a slow disk still leaves a stop noticed in 100 ms, a multiple of every element.
constexpr std::uint64_t kPieceBytes = 4u << 20;

/// A run of one tensor's stored bytes.
struct Piece {
    const SafetensorsFile* file;
    const TensorEntry* entry;
    std::uint64_t offset, num_bytes;
    at::ScalarType stored_type, wanted_type;
    char* destination; ///< of the piece's first element
};

/// Hands pieces to readers and keeps the first exception of any of them.
class PieceQueue {
public:
    PieceQueue(std::vector<Piece> pieces, const LoadOptions& options)
        : pieces_(std::move(pieces)), options_(options) {
        for (const Piece& piece : pieces_)
            total_bytes_ += piece.num_bytes;
    }

    /// Reads until none is left or something failed. Any number of threads.
    void work() noexcept {
        try {
            std::vector<char> staging;
            while (const Piece* piece = next()) {
                if (options_.should_stop && options_.should_stop()) fail(ErrorCode::Canceled);
                read(*piece, staging);
                const std::uint64_t done = done_bytes_ += piece->num_bytes;
                if (options_.progress) options_.progress(done, total_bytes_);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!error_) error_ = std::current_exception();
            stopped_ = true;
        }
    }

    void rethrow_error() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    const Piece* next() {
        const std::size_t index = next_++;
        return stopped_ || index >= pieces_.size() ? nullptr : &pieces_[index];
    }

    static void read(const Piece& piece, std::vector<char>& staging) {
        if (piece.stored_type == piece.wanted_type)
            return piece.file->read(*piece.entry, piece.offset, piece.destination, piece.num_bytes);
        if (staging.empty()) staging.resize(kPieceBytes);
        piece.file->read(*piece.entry, piece.offset, staging.data(), piece.num_bytes);
        convert_elements(staging.data(), piece.stored_type, piece.destination, piece.wanted_type,
                         piece.num_bytes / c10::elementSize(piece.stored_type));
    }

    const std::vector<Piece> pieces_;
    const LoadOptions& options_;
    std::uint64_t total_bytes_ = 0;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::uint64_t> done_bytes_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::exception_ptr error_; ///< guarded by mutex_ until the readers are joined
};

void append_pieces(std::vector<Piece>& pieces, const SafetensorsFile& file, const TensorEntry& entry,
                   at::ScalarType stored_type, const at::Tensor& tensor) {
    const std::uint64_t stored_size = c10::elementSize(stored_type);
    auto* destination = static_cast<char*>(tensor.mutable_data_ptr());
    for (std::uint64_t offset = 0; offset < entry.num_bytes(); offset += kPieceBytes)
        pieces.push_back({&file, &entry, offset, std::min(kPieceBytes, entry.num_bytes() - offset),
                          stored_type, tensor.scalar_type(),
                          destination + offset / stored_size * tensor.element_size()});
}

} // namespace

WeightMap load_weights(const std::vector<WeightSpec>& specs, const ComponentFiles& files,
                       const LoadOptions& options) {
    WeightMap weights;
    std::vector<Piece> pieces;
    for (const WeightSpec& spec : specs) {
        const StoredWeight stored = find_weight(spec, files);
        REELMESH_CHECK(stored.entry && stored.entry->shape == spec.shape);
        const auto stored_type = readable_type(stored.entry->dtype);
        REELMESH_CHECK(stored_type);
        const auto type = spec.precision == WeightPrecision::Float32 ? at::kFloat : options.model_dtype;
        at::Tensor tensor = at::empty(spec.shape, at::TensorOptions().dtype(type).device(at::kCPU));
        append_pieces(pieces, files.file_of(stored.name), *stored.entry, *stored_type, tensor);
        weights.put(spec.name, std::move(tensor));
    }
    PieceQueue queue(std::move(pieces), options);
    {
        std::vector<std::jthread> readers; // the calling thread is one more
        for (int index = 1; index < options.threads; ++index)
            readers.emplace_back([&] {
                ::pthread_setname_np(::pthread_self(), "weight reader");
                queue.work();
            });
        queue.work();
    }
    queue.rethrow_error();
    return weights;
}

} // namespace reelmesh
