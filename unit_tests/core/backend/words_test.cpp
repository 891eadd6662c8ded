#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/random/integers.hpp>

#include "support/type_names.hpp"

namespace words_test {
namespace {

namespace backend = riffle::backend;

using Values = std::vector<std::uint32_t>;

// A view of Values for bodies of call(), which nvcc also compiles for devices.
class WordSpan {
 public:
  WordSpan(Values const& values) : data_(values.data()), size_(values.size()) {}

  KOKKOS_FORCEINLINE_FUNCTION std::size_t size() const { return size_; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t const* data() const { return data_; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator[](std::size_t i) const { return data_[i]; }

 private:
  std::uint32_t const* data_;
  std::size_t size_;
};

// Random words with few bits and with many bits, and the smallest and largest words.
Values words_to_try() {
  Values values{0, 1, 2, 0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFFu, 0xFFFFu, 0x10000u};
  std::mt19937 generator(1);
  while (values.size() < 512) {
    values.push_back(static_cast<std::uint32_t>(generator() >> generator() % 32));
  }
  return values;
}

// The number of operations. Each is applied once, to words or to vectors of words, and has one
// result.
constexpr int operations = 15;

template <class Words>
KOKKOS_FORCEINLINE_FUNCTION void apply_all(Words const& a, Words const& b, std::uint32_t c,
                                           int bits, Words (&results)[operations]) {
  using Kokkos::max;
  using Kokkos::min;
  using riffle::detail::multiply_high;
  results[0] = a + b;
  results[1] = a + c;
  results[2] = a - c;
  results[3] = a ^ b;
  results[4] = a ^ c;
  results[5] = a & c;
  results[6] = a | b;
  results[7] = a * c;
  results[8] = a << bits;
  results[9] = a >> bits;
  results[10] = a >> 15;
  results[11] = min(a, b);
  results[12] = multiply_high(a, c);
  results[13] = max(a, b);
  results[14] = a & b;
}

// Compares each lane of every operation with the operation on one word.
struct CompareWithOneWord {
  WordSpan values;
  std::uint32_t scalar;
  int bits;
  int& width;
  std::size_t& differences;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    width = Words::width;
    for (std::size_t i = 0; i + 2 * Words::width <= values.size(); ++i) {
      std::uint32_t const* const a = values.data() + i;
      std::uint32_t const* const b = a + Words::width;
      Words results[operations];
      apply_all(Words::load(a), Words::load(b), scalar, bits, results);
      for (int lane = 0; lane < Words::width; ++lane) count_differences(results, a, b, lane);
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void count_differences(Words const (&results)[operations],
                                                     std::uint32_t const* a, std::uint32_t const* b,
                                                     int lane) const {
    std::uint32_t expected[operations];
    apply_all(a[lane], b[lane], scalar, bits, expected);
    for (int k = 0; k < operations; ++k) {
      std::uint32_t lanes_of_result[Words::width];
      results[k].store(lanes_of_result);
      differences += lanes_of_result[lane] != expected[k] ? 1 : 0;
    }
  }
};

struct FillIota {
  std::uint32_t first;
  Values& lanes_of_iota;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    std::uint32_t values[Words::width];
    Words::iota(first).store(values);
    KOKKOS_IF_ON_HOST((lanes_of_iota.assign(values, values + Words::width);))
  }
};

struct CountAbove {
  WordSpan values;
  std::uint32_t bound;
  std::size_t& differences;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    for (std::size_t i = 0; i + Words::width <= values.size(); ++i) {
      bool expected = false;
      for (int lane = 0; lane < Words::width; ++lane) {
        expected |= values[i + static_cast<std::size_t>(lane)] > bound;
      }
      differences += any_above(Words::load(values.data() + i), bound) != expected ? 1 : 0;
    }
  }
};

// Each lane must have the value of the lane `Distance` below it, or 0 if there is none.
template <int Distance>
struct CompareShifted {
  WordSpan values;
  std::size_t& differences;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    for (std::size_t i = 0; i + Words::width <= values.size(); ++i) {
      std::uint32_t shifted[Words::width];
      Words::load(values.data() + i).template shifted_up<Distance>().store(shifted);
      for (int lane = 0; lane < Words::width; ++lane) {
        bool const has_below = lane >= Distance;
        std::size_t const below = i + static_cast<std::size_t>(has_below ? lane - Distance : 0);
        differences += shifted[lane] != (has_below ? values[below] : 0) ? 1 : 0;
      }
    }
  }
};

// Each lane must have the value of the lane `Distance` above it, or 0 if there is none.
template <int Distance>
struct CompareShiftedDown {
  WordSpan values;
  std::size_t& differences;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    for (std::size_t i = 0; i + Words::width <= values.size(); ++i) {
      std::uint32_t shifted[Words::width];
      Words::load(values.data() + i).template shifted_down<Distance>().store(shifted);
      for (int lane = 0; lane < Words::width; ++lane) {
        bool const has_above = lane + Distance < Words::width;
        std::size_t const above = i + static_cast<std::size_t>(has_above ? lane + Distance : 0);
        differences += shifted[lane] != (has_above ? values[above] : 0) ? 1 : 0;
      }
    }
  }
};

struct CompareFirstLane {
  WordSpan values;
  std::size_t& differences;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    for (std::size_t i = 0; i + Words::width <= values.size(); ++i) {
      std::uint32_t first[Words::width];
      Words::load(values.data() + i).of_first_lane().store(first);
      for (std::uint32_t const word : first) differences += word != values[i] ? 1 : 0;
    }
  }
};

