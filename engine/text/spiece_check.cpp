#include "text/spiece_check.h"

#include "base/check.h"
#include "text/precompiled_charsmap.h"
#include "text/protobuf_reader.h"
#include "text/tokenizer_limits.h"
#include "text/utf8.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace reelmesh {
namespace {

// Field numbers of sentencepiece_model.proto.
enum ModelField : std::uint32_t {
    kPieces = 1,
    kTrainerSpec,
    kNormalizerSpec,
    kSelfTestData,
    kDenormalizerSpec
};
enum PieceField : std::uint32_t { kPieceText = 1, kPieceScore, kPieceType };
enum TrainerField : std::uint32_t { kModelType = 3, kUnknownId = 40, kPadId = 43 };
enum NormalizerField : std::uint32_t { kNormalizerName = 1, kCharsmap };
constexpr std::uint32_t kSelfTestSamples = 1;
constexpr std::uint64_t kUnigram = 1;

class SpieceCheck {
public:
    explicit SpieceCheck(const std::string& file) : file_(file) {}

    void run(std::string_view model) {
        ProtobufReader reader(model, file_);
        for (ProtobufField field; reader.next(field);) {
            if (field.number > kDenormalizerSpec) continue;
            require(field, WireType::Bytes);
            switch (field.number) {
            case kPieces: check_piece(field.bytes); break;
            case kTrainerSpec: check_trainer(field.bytes); break;
            case kSelfTestData: check_self_test(field.bytes); break;
            default: check_normalizer(field.bytes);
            }
        }
        if (num_pieces_ == 0) refuse_limit("pieces", 0, kMaxPieces);
        for (const std::int32_t id : special_ids_)
            if (id < -1 || id >= static_cast<std::int64_t>(num_pieces_))
                refuse("special id", std::to_string(id));
    }

private:
    [[noreturn]] void refuse(const char* field, const std::string& found) const {
        fail(ErrorCode::UnsupportedTokenizer, {{"file", file_}, {"field", field}, {"found", found}});
    }
    [[noreturn]] void refuse_limit(const char* what, std::uint64_t found, std::uint64_t needed) const {
        fail(ErrorCode::LimitExceeded,
             {{"file", file_}, {"what", what}, {"found", found}, {"needed", needed}});
    }
    void require(const ProtobufField& field, WireType type) const {
        if (field.type != type)
            fail(ErrorCode::TokenizerSyntax,
                 {{"file", file_}, {"reason", "bad wire type of field " + std::to_string(field.number)}});
    }

    void check_piece(std::string_view message) {
        if (++num_pieces_ > kMaxPieces) refuse_limit("pieces", num_pieces_, kMaxPieces);
        std::string_view text;
        ProtobufReader reader(message, file_);
        for (ProtobufField field; reader.next(field);) {
            if (field.number == kPieceText) {
                require(field, WireType::Bytes);
                text = field.bytes;
            } else if (field.number == kPieceScore) {
                require(field, WireType::Fixed32);
                if (!std::isfinite(std::bit_cast<float>(static_cast<std::uint32_t>(field.integer))))
                    refuse("score", "a score that is not finite");
            } else if (field.number == kPieceType) {
                require(field, WireType::Varint);
            }
        }
        if (text.size() > kMaxPieceBytes) refuse_limit("bytes of a piece", text.size(), kMaxPieceBytes);
        if (text.empty() || text.find('\0') != std::string_view::npos)
            refuse("piece", "empty or with a zero byte");
        if (!is_utf8(text)) refuse("piece", "a piece that is not UTF-8");
    }

    void check_trainer(std::string_view message) {
        ProtobufReader reader(message, file_);
        for (ProtobufField field; reader.next(field);) {
            const bool is_special_id = field.number >= kUnknownId && field.number <= kPadId;
            if (!is_special_id && field.number != kModelType) continue;
            require(field, WireType::Varint);
            if (is_special_id)
                special_ids_.push_back(static_cast<std::int32_t>(field.integer));
            else if (field.integer != kUnigram)
                refuse("model_type", std::to_string(field.integer));
        }
    }

    void check_normalizer(std::string_view message) const {
        ProtobufReader reader(message, file_);
        for (ProtobufField field; reader.next(field);) {
            if (field.number != kCharsmap) continue;
            require(field, WireType::Bytes);
            PrecompiledCharsmap(field.bytes, file_);
        }
    }

    void check_self_test(std::string_view message) const {
        ProtobufReader reader(message, file_);
        for (ProtobufField field; reader.next(field);) {
            if (field.number != kSelfTestSamples) continue;
            require(field, WireType::Bytes);
            ProtobufReader sample(field.bytes, file_);
            for (ProtobufField text; sample.next(text);)
                if (text.number <= 2) require(text, WireType::Bytes);
        }
    }

    const std::string& file_;
    std::uint64_t num_pieces_ = 0;
    std::vector<std::int32_t> special_ids_;
};

} // namespace

void check_spiece_model(std::string_view model, const std::string& file) {
    if (model.size() > kMaxTokenizerBytes)
        fail(ErrorCode::LimitExceeded, {{"file", file},
                                        {"what", "bytes"},
                                        {"found", std::uint64_t{model.size()}},
                                        {"needed", kMaxTokenizerBytes}});
    SpieceCheck(file).run(model);
}

} // namespace reelmesh
