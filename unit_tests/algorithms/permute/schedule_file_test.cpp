// Plans in files: the format word by word, and the errors of files that are not valid.

#include <Kokkos_Core.hpp>
#include <riffle/permute/schedule_file.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/index_types.hpp"
#include "support/permutations.hpp"
#include "support/thrown_message.hpp"
#include "support/tool_checks.hpp"
#include "support/views.hpp"

namespace riffle::test::schedule_file_test {
namespace {

using Indices = std::vector<std::uint32_t>;

// --- the format, written again from its description ---

void append_word(std::string& bytes, std::uint64_t word) {
  for (int b = 0; b < 8; ++b) bytes += static_cast<char>(word >> 8 * b & 0xFF);
}

std::uint64_t checksum_of(std::string const& bytes) {
  std::uint64_t sum = 0x9E3779B97F4A7C15u;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t b = 8; b-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i + b]);
    sum = std::rotl(sum ^ word, 29) * 0x9E3779B97F4A7C15u;
  }
  return sum;
}

std::string header_of(std::uint64_t n, std::uint64_t version = 2, std::uint64_t index_bytes = 4) {
  std::string bytes = "\x89Riffle\n";
  append_word(bytes, version | index_bytes << 32);
  append_word(bytes, n);
  return bytes;
}

/// The file for p, which need not be a permutation.
std::string make_file(Indices const& p) {
  std::string bytes = header_of(p.size());
  for (std::size_t i = 0; i < p.size(); i += 2) {
    append_word(bytes, p[i] | (i + 1 < p.size() ? std::uint64_t{p[i + 1]} << 32 : 0));
  }
  append_word(bytes, checksum_of(bytes));
  return bytes;
}

std::uint64_t word_at(std::string const& bytes, std::size_t at) {
  std::uint64_t word = 0;
  for (std::size_t b = 8; b-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + b]);
  return word;
}

/// The permutation of the file at the beginning of the bytes; nothing if they do not begin with a valid file.
std::optional<Indices> read_file(std::string const& bytes) {
  if (bytes.size() < 32 || bytes.substr(0, 16) != header_of(0).substr(0, 16)) return {};
  std::uint64_t const n = word_at(bytes, 16);
  if (n > bytes.size()) return {};
  std::size_t const end = 24 + (n + 1) / 2 * 8;
  if (bytes.size() < end + 8) return {};
  if (word_at(bytes, end) != checksum_of(bytes.substr(0, end))) return {};
  Indices p;
  for (std::size_t i = 0; i < n; ++i) {
    p.push_back(static_cast<std::uint32_t>(word_at(bytes, 24 + i / 2 * 8) >> i % 2 * 32));
  }
  auto sorted = p;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < n; ++i) {
    if (sorted[i] != i) return {};
  }
  return p;
}

/// Changes, removes, repeats, inserts or swaps some bytes.
template <class Below>
void mutate(std::string& bytes, Below const& below) {
  std::size_t const at = below(bytes.size() + 1);
  std::size_t const length = std::min(bytes.size() - at, 1 + below(below(2) == 0 ? 8 : 64));
  std::size_t const word = at / 8 * 8;
  switch (below(8)) {
    case 0: bytes.resize(at); break;
    case 1: bytes.erase(at, length); break;
    case 2: bytes.insert(at, bytes.substr(at, length)); break;
    case 3:
      for (std::size_t i = 1 + below(16); i > 0; --i) {
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     static_cast<char>(below(256)));
      }
      break;
    case 4:  // a word is replaced by a copy of another one
      if (word + 8 <= bytes.size()) bytes.replace(word, 8, bytes, below(bytes.size() / 8) * 8, 8);
      break;
    case 5:  // two indices are swapped
      if (bytes.size() >= 40) {
        std::size_t const indices = (bytes.size() - 32) / 4;
        std::size_t const a = 24 + 4 * below(indices);
        std::size_t const b = 24 + 4 * below(indices);
        std::string const index = bytes.substr(a, 4);
        bytes.replace(a, 4, bytes, b, 4);
        bytes.replace(b, 4, index);
      }
      break;
    case 6: bytes += bytes; break;
    default:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
  }
}