// A lane must keep its value if its word of `bits` is not 0, and become 0 otherwise. Of `bits`
// every second word is not 0, or all words are not 0.
struct CompareWhere {
  WordSpan values;
  std::size_t& differences;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    for (std::size_t i = 0; i + 2 * Words::width <= values.size(); ++i) {
      std::uint32_t bits[Words::width];
      std::uint32_t chosen[Words::width];
      for (std::size_t lane = 0; lane < Words::width; ++lane) {
        bits[lane] = (i + lane) % 2 == 0 || i % 5 == 0 ? values[i + Words::width + lane] : 0;
      }
      Words::load(values.data() + i).where(Words::load(bits)).store(chosen);
      for (std::size_t lane = 0; lane < Words::width; ++lane) {
        differences += chosen[lane] != (bits[lane] != 0 ? values[i + lane] : 0) ? 1 : 0;
      }
    }
  }
};

struct CompareLastLane {
  WordSpan values;
  std::size_t& differences;

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void call() const {
    for (std::size_t i = 0; i + Words::width <= values.size(); ++i) {
      std::uint32_t last[Words::width];
      Words::load(values.data() + i).of_last_lane().store(last);
      for (std::uint32_t const word : last) {
        differences += word != values[i + Words::width - 1] ? 1 : 0;
      }
    }
  }
};

// The Words of any processor, and the widest Words of this processor.
struct Narrow {
  template <class Body>
  static void call(Body const& body) {
    backend::call_with_narrow_words(body);
  }
  static int width() { return 4; }
};

struct Widest {
  template <class Body>
  static void call(Body const& body) {
    backend::call_with_words(body);
  }
  static int width() { return backend::widest_words(); }
};

template <class Caller>
class LaneWords : public ::testing::Test {};
using Callers = ::testing::Types<Narrow, Widest>;
TYPED_TEST_SUITE(LaneWords, Callers, riffle::test::TypeNames);

TYPED_TEST(LaneWords, HaveTheOperationsOfOneWord) {
  Values const values = words_to_try();
  for (int bits = 0; bits < 32; ++bits) {
    std::uint32_t const scalar = values[static_cast<std::size_t>(bits)];
    int width = 0;
    std::size_t differences = 0;
    TypeParam::call(CompareWithOneWord{values, scalar, bits, width, differences});
    EXPECT_EQ(width, TypeParam::width());
    EXPECT_EQ(differences, 0u) << "scalar " << scalar << ", " << bits << " bits";
  }
}

