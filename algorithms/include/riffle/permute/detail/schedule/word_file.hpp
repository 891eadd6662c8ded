#pragma once

// Files of 64-bit words, the lowest byte of each first on any machine, with a checksum.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle::detail::schedule {

/// A fold of words in their order. A step is one to one in the word and in the state, so that one changed word is
/// always found; other changes are missed with a chance of about 1 in 2^64.
class Checksum {
 public:
  void add(std::uint64_t word) { state_ = std::rotl(state_ ^ word, 29) * factor; }
  std::uint64_t value() const { return state_; }

 private:
  // 2^64 over the golden ratio, made odd: D. E. Knuth, "The Art of Computer Programming" 3, section 6.4.
  static constexpr std::uint64_t factor = 0x9E3779B97F4A7C15u;
  std::uint64_t state_ = factor;
};

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);
inline constexpr std::size_t file_buffer_bytes = std::size_t{1} << 20;

inline void store_word(char* to, std::uint64_t word) {
  for (std::size_t b = 0; b < word_bytes; ++b) to[b] = static_cast<char>(word >> 8 * b);
}

inline std::uint64_t load_word(char const* from) {
  std::uint64_t word = 0;
  for (std::size_t b = 0; b < word_bytes; ++b) {
    word |= std::uint64_t{static_cast<unsigned char>(from[b])} << 8 * b;
  }
  return word;
}

class WordWriter {
 public:
  WordWriter(char const* function, std::ostream& stream)
      : function_(function), stream_(stream), buffer_(file_buffer_bytes) {}

  /// The checksum of all words so far.
  std::uint64_t checksum() const { return checksum_.value(); }

  void write(std::uint64_t word) {
    if (filled_ == buffer_.size()) write_out();
    checksum_.add(word);
    store_word(buffer_.data() + filled_, word);
    filled_ += word_bytes;
  }

  /// Writes out the rest of the buffer, after the last word. Throws where the stream cannot pass it on.
  void finish() {
    write_out();
    stream_.flush();
    check_stream();
  }

 private:
  void write_out() {
    stream_.write(buffer_.data(), static_cast<std::streamsize>(filled_));
    check_stream();
    written_ += filled_;
    filled_ = 0;
  }

  void check_stream() const {
    check<std::runtime_error>(!stream_.fail(), function_, "the stream failed, having taken ",
                              written_, " bytes");
  }

  char const* function_;
  std::ostream& stream_;
  std::vector<char> buffer_;
  std::size_t filled_ = 0;
  std::uint64_t written_ = 0;
  Checksum checksum_;
};

/// Reads words, and takes no byte from the stream that is not of the file.
class WordReader {
 public:
  WordReader(char const* function, std::istream& stream)
      : function_(function), stream_(stream), buffer_(file_buffer_bytes) {}

  std::uint64_t checksum() const { return checksum_.value(); }

  /// Says that the file has `words` more words.
  void expect(std::uint64_t words) { needed_ += words * word_bytes; }

  /// Reads one of the expected words.
  std::uint64_t read() {
    if (used_ == filled_) read_on();
    std::uint64_t const word = load_word(buffer_.data() + used_);
    used_ += word_bytes;
    checksum_.add(word);
    return word;
  }

 private:
  void read_on() {
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), needed_ - taken_));
    used_ = 0;
    stream_.read(buffer_.data(), static_cast<std::streamsize>(filled_));
    taken_ += static_cast<std::uint64_t>(stream_.gcount());
    check<std::runtime_error>(!stream_.fail(), function_, "the stream ",
                              stream_.bad() ? "failed" : "ends", " after ", taken_, " bytes, and ",
                              needed_, " are needed");
  }

  char const* function_;
  std::istream& stream_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t needed_ = 0;
  Checksum checksum_;
};

}  // namespace riffle::detail::schedule
