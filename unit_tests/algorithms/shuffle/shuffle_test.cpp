#include <Kokkos_Core.hpp>
#include <riffle/random/random_permutation.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/chi_square.hpp"
#include "support/execution_spaces.hpp"
#include "support/permutations.hpp"
#include "support/views.hpp"

namespace riffle::test::shuffle_test {
namespace {

using Images = std::vector<std::uint64_t>;

template <class Exec>
Images images(Exec const& exec, std::size_t n, std::uint64_t seed) {
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> const out("out", n);
  riffle::random_permutation(exec, out, seed);
  return to_vector(out);
}

template <class Exec>
Images sampled(Exec const& exec, std::uint64_t n, std::size_t k, std::uint64_t seed) {
  Kokkos::View<std::uint64_t*, typename Exec::memory_space> const out("out", k);
  riffle::sample(exec, n, out, seed);
  return to_vector(out);
}

template <class Exec, class T>
std::vector<T> shuffled(Exec const& exec, std::vector<T> const& values, std::uint64_t seed) {
  auto const in = to_view<Exec>(values);
  Kokkos::View<T*, typename Exec::memory_space> const out("out", values.size());
  riffle::shuffle_copy(exec, in, out, seed);
  return to_vector(out);
}

std::vector<int> distinct_values(std::size_t n) {
  std::vector<int> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(7 * i) - 1000;
  return values;
}

template <class Exec>
class ShuffleTest : public ::testing::Test {
 protected:
  Exec exec;
};
TYPED_TEST_SUITE(ShuffleTest, ExecutionSpaces, SpaceNames);

// The checker of the other tests must reject permutations that are nearly right.
TEST(ShuffleCheckerTest, RejectsIdentityTranspositionAndInverse) {
  for (std::size_t const n : {5, 20, 21, 257}) {
    Images const sigma = images(Kokkos::DefaultExecutionSpace(), n, 7);
    ASSERT_NE(sigma, inverse_of(sigma)) << n;
    auto const in = distinct_values(n);
    std::vector<int> right(n), inverse(n);
    for (std::size_t i = 0; i < n; ++i) {
      right[i] = in[sigma[i]];
      inverse[sigma[i]] = in[i];
    }
    EXPECT_TRUE(is_gather(in, right, sigma));
    EXPECT_FALSE(is_gather(in, in, sigma));
    EXPECT_FALSE(is_gather(in, inverse, sigma));
    for (std::size_t const i : {std::size_t{0}, n / 2, n - 2}) {
      auto transposed = right;
      std::swap(transposed[i], transposed[i + 1]);
      EXPECT_FALSE(is_gather(in, transposed, sigma)) << i;
    }
    right.pop_back();
    EXPECT_FALSE(is_gather(in, right, sigma));
  }
}

TYPED_TEST(ShuffleTest, RandomPermutationMatchesCore) {
  for (auto const n : edge_sizes()) {
    riffle::RandomPermutation const sigma(n, 99);
    Images expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = sigma(i);
    Images const actual = images(this->exec, n, 99);
    EXPECT_EQ(actual, expected) << n;
    EXPECT_TRUE(is_permutation_of_iota(actual)) << n;
  }
}

TYPED_TEST(ShuffleTest, CopyGathersByRandomPermutation) {
  for (auto const n : edge_sizes()) {
    for (std::uint64_t const seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      auto const in = distinct_values(n);
      EXPECT_TRUE(is_gather(in, shuffled(this->exec, in, seed), images(this->exec, n, seed)))
          << "n = " << n << ", seed = " << seed;
    }
  }
}

TYPED_TEST(ShuffleTest, CopyLeavesItsInput) {
  auto const values = distinct_values(1000);
  auto const in = to_view<TypeParam>(values);
  auto const out = to_view<TypeParam>(values);
  riffle::shuffle_copy(this->exec, in, out, 3);
  EXPECT_EQ(to_vector(in), values);
  EXPECT_NE(to_vector(out), values);
}

TYPED_TEST(ShuffleTest, InPlaceEqualsCopy) {
  for (auto const n : edge_sizes()) {
    auto const values = distinct_values(n);
    auto const data = to_view<TypeParam>(values);
    riffle::shuffle(this->exec, data, 11);
    EXPECT_EQ(to_vector(data), shuffled(this->exec, values, 11)) << n;
  }
}

TYPED_TEST(ShuffleTest, TakesAnUnallocatedView) {
  Kokkos::View<int*, typename TypeParam::memory_space> const nothing;
  riffle::shuffle_copy(this->exec, nothing, nothing, 1);
  riffle::shuffle(this->exec, nothing, 1);
  riffle::random_permutation(this->exec, nothing, 1);
  riffle::sample(this->exec, 0, nothing, 1);
}

TYPED_TEST(ShuffleTest, TakesALabel) {
  auto const values = distinct_values(100);
  auto const in = to_view<TypeParam>(values);
  auto const out = to_view<TypeParam>(values);
  riffle::shuffle_copy(Context(this->exec, "user::copy"), in, out, 5);
  auto const expected = to_vector(out);
  EXPECT_EQ(expected, shuffled(this->exec, values, 5));
  riffle::shuffle(Context(this->exec, "user::in_place"), in, 5);
  EXPECT_EQ(to_vector(in), expected);
  riffle::random_permutation(Context(this->exec, "user::table"), out, 5);
  auto const table = to_vector(out);
  riffle::random_permutation(this->exec, out, 5);
  EXPECT_EQ(to_vector(out), table);
  riffle::sample(Context(this->exec, "user::sample"), 100, out, 5);
  EXPECT_EQ(to_vector(out), table);
}

/// A user-defined shuffle, which reverses.
struct Reverse {
  template <class In, class Out>
  struct Kernel {
    In in;
    Out out;
    std::uint64_t n;
    KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = in(n - 1 - i); }
  };

  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    std::uint64_t) const {
    context.for_each(n, Kernel<In, Out>{in, out, n});
  }
};

