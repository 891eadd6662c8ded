#include "encoding.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "input_error.hpp"

#ifdef RIFFLE_EXAMPLES_HAVE_ZLIB
#include <zlib.h>
#endif

namespace example {
namespace {

using namespace std::string_view_literals;

constexpr auto gzip_magic = "\x1F\x8B"sv;

/// First bytes of files that are not text. UTF-32 is tested before UTF-16, whose little-endian mark is a prefix of UTF-32's.
struct Kind {
  std::string_view magic;
  std::string_view what;
};
constexpr Kind kinds[] = {
    {"PK\x03\x04"sv, "this is a zip file, as .xlsx and .ods files are: unzip it, or export CSV"},
    {"BZh"sv, "this file is compressed by bzip2: decompress it first (bzip2 -dc)"},
    {"\xFD"
     "7zXZ\0"sv,
     "this file is compressed by xz: decompress it first (xz -dc)"},
    {"\x28\xB5\x2F\xFD"sv, "this file is compressed by zstd: decompress it first (zstd -dc)"},
    {"\0\0\xFE\xFF"sv, "this file is UTF-32: UTF-8 is required (iconv -f UTF-32 -t UTF-8)"},
    {"\xFF\xFE\0\0"sv, "this file is UTF-32: UTF-8 is required (iconv -f UTF-32 -t UTF-8)"},
    {"\xFE\xFF"sv, "this file is UTF-16: UTF-8 is required (iconv -f UTF-16 -t UTF-8)"},
    {"\xFF\xFE"sv, "this file is UTF-16: UTF-8 is required (iconv -f UTF-16 -t UTF-8)"},
};

bool begins_with(std::string_view text, std::string_view magic) {
  return text.substr(0, magic.size()) == magic;
}

// A header may begin with "BZh"; in a compressed file the level and the magic number of the first block follow.
bool is_of(Kind const& kind, std::string_view bytes) {
  if (!begins_with(bytes, kind.magic)) return false;
  if (kind.magic != "BZh"sv) return true;
  auto const block = bytes.substr(std::min(bytes.size(), std::size_t{4}), 6);
  return block == "1AY&SY"sv || block == "\x17\x72\x45\x38\x50\x90"sv;
}

// The encoding of ASCII characters without a byte order mark, detected from the zero bytes among the first four.
std::string encoding_without_mark(std::string_view bytes) {
  auto const places = [&](std::string_view zeros) {
    if (bytes.size() < zeros.size()) return false;
    for (std::size_t i = 0; i < zeros.size(); ++i) {
      if ((bytes[i] == '\0') != (zeros[i] == '0')) return false;
    }
    return true;
  };
  if (places("x000")) return "UTF-32LE";
  if (places("000x")) return "UTF-32BE";
  if (places("x0x0")) return "UTF-16LE";
  if (places("0x0x")) return "UTF-16BE";
  return "";
}

#ifdef RIFFLE_EXAMPLES_HAVE_ZLIB

class Inflation {
 public:
  Inflation() {
    constexpr int gzip_of_any_window = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, gzip_of_any_window) != Z_OK) throw std::bad_alloc();
  }
  ~Inflation() { inflateEnd(&stream_); }
  Inflation(Inflation const&) = delete;
  Inflation& operator=(Inflation const&) = delete;

  // Decompresses all members of the file: `cat a.gz b.gz` has two, and bgzip writes many.
  std::string text_of(std::string const& file, std::string& bytes) {
    std::string text;
    auto* next = reinterpret_cast<Bytef*>(bytes.data());
    std::size_t left = bytes.size();
    int status = Z_OK;
    while (left > 0 || status != Z_STREAM_END) {
      if (status == Z_STREAM_END) {
        // Zero padding after the last member, as on tapes, is not a member.
        if (std::all_of(next, next + left, [](Bytef byte) { return byte == 0; })) break;
        inflateReset(&stream_);
      }
      stream_.next_in = next;
      stream_.avail_in =
          static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
      stream_.next_out = buffer_.data();
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status == Z_BUF_ERROR) refuse(file, "it is truncated");
      if (status != Z_OK && status != Z_STREAM_END) refuse(file, "it is damaged");
      left -= static_cast<std::size_t>(stream_.next_in - next);
      next = stream_.next_in;
      text.append(reinterpret_cast<char const*>(buffer_.data()),
                  buffer_.size() - stream_.avail_out);
    }
    return text;
  }

 private:
  [[noreturn]] static void refuse(std::string const& file, char const* why) {
    throw InputError(file + ": this file is compressed by gzip, and " + why);
  }

  z_stream stream_{};
  std::array<Bytef, 65536> buffer_{};
};

std::string inflated(std::string const& file, std::string bytes) {
  return Inflation().text_of(file, bytes);
}

#else

std::string inflated(std::string const& file, std::string const&) {
  throw InputError(file +
                   ": this file is compressed by gzip, and this program was built without zlib: "
                   "decompress it first (gzip -dc)");
}

#endif

}  // namespace

std::string decoded(std::string const& file, std::string bytes) {
  if (begins_with(bytes, gzip_magic)) bytes = inflated(file, std::move(bytes));
  if (begins_with(bytes, gzip_magic)) {
    throw InputError(file + ": this file is compressed by gzip twice: decompress it first");
  }
  for (auto const& kind : kinds) {
    if (is_of(kind, bytes)) throw InputError(file + ": " + std::string(kind.what));
  }
  if (auto const encoding = encoding_without_mark(bytes); !encoding.empty()) {
    throw InputError(file + ": this file is " + encoding + ": UTF-8 is required (iconv -f " +
                     encoding + " -t UTF-8)");
  }
  return bytes;
}

}  // namespace example