/// A stream that fails after `size` bytes. It buffers blocks, which are counted when they are full or flushed.
class FullDisk : public std::streambuf {
 public:
  explicit FullDisk(std::size_t size) : left_(size) { setp(block_, block_ + sizeof(block_)); }

 private:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  int sync() override {
    auto const size = static_cast<std::size_t>(pptr() - pbase());
    if (size > left_) return -1;
    left_ -= size;
    setp(block_, block_ + sizeof(block_));
    return 0;
  }

  char block_[512];
  std::size_t left_;
};

template <class Exec>
class ScheduleFileTest : public ::testing::Test {
 protected:
  using Plan = ScheduledPermutation<Exec>;

  Plan plan_of(Indices const& p) { return Plan(Context(exec, workspace), to_view<Exec>(p)); }

  std::string saved(Plan const& plan) {
    std::ostringstream stream;
    save_schedule(Context(exec, workspace), plan, stream);
    return stream.str();
  }

  Plan loaded(std::string const& bytes) {
    std::istringstream stream(bytes);
    return load_schedule(Context(exec, workspace), stream);
  }

  /// The message for a file, without "riffle::load_schedule: ".
  std::string error_of(std::string const& bytes) {
    std::string const text = thrown_message<std::runtime_error>([&] { loaded(bytes); });
    std::string const function = "riffle::load_schedule: ";
    EXPECT_EQ(text.substr(0, function.size()), function) << text;
    return text.substr(std::min(text.size(), function.size()));
  }

  void expect_moves(Plan const& plan, Indices const& p) {
    ASSERT_EQ(plan.size(), p.size());
    auto const in = iota<std::uint32_t>(p.size());
    auto const out = zeros<Exec, std::uint32_t>(p.size());
    plan(Context(exec, workspace), to_view<Exec>(in), out);
    EXPECT_EQ(to_vector(out), inverse_of(p));
    plan.inverse()(Context(exec, workspace), to_view<Exec>(in), out);
    EXPECT_EQ(to_vector(out), p);
  }

