#include "weights/component_files.h"

#include "base/check.h"
#include "weights/weight_index.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace reelmesh {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxIndexBytes = 16u << 20;
constexpr std::string_view kExtension = ".safetensors";
constexpr std::string_view kIndex = ".safetensors.index";

bool is_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The part of a name between its stem and a known ending, with its leading dot: "" or ".fp16".
bool is_variant(std::string_view middle) {
    return middle.size() > 1 && middle.front() == '.' && middle.find('.', 1) == std::string_view::npos;
}

/// What the folder offers for a stem, in the order in which it is preferred.
struct Candidates {
    std::string index, single, numbered; ///< without a variant
    std::string variant_index, variant_single, variant_numbered;
};

void sort_in(Candidates& found, std::string_view stem, const std::string& name) {
    std::string_view rest = name;
    if (!rest.starts_with(stem)) return;
    rest.remove_prefix(stem.size());
    const auto take = [&](std::string& plain, std::string& variant, std::string_view middle) {
        std::string& place = middle.empty() ? plain : variant;
        if (!middle.empty() && !is_variant(middle)) return;
        if (place.empty() || name < place) place = name;
    };
    // STEM.safetensors.index.json, STEM.safetensors.index.fp16.json
    if (rest.starts_with(kIndex) && rest.ends_with(".json")) {
        rest = rest.substr(kIndex.size(), rest.size() - kIndex.size() - 5);
        return take(found.index, found.variant_index, rest);
    }
    if (!rest.ends_with(kExtension)) return;
    rest.remove_suffix(kExtension.size());
    // -00001-of-00003 behind the stem or the variant
    const std::size_t of = rest.rfind("-of-");
    const std::size_t dash =
        of == 0 || of == std::string_view::npos ? std::string_view::npos : rest.rfind('-', of - 1);
    if (dash != std::string_view::npos && is_digits(rest.substr(of + 4)) &&
        is_digits(rest.substr(dash + 1, of - dash - 1)))
        return take(found.numbered, found.variant_numbered, rest.substr(0, dash));
    take(found.single, found.variant_single, rest);
}

/// Names of the folder's entries, ascending. Entries are listed, not opened.
std::vector<std::string> list_names(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        names.push_back(entry->path().filename().string());
    if (error == std::errc::no_such_file_or_directory) fail(ErrorCode::FileMissing, {{"file", folder}});
    if (error) fail(ErrorCode::FileUnreadable, {{"file", folder}, {"reason", error.message()}});
    std::sort(names.begin(), names.end());
    return names;
}

/// Opens a shard, or notes why it is missing, short or long; other faults are its own verdict.
std::unique_ptr<SafetensorsFile> open_shard(const std::string& folder, const std::string& name,
                                            std::vector<std::string>& problems) {
    try {
        return std::make_unique<SafetensorsFile>(folder + "/" + name);
    } catch (const EngineException& exception) {
        const Error& error = exception.error();
        switch (error.code) {
        case ErrorCode::FileMissing: problems.push_back(name + " is missing"); break;
        case ErrorCode::Truncated:
            problems.push_back(name + " has " + error.text("found_bytes") + " of " +
                               error.text("needed_bytes") + " bytes");
            break;
        case ErrorCode::TrailingBytes:
            problems.push_back(name + " has " + error.text("found_bytes") + " surplus bytes");
            break;
        default: throw;
        }
        return nullptr;
    }
}

} // namespace

std::shared_ptr<const ComponentFiles> ComponentFiles::open(const std::string& folder,
                                                           const std::string& stem) {
    Candidates found;
    for (const std::string& name : list_names(folder))
        sort_in(found, stem, name);
    const auto files = std::make_shared<ComponentFiles>();
    const auto try_open = [&](const std::string& index, const std::string& single,
                              const std::string& numbered) {
        if (!index.empty())
            files->open_indexed(folder, index);
        else if (!single.empty())
            files->open_single(folder, single);
        else if (!numbered.empty())
            fail(ErrorCode::BadShards,
                 {{"file", folder + "/" + numbered},
                  {"problems", std::vector<std::string>{"a numbered part without its index"}}});
        return !files->main_file_.empty();
    };
    if (!try_open(found.index, found.single, found.numbered) &&
        !try_open(found.variant_index, found.variant_single, found.variant_numbered))
        fail(ErrorCode::FileMissing, {{"file", folder + "/" + stem + std::string(kExtension)}});
    return files;
}

void ComponentFiles::open_single(const std::string& folder, const std::string& name) {
    main_file_ = folder + "/" + name;
    files_.push_back(std::make_unique<SafetensorsFile>(main_file_));
    tensors_ = files_.front()->tensors();
    for (const auto& [tensor, entry] : tensors_)
        file_index_.emplace_hint(file_index_.end(), tensor, 0);
}

void ComponentFiles::open_indexed(const std::string& folder, const std::string& name) {
    main_file_ = folder + "/" + name;
    const WeightIndex index = parse_weight_index(read_regular_file(main_file_, kMaxIndexBytes), main_file_);
    std::vector<std::string> problems;
    std::map<std::string, std::size_t> shards; // those that opened, by name
    std::set<std::string> named;
    for (const auto& [tensor, file] : index.file_of)
        named.insert(file);
    for (const std::string& file : named)
        if (auto shard = open_shard(folder, file, problems)) {
            shards.emplace(file, files_.size());
            files_.push_back(std::move(shard));
        }
    std::uint64_t total_bytes = 0;
    for (const auto& [tensor, file] : index.file_of) {
        const auto shard = shards.find(file);
        if (shard == shards.end()) continue;
        const auto& held = files_[shard->second]->tensors();
        const auto entry = held.find(tensor);
        if (entry == held.end()) {
            problems.push_back(tensor + " is not in " + file);
            continue;
        }
        tensors_.emplace_hint(tensors_.end(), *entry);
        file_index_.emplace_hint(file_index_.end(), tensor, shard->second);
        total_bytes += entry->second.num_bytes();
    }
    if (!problems.empty()) fail(ErrorCode::BadShards, {{"file", main_file_}, {"problems", problems}});
    if (index.total_size && *index.total_size != total_bytes) wrong_total_size_ = index.total_size;
    for (const std::string& file : list_names(folder))
        if (file.ends_with(kExtension) && !named.contains(file)) surplus_files_.push_back(file);
}

const SafetensorsFile& ComponentFiles::file_of(const std::string& tensor) const {
    const auto index = file_index_.find(tensor);
    REELMESH_CHECK(index != file_index_.end());
    return *files_[index->second];
}

std::uint64_t ComponentFiles::file_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& file : files_)
        bytes += file->file_bytes();
    return bytes;
}

std::string ComponentFiles::stored_dtype() const {
    std::map<std::string, std::uint64_t> bytes;
    for (const auto& [name, tensor] : tensors_)
        bytes[tensor.dtype] += tensor.num_bytes();
    std::vector<std::pair<std::string, std::uint64_t>> order(bytes.begin(), bytes.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& left, const auto& right) { return left.second > right.second; });
    std::string text;
    for (const auto& [dtype, size] : order)
        text += (text.empty() ? "" : "+") + dtype;
    return text;
}

} // namespace reelmesh