TYPED_TEST(ShuffleTest, TakesAnAlgorithmOfTheUsersOwn) {
  auto values = distinct_values(100);
  auto const in = to_view<TypeParam>(values);
  auto const out = to_view<TypeParam>(values);
  riffle::shuffle_copy(this->exec, in, out, 0, Reverse{});
  riffle::shuffle(this->exec, in, 0, Reverse{});
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(to_vector(out), values);
  EXPECT_EQ(to_vector(in), values);
}

TYPED_TEST(ShuffleTest, SeedsAndSizesGiveDifferentPermutations) {
  std::set<Images> distinct;
  for (std::uint64_t seed = 0; seed < 64; ++seed) distinct.insert(images(this->exec, 100, seed));
  EXPECT_EQ(distinct.size(), 64u);
}

// From a model of the ciphers in Python integers, which was written from the papers.
TYPED_TEST(ShuffleTest, GoldenValues) {
  EXPECT_EQ(images(this->exec, 2, 1), (Images{0, 1}));
  EXPECT_EQ(images(this->exec, 2, 2), (Images{1, 0}));
  EXPECT_EQ(images(this->exec, 3, 7), (Images{2, 0, 1}));
  EXPECT_EQ(images(this->exec, 10, 3), (Images{0, 2, 6, 5, 7, 9, 3, 8, 4, 1}));
  EXPECT_EQ(images(this->exec, 20, 1),
            (Images{4, 7, 8, 2, 19, 5, 15, 18, 12, 13, 14, 3, 10, 6, 1, 11, 16, 0, 9, 17}));
  EXPECT_EQ(images(this->exec, 21, 1),
            (Images{12, 3, 9, 0, 18, 19, 2, 5, 10, 17, 7, 4, 16, 8, 6, 20, 1, 11, 14, 13, 15}));
  EXPECT_EQ(shuffled(this->exec, iota<std::uint64_t>(33), 2024),
            (Images{10, 15, 5,  13, 32, 14, 31, 0, 9,  3, 21, 23, 7, 12, 25, 22, 18,
                    19, 24, 30, 4,  26, 11, 29, 6, 17, 1, 8,  16, 2, 27, 20, 28}));

  struct Golden {
    std::size_t n;
    std::uint64_t seed;
    std::uint64_t checksum;
  };
  for (auto const& golden :
       {Golden{100, 5, 0xF7988240FCFE07EBu}, Golden{256, 5, 0x7608C483378F1E69u},
        Golden{257, 5, 0x715AF53C401EDDFFu}, Golden{1000, 0x123456789ABCDEF0u, 0xC8963E63E6B8F191u},
        Golden{4097, 9, 0x9655E89C92AD6BA9u}, Golden{65536, 3, 0xC304965B253528FFu}}) {
    EXPECT_EQ(checksum(shuffled(this->exec, iota<std::uint64_t>(golden.n), golden.seed)),
              golden.checksum)
        << golden.n;
  }
}

TYPED_TEST(ShuffleTest, GoldenSamples) {
  std::uint64_t const two_to_63 = std::uint64_t{1} << 63;
  EXPECT_EQ(sampled(this->exec, 1000, 6, 1), (Images{132, 952, 771, 769, 994, 53}));
  EXPECT_EQ(sampled(this->exec, std::uint64_t{1} << 32, 6, 1),
            (Images{2134770043, 996240451, 469171716, 178184044, 908370482, 1865842406}));
  EXPECT_EQ(sampled(this->exec, (std::uint64_t{1} << 32) + 1, 6, 2),
            (Images{3436822621, 231394505, 1862801223, 3390334814, 4063119558, 3955351188}));
  EXPECT_EQ(
      sampled(this->exec, 1000000000000, 6, 3),
      (Images{152312059994, 462684398326, 251413178909, 305967441608, 199346288392, 432042272548}));
  EXPECT_EQ(sampled(this->exec, two_to_63, 6, 4),
            (Images{362420900848223360, 1163198033467065740, 6606262376979573569,
                    1202244111078841163, 7721985204034555337, 8549569090626938666}));
}

