// Sorts by classes in a team of an emulated GPU, compared with the standard library's sort; and the
// classes of words, which never decrease as words increase.

#include <riffle/sort/detail/gpu/samplesort/sort_part.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/emulated_gpu.hpp"
#include "support/type_names.hpp"

namespace riffle::test::samplesort_classes_test {
namespace {

namespace ss = detail::sort::samplesort;
using ss::Index;

constexpr int threads = 128;

// --- the class of a word ---

template <class Word>
std::vector<Word> words_around(Word least, Word greatest) {
  std::mt19937_64 random(7);
  Word const range = static_cast<Word>(greatest - least);
  std::vector<Word> words = {least, greatest};
  for (Word distance = 1; distance != 0 && distance < range; distance *= 2) {
    words.push_back(least + distance);
    words.push_back(greatest - distance);
  }
  for (int i = 0; i < 1000 && range != 0; ++i) {
    words.push_back(least + static_cast<Word>(random() % range));
  }
  std::sort(words.begin(), words.end());
  return words;
}

template <class Word>
void expect_classes_rise(Word least, Word range, Index count) {
  auto const greatest = static_cast<Word>(least + range);
  ss::ClassOf<Word> const class_of({least, greatest}, count);
  Index before = 0;
  for (Word const word : words_around(least, greatest)) {
    Index const c = class_of(word);
    ASSERT_GE(c, before) << range;
    ASSERT_LT(c, count) << range;
    before = c;
  }
  // Classes range from the first to about the last.
  EXPECT_EQ(class_of(least), 0u);
  EXPECT_GE(before, range == 0 ? 0 : count - 2) << range;
}

TEST(SortByClasses, ClassesRiseWithWords) {
  for (Index const count : {2048u, 4096u}) {
    for (std::uint64_t const range :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{count} - 1, std::uint64_t{count},
          std::uint64_t{count} + 1, (std::uint64_t{1} << 24) + 1, (std::uint64_t{1} << 32) - 1,
          std::uint64_t{1} << 32, (std::uint64_t{1} << 33) - 1, (std::uint64_t{1} << 52) + 12345,
          std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
      expect_classes_rise<std::uint64_t>(~range, range, count);
      expect_classes_rise<std::uint64_t>(0, range, count);
      auto const small = static_cast<std::uint32_t>(range);
      expect_classes_rise<std::uint32_t>(~small, small, count);
    }
  }
}

// --- a team ---

/// Writes by host code, so that bounds are checked.
template <class Word>
struct CheckedWrite {
  std::vector<Word>& written;
  std::vector<int>& times_written;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] Index i, [[maybe_unused]] Word word) const {
    KOKKOS_IF_ON_HOST((written.at(i) = word; ++times_written.at(i);))
  }
};

template <class Word>
struct SortOneTeam {
  using Classes = ss::ClassSorter<Word, threads>;

  std::vector<Word> const& words;
  ss::Bounds<Word> bounds;
  std::vector<Word>& written;
  std::vector<int>& times_written;
  bool& is_sorted;

  template <class Member>
  void operator()(Member const& team) const {
    auto const size = static_cast<Index>(words.size());
    auto const thread = static_cast<Index>(team.team_rank());
    void* const memory = team.team_scratch(0).get_shmem_aligned(Classes::bytes, 16);
    Classes const classes(memory, thread);
    Word own[Classes::items_per_thread] = {};
    for (int k = 0; k < Classes::items_per_thread; ++k) {
      Index const i = static_cast<Index>(k * threads) + thread;
      if (i < size) own[k] = words[i];
    }
    CheckedWrite<Word> const write{written, times_written};
    bool const is_done = classes.sort(team, own, size, bounds, write, write);
    if (thread == 0) is_sorted = is_done;
  }
};

template <class Word>
struct Outcome {
  bool is_sorted = false;
  std::vector<Word> written;
};

template <class Word>
Outcome<Word> sort_by_classes(std::vector<Word> const& words, ss::Bounds<Word> const& bounds) {
  Outcome<Word> outcome;
  outcome.written.resize(words.size());
  std::vector<int> times_written(words.size());
  SortOneTeam<Word> const kernel{words, bounds, outcome.written, times_written, outcome.is_sorted};
  EmulatedGpu(1, 11).run(1, threads, SortOneTeam<Word>::Classes::bytes + 128, kernel);
  EXPECT_TRUE(
      std::all_of(times_written.begin(), times_written.end(), [](int n) { return n == 1; }));
  return outcome;
}