  Exec exec;
  Workspace<Exec> workspace;
};
TYPED_TEST_SUITE(ScheduleFileTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(ScheduleFileTest, FollowsTheFormat) {
  for (std::size_t const n : {0, 1, 2, 3, 1000, 70001}) {
    auto const p = random_cycle<std::uint32_t>(n);
    auto const plan = this->plan_of(p);
    EXPECT_TRUE(this->saved(plan) == make_file(p)) << n;
    EXPECT_TRUE(this->saved(plan.inverse()) == make_file(inverse_of(p))) << n;
  }
}

// Odd sizes above 2^20 indices and 2^20 bytes, which are read and written at a time.
TYPED_TEST(ScheduleFileTest, PlansRoundTrip) {
  for (std::size_t const n : {0, 1, 5, 8193, 262143, 1048579}) {
    SCOPED_TRACE(n);
    auto const p = random_cycle<std::uint32_t>(n);
    this->expect_moves(this->loaded(this->saved(this->plan_of(p))), p);
  }
}

// Indices of 64 bits, which files have for n > 2^32.
TEST(PlanFile, WideIndices) {
  std::vector<std::uint64_t> p(600'001);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = i * 0x123456789ABCDEFu;
  std::stringstream stream;
  detail::schedule::PlanWriter writer("test", stream);
  writer.write_indices(p.data(), p.size());
  writer.finish();
  std::string expected;
  for (auto const index : p) append_word(expected, index);
  append_word(expected, checksum_of(expected));
  EXPECT_TRUE(stream.str() == expected);

  detail::schedule::PlanReader reader("test", stream);
  EXPECT_TRUE(reader.read_indices<std::uint64_t>(p.size()) == p);
  reader.check_checksum();
}

TYPED_TEST(ScheduleFileTest, PlansFollowEachOtherInAStream) {
  auto const p = random_cycle<std::uint32_t>(1001);
  auto const q = random_cycle<std::uint32_t>(300000);
  std::stringstream stream;
  save_schedule(this->exec, this->plan_of(p), stream);
  save_schedule(this->exec, this->plan_of(q), stream);
  stream << "and more";
  this->expect_moves(load_schedule(this->exec, stream), p);
  this->expect_moves(load_schedule(this->exec, stream), q);
  std::string rest;
  std::getline(stream, rest);
  EXPECT_EQ(rest, "and more");
}

TYPED_TEST(ScheduleFileTest, RejectsTruncatedFiles) {
  auto const file = make_file(random_cycle<std::uint32_t>(101));
  ASSERT_EQ(file.size(), 3 * 8 + 51 * 8 + 8u);
  auto const expect = [&](std::size_t size, std::string const& needed) {
    EXPECT_EQ(
        this->error_of(file.substr(0, size)),
        "the stream ends after " + std::to_string(size) + " bytes, and " + needed + " are needed");
  };
  expect(0, "8");
  expect(7, "8");
  expect(8, "24");
  expect(23, "24");
  for (std::size_t const size : {24, 25, 200, 431}) expect(size, "432");
  for (std::size_t const size : {432, 439}) expect(size, "440");
}

TYPED_TEST(ScheduleFileTest, RejectsOtherFiles) {
  EXPECT_EQ(this->error_of("solid cube\nfacet normal 0 0 0\n"),
            "this is no file of a plan: it begins with 0x75632064696c6f73, one of a plan with "
            "0xa656c6666695289");
  auto file = make_file(random_cycle<std::uint32_t>(50));
  file[7] = '\r';  // as a copy in text mode would change it
  EXPECT_NE(this->error_of(file).find("begins with 0xd656c6666695289"), std::string::npos);
}

TYPED_TEST(ScheduleFileTest, RejectsOtherVersions) {
  EXPECT_EQ(this->error_of(header_of(5, 1)), "the file is of version 1, this can read 2");
}

TYPED_TEST(ScheduleFileTest, RejectsIndicesOfAnotherSize) {
  EXPECT_EQ(this->error_of(header_of(5, 2, 8)),
            "n = 5 with indices of 8 bytes: must be at most 1152921504606846975, and 4 bytes where "
            "n <= 2^32, else 8");
  EXPECT_NE(this->error_of(header_of(std::uint64_t{1} << 61 | 5, 2, 8)).find("must be at most"),
            std::string::npos);
}

// Every changed bit is detected.
TYPED_TEST(ScheduleFileTest, RejectsAlteredFiles) {
  auto const file = make_file({3, 0, 4, 1, 2});
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    auto other = file;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ 1 << bit % 8);
    auto const text = this->error_of(other);
    std::size_t const word = bit / 64;
    std::string expected = "the checksum of the file is 0x";
    if (word == 0) expected = "this is no file of a plan: it begins with 0x";
    if (word == 1) expected = bit % 64 < 32 ? "the file is of version " : "n = 5 with indices of ";
    if (word == 2) expected = text.substr(0, 4) == "n = " ? "n = " : "the ";
    EXPECT_EQ(text.substr(0, expected.size()), expected) << bit;
  }
}

// The words of the indices fit also to one index more or less.
TYPED_TEST(ScheduleFileTest, RejectsAnotherN) {
  for (Indices const& p : {Indices{3, 0, 4, 1, 2}, Indices{0, 1, 2, 3, 4, 0}}) {
    auto file = make_file(p);
    file[16] = static_cast<char>(p.size() == 5 ? 6 : 5);
    EXPECT_EQ(this->error_of(file).substr(0, 24), "the checksum of the file");
  }
}

TYPED_TEST(ScheduleFileTest, MemoryIsBoundedByTheFile) {
  for (std::uint64_t const n : {std::uint64_t{1} << 32, (std::uint64_t{1} << 60) - 1}) {
    std::uint64_t const index_bytes = n >> 32 > 1 ? 8 : 4;
    std::string const file = header_of(n, 2, index_bytes) + std::string(16, '\0');
    EXPECT_EQ(this->error_of(file), "the stream ends after 40 bytes, and " +
                                        std::to_string(24 + n * index_bytes) + " are needed");
    EXPECT_LT(this->workspace.bytes(), std::size_t{1} << 20);
  }
}