/// Every call with a stream has the permutation of RandomPermutation(n, seed, stream).
TYPED_TEST(ShuffleTest, StreamsMatchCore) {
  std::uint64_t constexpr seed = 99;
  for (std::size_t const n : {0, 1, 2, 20, 21, 1000}) {
    for (std::uint64_t const stream : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", stream = " + std::to_string(stream));
      riffle::RandomPermutation const sigma(n, seed, stream);
      Images expected(n);
      for (std::size_t i = 0; i < n; ++i) expected[i] = sigma(i);
      auto const out = to_view<TypeParam>(Images(n));
      riffle::random_permutation(this->exec, out, seed, stream);
      EXPECT_EQ(to_vector(out), expected);
      riffle::random_permutation(this->exec, out, seed, stream, riffle::PermutationGather{});
      EXPECT_EQ(to_vector(out), expected);
      riffle::sample(this->exec, n, out, seed, stream);
      EXPECT_EQ(to_vector(out), expected);
      auto const in = to_view<TypeParam>(iota<std::uint64_t>(n));
      riffle::shuffle_copy(this->exec, in, out, seed, stream);
      EXPECT_EQ(to_vector(out), expected);
      riffle::shuffle(this->exec, in, seed, stream);
      EXPECT_EQ(to_vector(in), expected);
    }
  }
}

/// Draws each value from the seed that it receives.
struct KeepsSeed {
  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t, In const&, Out const& out,
                    std::uint64_t seed) const {
    Kokkos::deep_copy(context.exec(), out, seed);
  }
};

TYPED_TEST(ShuffleTest, AlgorithmsWithoutStreamsReceiveASeedOfTheStream) {
  auto const out = to_view<TypeParam>(Images(3));
  riffle::shuffle(this->exec, out, 5, 6, KeepsSeed{});
  EXPECT_EQ(to_vector(out), Images(3, riffle::seed_of_stream(5, 6)));
  riffle::shuffle_copy(this->exec, to_view<TypeParam>(Images(3)), out, 5, KeepsSeed{});
  EXPECT_EQ(to_vector(out), Images(3, 5));
}

TYPED_TEST(ShuffleTest, SampleIsTheBeginningOfAPermutation) {
  for (std::size_t const n : {1, 2, 20, 21, 1000}) {
    Images const whole = images(this->exec, n, 8);
    for (std::size_t const k : {std::size_t{0}, std::size_t{1}, n / 2, n}) {
      EXPECT_EQ(sampled(this->exec, n, k, 8), Images(whole.begin(), whole.begin() + k))
          << n << ", " << k;
    }
  }
  EXPECT_EQ(sampled(this->exec, 0, 0, 8), Images{});
}

TYPED_TEST(ShuffleTest, SamplesOfAnySizeAreDistinct) {
  for (std::uint64_t const n :
       {std::uint64_t{100000}, std::uint64_t{1} << 32, std::uint64_t{1} << 63}) {
    Images const drawn = sampled(this->exec, n, 100000, 12);
    EXPECT_EQ(std::set<std::uint64_t>(drawn.begin(), drawn.end()).size(), drawn.size()) << n;
    EXPECT_LT(*std::max_element(drawn.begin(), drawn.end()), n);
    EXPECT_GT(*std::max_element(drawn.begin(), drawn.end()), n - n / 100) << "reaches the end";
  }
}

TYPED_TEST(ShuffleTest, SampleOf2To63FitsSigned64Bits) {
  Kokkos::View<std::int64_t*, typename TypeParam::memory_space> const out("out", 1000);
  riffle::sample(this->exec, std::uint64_t{1} << 63, out, 4);
  for (auto const drawn : to_vector(out)) EXPECT_GE(drawn, 0);
}

// Each seed shuffles the same array: to shuffle an array that was shuffled before would hide bias.
TYPED_TEST(ShuffleTest, AllPermutationsOfFourAreEquallyLikely) {
  std::size_t constexpr trials = 2400;
  auto const in = to_view<TypeParam>(iota<int>(4));
  Kokkos::View<int**, Kokkos::LayoutRight, typename TypeParam::memory_space> const out("out",
                                                                                       trials, 4);
  for (std::size_t seed = 0; seed < trials; ++seed)
    riffle::shuffle_copy(this->exec, in, Kokkos::subview(out, seed, Kokkos::ALL), seed);
  this->exec.fence();
  auto const host = HostElements(out);
  std::vector<std::uint64_t> counts(24);
  for (std::size_t seed = 0; seed < trials; ++seed)
    ++counts[rank_of(std::vector<int>(&host(seed, 0), &host(seed, 0) + 4))];
  EXPECT_LT(chi_square(counts), 57.07);  // scipy.stats.chi2.isf(1e-4, 23)
}

