// JSON text from others, as a range of characters for nlohmann's parser. It keeps two of that parser's habits
// away: a NUL byte is taken for the end of the text, and its error messages quote line breaks at eight times
// their size. Borrows the text; each iterator belongs to one thread.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace reelmesh {

class JsonText {
public:
    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = char;
        using difference_type = std::ptrdiff_t;
        using pointer = const char*;
        using reference = char;

        explicit Iterator(const char* at) : at_(at) {}
        char operator*() const {
            // Legal nowhere in JSON, unlike the end of the text.
            if (*at_ == '\0') return '\x01';
            const bool line_break = *at_ == '\n' || *at_ == '\r' || *at_ == '\t';
            return line_break && !in_string_ ? ' ' : *at_;
        }
        Iterator& operator++() {
            const bool escaped = escaped_;
            escaped_ = in_string_ && !escaped && *at_ == '\\';
            if (*at_ == '"' && !escaped) in_string_ = !in_string_;
            ++at_;
            return *this;
        }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

    private:
        const char* at_;
        bool in_string_ = false, escaped_ = false;
    };

    explicit JsonText(std::string_view text) : text_(text) {}
    Iterator begin() const { return Iterator(text_.data()); }
    Iterator end() const { return Iterator(text_.data() + text_.size()); }

private:
    std::string_view text_;
};

} // namespace reelmesh