template <class Word>
void expect_sorts(std::vector<Word> words, ss::Bounds<Word> const& bounds) {
  Outcome<Word> const outcome = sort_by_classes(words, bounds);
  EXPECT_TRUE(outcome.is_sorted);
  std::sort(words.begin(), words.end());
  EXPECT_TRUE(outcome.written == words) << words.size() << " words";
}

template <class Word>
void expect_unsorted(std::vector<Word> words, ss::Bounds<Word> const& bounds) {
  Outcome<Word> outcome = sort_by_classes(words, bounds);
  EXPECT_FALSE(outcome.is_sorted);
  std::sort(words.begin(), words.end());
  std::sort(outcome.written.begin(), outcome.written.end());
  EXPECT_TRUE(outcome.written == words);
}

template <class Word>
std::vector<Word> random_words(std::size_t n, ss::Bounds<Word> const& bounds) {
  std::mt19937_64 random(n);
  std::uniform_int_distribution<Word> uniform(bounds.least, bounds.greatest);
  std::vector<Word> words(n);
  for (auto& word : words) word = uniform(random);
  return words;
}

template <class Word>
class SortByClassesTest : public ::testing::Test {
 protected:
  static constexpr std::size_t max_words = ss::ClassSorter<Word, threads>::max_words;
  static constexpr Word greatest = std::numeric_limits<Word>::max();
};

using Words = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(SortByClassesTest, Words, TypeNames);

TYPED_TEST(SortByClassesTest, AllSizes) {
  for (std::size_t const n : {std::size_t{1}, std::size_t{2}, std::size_t{127}, std::size_t{128},
                              std::size_t{129}, std::size_t{511}, std::size_t{512},
                              std::size_t{513}, this->max_words - 1, this->max_words}) {
    ss::Bounds<TypeParam> const all{0, this->greatest};
    expect_sorts(random_words(n, all), all);
  }
}

TYPED_TEST(SortByClassesTest, NarrowBounds) {
  for (TypeParam const range : {0, 1, 5, 2047, 2048, 2049, 100'000}) {
    auto const least = static_cast<TypeParam>(this->greatest - range);
    ss::Bounds<TypeParam> const high{least, this->greatest};
    expect_sorts(random_words(1000, high), high);
    ss::Bounds<TypeParam> const low{0, range};
    expect_sorts(random_words(1000, low), low);
  }
}

TYPED_TEST(SortByClassesTest, InOrderAndReversed) {
  ss::Bounds<TypeParam> const all{0, this->greatest};
  auto words = random_words(1500, all);
  std::sort(words.begin(), words.end());
  expect_sorts(words, all);
  std::reverse(words.begin(), words.end());
  expect_sorts(words, all);
}

TYPED_TEST(SortByClassesTest, UnknownBoundsAreFound) {
  ss::Bounds<TypeParam> const unknown{0, 0, false};
  auto const words = random_words<TypeParam>(1000, {12'345'678, 12'445'678});
  expect_sorts(words, unknown);
  expect_sorts(std::vector<TypeParam>(77, 5), unknown);
  // Between known bounds that are far apart, the same words overfill classes.
  expect_unsorted(words, ss::Bounds<TypeParam>{0, this->greatest});
}

TYPED_TEST(SortByClassesTest, OverfullClassesOfEqualWords) {
  ss::Bounds<TypeParam> const all{0, this->greatest};
  auto const few = random_words<TypeParam>(16, all);
  std::vector<TypeParam> words(1024);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = few[i % few.size()];
  expect_sorts(words, all);
  // One word of the overfull class differs.
  words[500] ^= 1;
  expect_unsorted(words, all);
}

TYPED_TEST(SortByClassesTest, SmallClassesOfAnyWords) {
  // Classes of 16 words, ten of which are equal.
  ss::Bounds<TypeParam> const all{0, this->greatest};
  std::vector<TypeParam> words;
  for (TypeParam cluster = 0; cluster < 64; ++cluster) {
    TypeParam const begin = cluster * (this->greatest / 64) + cluster;
    for (TypeParam k = 0; k < 8; ++k) words.insert(words.end(), {TypeParam(begin + k % 4), begin});
  }
  expect_sorts(words, all);
}

// Classes up to the largest size that is sorted by comparisons; words in descending order.
TYPED_TEST(SortByClassesTest, ClassesOfEverySize) {
  ss::Bounds<TypeParam> const all{0, this->greatest};
  for (TypeParam size = 1; size <= ss::ClassSorter<TypeParam, threads>::max_of_class; ++size) {
    std::vector<TypeParam> words;
    for (TypeParam cluster = 0; cluster < 16; ++cluster) {
      TypeParam const begin = cluster * (this->greatest / 16);
      for (TypeParam k = size; k > 0; --k) words.push_back(static_cast<TypeParam>(begin + k - 1));
    }
    expect_sorts(words, all);
  }
}

// --- codes with indices ---

std::vector<ss::IndexedCode> random_codes(std::uint32_t n, std::uint64_t codes) {
  std::mt19937_64 random(n);
  std::vector<ss::IndexedCode> words(n);
  for (std::uint32_t i = 0; i < n; ++i) words[i] = {random() % codes, 7 * i, i};
  std::shuffle(words.begin(), words.end(), random);
  return words;
}

bool have_same_companions(std::vector<ss::IndexedCode> const& a,
                          std::vector<ss::IndexedCode> const& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto const& x, auto const& y) { return x == y && x.payload == y.payload; });
}