TYPED_TEST(ScheduleFileTest, RejectsWordsInAnotherOrder) {
  auto file = make_file(random_cycle<std::uint32_t>(1000));
  std::swap_ranges(file.begin() + 40, file.begin() + 48, file.begin() + 400);
  EXPECT_NE(this->error_of(file).find("the file has been altered"), std::string::npos);
}

TYPED_TEST(ScheduleFileTest, RejectsInvalidPlansWithAValidChecksum) {
  EXPECT_EQ(this->error_of(make_file({0, 2, 2})),
            "riffle::ScheduledPermutation: p(2) = 2 is there before: must be a permutation, each "
            "value once");
  EXPECT_NE(this->error_of(make_file({0, 1, 3})).find("p(2) = 3: must be at least 0 and less than"),
            std::string::npos);
}

// Random changes, some with a valid checksum: either an error, or the plan that the bytes describe.
TYPED_TEST(ScheduleFileTest, MutatedFilesAreRejectedOrValid) {
  std::mt19937_64 random(20'49);
  auto const below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::vector<Indices> permutations;
  std::vector<std::string> files;
  for (std::size_t const n : {0, 1, 2, 5, 6, 11, 200, 2999}) {
    permutations.push_back(random_cycle<std::uint32_t>(n));
    files.push_back(this->saved(this->plan_of(permutations.back())));
  }
  std::size_t rejected = 0;
  std::size_t valid = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::size_t const file = below(files.size());
    std::string bytes = files[file];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) mutate(bytes, below);
    // Every second round has a valid checksum, so that the other checks are tested.
    if (round % 2 == 1 && bytes.size() >= 32) {
      bytes.resize(bytes.size() / 8 * 8 - 8);
      append_word(bytes, checksum_of(bytes));
    }
    auto const expected = read_file(bytes);
    if (!expected) {
      EXPECT_NE(this->error_of(bytes), "");
      ++rejected;
    } else {
      if (round % 2 == 0) {
        EXPECT_EQ(*expected, permutations[file]);
      }
      this->expect_moves(this->loaded(bytes), *expected);
      ++valid;
    }
    EXPECT_LT(this->workspace.bytes(), std::size_t{1} << 20);
  }
  EXPECT_GT(rejected, 150u);
  EXPECT_GT(valid, 10u);
}

TYPED_TEST(ScheduleFileTest, FailingStreams) {
  auto const plan = this->plan_of(random_cycle<std::uint32_t>(600'000));
  std::size_t const size = this->saved(plan).size();
  auto const save_on = [&](std::size_t disk_size) {
    FullDisk disk(disk_size);
    std::ostream stream(&disk);
    return thrown_message<std::runtime_error>([&] { save_schedule(this->exec, plan, stream); });
  };
  EXPECT_EQ(save_on(size), "nothing was thrown");
  std::string const text = "riffle::save_schedule: the stream failed, having taken ";
  EXPECT_EQ(save_on(0), text + "24 bytes");  // the header, in the stream's buffer
  EXPECT_EQ(save_on(1'500'000), text + "1048600 bytes");
  // All bytes are in the stream's buffer, but its last block does not fit.
  EXPECT_EQ(save_on(size - 1), text + std::to_string(size) + " bytes");

  std::istringstream failed(make_file({1, 0}));
  failed.setstate(std::ios::badbit);
  EXPECT_EQ(thrown_message<std::runtime_error>([&] { load_schedule(this->exec, failed); }),
            "riffle::load_schedule: the stream failed after 0 bytes, and 8 are needed");
}

TYPED_TEST(ScheduleFileTest, KernelsAndMemoryUseTheCallersInstance) {
  auto const file = make_file(random_cycle<std::uint32_t>(70'000));
  expect_labels_and_instance(this->exec, [&](auto const& on) {
    std::istringstream stream(file);
    load_schedule(on, stream);
  });
}

}  // namespace
}  // namespace riffle::test::schedule_file_test