template <class Caller, int Distance>
std::size_t differences_of_shifted(Values const& values) {
  std::size_t differences = 0;
  Caller::call(CompareShifted<Distance>{values, differences});
  return differences;
}

// Also by the number of lanes and by more: then all lanes are 0.
TYPED_TEST(LaneWords, ShiftedUpLeavesZerosBelow) {
  // No word is 0 before the shift.
  Values values = words_to_try();
  for (auto& value : values) value |= 4;
  EXPECT_EQ((differences_of_shifted<TypeParam, 1>(values)), 0u);
  EXPECT_EQ((differences_of_shifted<TypeParam, 2>(values)), 0u);
  EXPECT_EQ((differences_of_shifted<TypeParam, 4>(values)), 0u);
  EXPECT_EQ((differences_of_shifted<TypeParam, 8>(values)), 0u);
}

template <class Caller, int Distance>
std::size_t differences_of_shifted_down(Values const& values) {
  std::size_t differences = 0;
  Caller::call(CompareShiftedDown<Distance>{values, differences});
  return differences;
}

TYPED_TEST(LaneWords, ShiftedDownLeavesZerosAbove) {
  Values values = words_to_try();
  for (auto& value : values) value |= 4;
  EXPECT_EQ((differences_of_shifted_down<TypeParam, 1>(values)), 0u);
  EXPECT_EQ((differences_of_shifted_down<TypeParam, 2>(values)), 0u);
  EXPECT_EQ((differences_of_shifted_down<TypeParam, 4>(values)), 0u);
  EXPECT_EQ((differences_of_shifted_down<TypeParam, 8>(values)), 0u);
}

TYPED_TEST(LaneWords, AllTakeTheValueOfTheFirst) {
  Values const values = words_to_try();
  std::size_t differences = 0;
  TypeParam::call(CompareFirstLane{values, differences});
  EXPECT_EQ(differences, 0u);
}

TYPED_TEST(LaneWords, WhereOthersAreNotZero) {
  Values const values = words_to_try();
  std::size_t differences = 0;
  TypeParam::call(CompareWhere{values, differences});
  EXPECT_EQ(differences, 0u);
}

TYPED_TEST(LaneWords, AllTakeTheValueOfTheLast) {
  Values const values = words_to_try();
  std::size_t differences = 0;
  TypeParam::call(CompareLastLane{values, differences});
  EXPECT_EQ(differences, 0u);
}

TYPED_TEST(LaneWords, IotaCountsUpAndAround) {
  for (std::uint32_t const first : {0u, 5u, 0xFFFFFFFDu}) {
    Values actual;
    TypeParam::call(FillIota{first, actual});
    ASSERT_EQ(actual.size(), static_cast<std::size_t>(TypeParam::width()));
    for (std::size_t lane = 0; lane < actual.size(); ++lane)
      EXPECT_EQ(actual[lane], first + static_cast<std::uint32_t>(lane));
  }
}

TYPED_TEST(LaneWords, AnyAboveIsTrueIfOneLaneIs) {
  Values values = words_to_try();
  for (std::uint32_t const bound : {0u, 1u, 0xFFFFu, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu, ~0u}) {
    std::size_t differences = 0;
    TypeParam::call(CountAbove{values, bound, differences});
    EXPECT_EQ(differences, 0u) << bound;
  }
  // A single lane is above the bound, at each position.
  Values one(64, 7);
  one[20] = 8;
  std::size_t differences = 0;
  TypeParam::call(CountAbove{one, 7, differences});
  EXPECT_EQ(differences, 0u);
}

TEST(LaneWordsOfThisProcessor, AreAsWideAsItsVectors) {
#if defined(__x86_64__) && defined(__GNUC__)
  bool const has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  EXPECT_EQ(backend::widest_words() == 16, has_avx512);
  EXPECT_EQ(backend::widest_words() >= 8, __builtin_cpu_supports("avx2") != 0);
#else
  EXPECT_EQ(backend::widest_words(), 4);
#endif
}

}  // namespace
}  // namespace words_test