void expect_sorts_codes(std::vector<ss::IndexedCode> words,
                        ss::Bounds<ss::IndexedCode> const& bounds) {
  auto const outcome = sort_by_classes(words, bounds);
  EXPECT_TRUE(outcome.is_sorted);
  std::sort(words.begin(), words.end());
  EXPECT_TRUE(have_same_companions(outcome.written, words)) << words.size() << " words";
}

TEST(SortByClassesWithIndices, ByCodes) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  expect_sorts_codes(random_codes(2048, most), {{0, 0, 0}, {most, 0, 0}});
  // Some 50 words of each code.
  expect_sorts_codes(random_codes(1000, 20), {{0, 3, 0}, {20, 0, 0}});
  expect_sorts_codes(random_codes(1000, 1000), {{0, 0, 0}, {0, 0, 0}, false});
}

TEST(SortByClassesWithIndices, OfOneCodeByIndices) {
  expect_sorts_codes(random_codes(2048, 1), {{0, 0, 0}, {0, 7 * 2047, 0}});
  // The bounds are far apart, or unknown.
  expect_sorts_codes(random_codes(2048, 1), {{0, 0, 0}, {0, ~std::uint32_t{0}, 0}});
  expect_sorts_codes(random_codes(2048, 1), {{0, 0, 0}, {0, 0, 0}, false});
}

TEST(SortByClassesWithIndices, OverfullClassesOfOneCode) {
  for (std::uint64_t const codes : {2, 3, 7}) {
    for (std::uint32_t const n : {300, 2047}) {
      expect_sorts_codes(random_codes(n, codes), {{0, 0, 0}, {codes - 1, 0, 0}});
    }
  }
}

TEST(SortByClassesWithIndices, OverfullClassesAmongOthers) {
  // Most words have the least code, and their class has no other code.
  auto words = random_codes(2000, 1 << 20);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i].code = i % 4 != 0 ? 0 : words[i].code | 1024;
  }
  expect_sorts_codes(words, {{0, 0, 0}, {1 << 20, 0, 0}});
}

TEST(SortByClassesWithIndices, OverfullClassesOfSeveralCodes) {
  auto words = random_codes(1000, 2);
  auto outcome = sort_by_classes(words, {{0, 0, 0}, {~std::uint64_t{0}, 0, 0}});
  EXPECT_FALSE(outcome.is_sorted);
  std::sort(words.begin(), words.end());
  std::sort(outcome.written.begin(), outcome.written.end());
  EXPECT_TRUE(have_same_companions(outcome.written, words));
}

TEST(SortByClassesWithIndices, OverfullClassesWithClusteredIndices) {
  // All indices but two are next to each other.
  auto words = random_codes(1000, 1);
  words[0].index = 0;
  words[1].index = ~std::uint32_t{0};
  for (std::uint32_t i = 2; i < words.size(); ++i) words[i].index = 1 << 20 | i;
  auto outcome = sort_by_classes(words, {{0, 0, 0}, {9, 0, 0}});
  EXPECT_FALSE(outcome.is_sorted);
  std::sort(words.begin(), words.end());
  std::sort(outcome.written.begin(), outcome.written.end());
  EXPECT_TRUE(have_same_companions(outcome.written, words));
}

}  // namespace
}  // namespace riffle::test::samplesort_classes_test