TYPED_TEST(ShuffleTest, AllPairsOfFiveAreEquallyLikelySamples) {
  std::size_t constexpr trials = 2400;
  Kokkos::View<int**, Kokkos::LayoutRight, typename TypeParam::memory_space> const out("out",
                                                                                       trials, 2);
  for (std::size_t seed = 0; seed < trials; ++seed)
    riffle::sample(this->exec, 5, Kokkos::subview(out, seed, Kokkos::ALL), seed);
  this->exec.fence();
  auto const host = HostElements(out);
  std::vector<std::uint64_t> counts(20);
  for (std::size_t seed = 0; seed < trials; ++seed) {
    int const first = host(seed, 0);
    int const second = host(seed, 1);
    ASSERT_NE(first, second);
    ++counts[static_cast<std::size_t>(4 * first + second - (second > first))];
  }
  EXPECT_LT(chi_square(counts), 50.79);  // scipy.stats.chi2.isf(1e-4, 19)
}

// The paper's cipher generates even permutations only; the default must not.
TYPED_TEST(ShuffleTest, SignIsBalancedAtEverySize) {
  for (std::size_t const n : {2, 3, 4, 8, 16, 20, 21, 32, 64, 250, 256, 257, 1024}) {
    int odd = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed)
      odd += is_odd(shuffled(this->exec, iota<int>(n), seed));
    // 50 expected, standard deviation 5.
    EXPECT_GT(odd, 27) << n;
    EXPECT_LT(odd, 73) << n;
  }
}

// nvcc warns of Views of strings in Kokkos itself, as constructors of C++20's strings can run in the compiler.
#if !defined(KOKKOS_ENABLE_CUDA)
// A shuffle that moved strings by their bytes would free their memory twice.
TEST(ShuffleStringsTest, CopiesByEveryAlgorithmAndFisherYatesInPlace) {
  using Exec = Kokkos::DefaultHostExecutionSpace;
  using Strings = Kokkos::View<std::string*, Kokkos::HostSpace>;
  auto const text = [](std::uint64_t i) {
    return "a text that is too long to be in its object: " + std::to_string(i);
  };
  constexpr std::uint64_t n = 3000;
  Strings const in("in", n);
  for (std::uint64_t i = 0; i < n; ++i) in(i) = text(i);
  auto const expect = [&](Strings const& shuffled, auto algorithm) {
    Kokkos::View<std::uint64_t*, Kokkos::HostSpace> const sigma("sigma", n);
    riffle::random_permutation(Exec(), sigma, 7, algorithm);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(shuffled(i), text(sigma(i)));
  };
  auto const expect_copy = [&](auto algorithm) {
    Strings const out("out", n);
    for (std::uint64_t i = 0; i < n; ++i) out(i) = "what a copy overwrites, which is freed, too";
    riffle::shuffle_copy(Exec(), in, out, 7, algorithm);
    expect(out, algorithm);
  };
  expect_copy(riffle::DefaultShuffle{});
  expect_copy(riffle::PermutationGather{});
  expect_copy(riffle::FisherYates{});
  riffle::shuffle(Exec(), in, 7, riffle::FisherYates{});
  expect(in, riffle::FisherYates{});
}
#endif

TYPED_TEST(ShuffleTest, TwoInstancesAtOnce) {
  auto const instances = Kokkos::Experimental::partition_space(this->exec, 1, 1);
  std::size_t constexpr n = 20000;
  int constexpr rounds = 8;
  auto const in = to_view<TypeParam>(distinct_values(n));
  std::vector<Kokkos::View<int*, typename TypeParam::memory_space>> outs;
  for (int i = 0; i < 2 * rounds; ++i) outs.emplace_back("out", n);
  for (int i = 0; i < 2 * rounds; ++i) {
    riffle::shuffle_copy(instances[static_cast<std::size_t>(i % 2)], in,
                         outs[static_cast<std::size_t>(i)], static_cast<std::uint64_t>(i));
  }
  for (auto const& instance : instances) instance.fence();
  for (int i = 0; i < 2 * rounds; ++i) {
    auto const seed = static_cast<std::uint64_t>(i);
    EXPECT_EQ(to_vector(outs[static_cast<std::size_t>(i)]),
              shuffled(this->exec, distinct_values(n), seed));
  }
}

}  // namespace
}  // namespace riffle::test::shuffle_test
