// Sorts over ranks against those of one device, and against the standard library's, bit by bit.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/key_value.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/ranks.hpp"

namespace riffle::test::mpi_sort_test {
namespace {

// --- data ---

enum class Data {
  random,
  few_values,
  equal,
  ascending,
  descending,
  in_turn,
  first_is_last,
  special
};

constexpr Data all_data[] = {Data::random,        Data::few_values, Data::equal,
                             Data::ascending,     Data::descending, Data::in_turn,
                             Data::first_is_last, Data::special};

/// Numbers as they are, of n that have this shape.
std::uint64_t number_at(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
  switch (data) {
    case Data::few_values: return random % 3;
    case Data::equal: return 7;
    case Data::ascending: return i / 2;
    case Data::descending: return (n - i) / 2;
    case Data::in_turn: return i % 8 * (n / 8 + 1) + i / 8;
    case Data::first_is_last: return i < n / 3 ? n + random % 5 : i / 4;
    default: return random;
  }
}

/// NaNs with several bits, both zeros, infinities, and numbers.
template <class T>
T special_at(std::uint64_t random) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  Bits const nan = std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN());
  Bits const sign = Bits{1} << (8 * sizeof(T) - 1);
  switch (random % 8) {
    case 0: return std::bit_cast<T>(static_cast<Bits>(nan | (random >> 8 & 0xFF)));
    case 1: return std::bit_cast<T>(static_cast<Bits>(nan | sign | (random >> 8 & 0xFF)));
    case 2: return T{0};
    case 3: return -T{0};
    case 4: return std::numeric_limits<T>::infinity();
    case 5: return -std::numeric_limits<T>::infinity();
    case 6: return std::numeric_limits<T>::denorm_min();
    default: return static_cast<T>(static_cast<double>(random % 1000) - 500);
  }
}

template <class T>
struct MakeValue {
  static T from(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
    if constexpr (std::is_floating_point_v<T>) {
      if (data == Data::special) return special_at<T>(random);
      double const number = static_cast<double>(number_at(data, i, n, random));
      return static_cast<T>(data == Data::random ? std::sin(number) : number);
    } else {
      return static_cast<T>(number_at(data, i, n, random));
    }
  }
};

using Tagged = KeyValue<std::int32_t, std::uint32_t>;

template <>
struct MakeValue<Tagged> {
  static Tagged from(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
    return {static_cast<std::int32_t>(number_at(data, i, n, random) % 1000),
            static_cast<std::uint32_t>(i)};
  }
};

/// So large that few samples go in a round.
struct Wide {
  std::uint32_t key;
  std::array<std::uint32_t, 127> rest;
};

struct ByWideKey {
  KOKKOS_FUNCTION bool operator()(Wide const& a, Wide const& b) const { return a.key < b.key; }
};

template <>
struct MakeValue<Wide> {
  static Wide from(Data data, std::uint64_t i, std::uint64_t n, std::uint64_t random) {
    Wide wide{static_cast<std::uint32_t>(number_at(data, i, n, random) % 5000), {}};
    wide.rest.fill(static_cast<std::uint32_t>(i));
    return wide;
  }
};

template <class T>
std::vector<T> make_values(Data data, std::uint64_t n) {
  std::mt19937_64 generator(n + static_cast<std::uint64_t>(data));
  std::vector<T> values;
  for (std::uint64_t i = 0; i < n; ++i) {
    values.push_back(MakeValue<T>::from(data, i, n, generator()));
  }
  return values;
}

// --- oracles ---

/// Whether a is before b, in this test's own words.
template <class Order, class T>
bool comes_before(Order const& order, T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return order(a, b);
}

template <class T, class Order>
std::vector<std::uint64_t> stable_order(std::vector<T> const& values, Order const& order) {
  std::vector<std::uint64_t> indices(values.size());
  for (std::uint64_t i = 0; i < indices.size(); ++i) indices[i] = i;
  std::stable_sort(indices.begin(), indices.end(), [&](std::uint64_t a, std::uint64_t b) {
    return comes_before(order, values[a], values[b]);
  });
  return indices;
}

template <class T>
std::vector<T> gathered(std::vector<T> const& values, std::vector<std::uint64_t> const& indices) {
  std::vector<T> result;
  for (auto const i : indices) result.push_back(values[i]);
  return result;
}

// A list of bool is no array.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
Array<T> array_of(std::vector<Stored<T>> const& values, std::uint64_t begin, std::uint64_t count) {
  Array<T> const array("array", count);
  for (std::uint64_t i = 0; i < count; ++i) array(i) = static_cast<T>(values[begin + i]);
  return array;
}

/// Whether an array holds the bits of `all` from `begin` on.
template <class T>
bool same_bits(Array<T> const& array, Array<T> const& all, std::uint64_t begin) {
  return array.extent(0) == 0 ||
         std::memcmp(array.data(), all.data() + begin, array.extent(0) * sizeof(T)) == 0;
}

/// All calls that sort values, for one shape of data and all partitions.
template <class T, class Order = Ascending>
void expect_sorted(mpi::Communicator const& comm, Data data, std::uint64_t n,
                   Order const& order = {}) {
  Exec const exec;
  using S = Stored<T>;
  std::vector<S> values = make_values<S>(data, n);
  if constexpr (std::is_same_v<T, bool>) {
    for (auto& value : values) value %= 2;
  }
  auto const whole = array_of<T>(values, 0, n);
  auto const expected = array_of<T>(gathered(values, stable_order(values, order)), 0, n);
  auto const of_one_device = array_of<T>(values, 0, n);
  riffle::sort(exec, of_one_device, order);
  EXPECT_TRUE(same_bits(of_one_device, expected, 0)) << "on one device";
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", data " + std::to_string(static_cast<int>(data)) +
                 ", partition " + std::to_string(k));
    Counts const& of_in = kinds[k];
    Counts const& of_out = kinds[(k + 1) % kinds.size()];
    auto const rank = static_cast<std::size_t>(comm.rank());
    std::uint64_t const begin = begin_of(of_in, comm.rank());
    auto const in = array_of<T>(values, begin, of_in[rank]);
    Array<T> const out("out", of_out[rank]);
    mpi::sort_copy(exec, comm, in, out, order);
    EXPECT_TRUE(same_bits(out, expected, begin_of(of_out, comm.rank())));
    EXPECT_TRUE(same_bits(in, whole, begin)) << "in has changed";
    mpi::sort(exec, comm, in, order);
    EXPECT_TRUE(same_bits(in, expected, begin)) << "in place";
  }
}

/// Keys, each with where it was.
template <class T, class Order = Ascending>
void expect_sorted_by_key(mpi::Communicator const& comm, Data data, std::uint64_t n,
                          Order const& order = {}) {
  Exec const exec;
  auto const values = make_values<T>(data, n);
  auto const indices = stable_order(values, order);
  auto const expected = array_of<T>(gathered(values, indices), 0, n);
  auto const keys_of_one = array_of<T>(values, 0, n);
  Array<std::uint64_t> const places_of_one("places", n);
  for (std::uint64_t i = 0; i < n; ++i) places_of_one(i) = i;
  riffle::sort_by_key(exec, keys_of_one, places_of_one, order);
  EXPECT_TRUE(same_bits(keys_of_one, expected, 0)) << "on one device";
  EXPECT_TRUE(to_vector(places_of_one) == indices) << "on one device";
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", data " + std::to_string(static_cast<int>(data)) +
                 ", partition " + std::to_string(k));
    std::uint64_t const begin = begin_of(kinds[k], comm.rank());
    std::uint64_t const count = kinds[k][static_cast<std::size_t>(comm.rank())];
    auto const keys = array_of<T>(values, begin, count);
    Array<std::uint64_t> const places("places", count);
    for (std::uint64_t i = 0; i < count; ++i) places(i) = begin + i;
    mpi::sort_by_key(exec, comm, keys, places, order);
    EXPECT_TRUE(same_bits(keys, expected, begin));
    EXPECT_TRUE(to_vector(places) == expected_part(indices, kinds[k], comm.rank()));
  }
}

std::vector<std::uint64_t> sizes() { return {0, 1, 2, 3, 7, 20, 1000, 5003}; }

// Enough for several rounds of samples.
constexpr std::uint64_t many = 60001;

TEST(MpiSort, Doubles) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    for (auto const n : sizes()) expect_sorted<double>(comm, data, n);
    expect_sorted<double>(comm, data, many);
    expect_sorted<double>(comm, data, 777, Descending{});
  }
}

TEST(MpiSort, OtherNumbers) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    expect_sorted<float>(comm, data, 3001);
    expect_sorted<float>(comm, data, 3001, Descending{});
    expect_sorted<std::int8_t>(comm, data, 2000);
    expect_sorted<std::uint16_t>(comm, data, 2000, Descending{});
    expect_sorted<std::int32_t>(comm, data, many);
    expect_sorted<std::uint64_t>(comm, data, 2001);
    expect_sorted<bool>(comm, data, 500);
  }
}

TEST(MpiSort, ByEveryTransfer) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_sorted<double>(comm, Data::special, 4001);
    expect_sorted_by_key<float>(comm, Data::special, 4001);
  }
}

TEST(MpiSort, ByAComparison) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    for (auto const n : sizes()) expect_sorted<Tagged>(comm, data, n, ByKey<>{});
    expect_sorted<Tagged>(comm, data, many, ByKey<Descending>{});
  }
}

TEST(MpiSort, OfWideValuesByManyRoundsOfFewSamples) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : {Data::random, Data::few_values, Data::descending}) {
    expect_sorted<Wide>(comm, data, 12007, ByWideKey{});
  }
}

TEST(MpiSort, Keys) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    for (auto const n : sizes()) expect_sorted_by_key<double>(comm, data, n);
    expect_sorted_by_key<double>(comm, data, many, Descending{});
    expect_sorted_by_key<std::int32_t>(comm, data, 3000);
    expect_sorted_by_key<Tagged>(comm, data, 3000, ByKey<>{});
  }
}

TEST(MpiSort, KeysWithRowsAndPacks) {
  Exec const exec;
  mpi::Communicator const comm(MPI_COMM_WORLD, transfers(mpi::Transport::automatic, 5000));
  std::uint64_t const n = 4321;
  auto const values = make_values<std::int32_t>(Data::first_is_last, n);
  auto const indices = stable_order(values, Ascending{});
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Kokkos::View<std::int32_t*, Kokkos::LayoutStride, Exec> const keys(
      "keys", Kokkos::LayoutStride(own.count, 2));
  Kokkos::View<double**, Kokkos::LayoutLeft, Exec> const rows("rows", own.count, 3);
  Kokkos::View<float**, Kokkos::LayoutRight, Exec> const none("none", own.count, 0);
  Array<std::uint16_t> const narrow("narrow", own.count);
  for (std::uint64_t i = 0; i < own.count; ++i) {
    keys(i) = values[own.first + i];
    narrow(i) = static_cast<std::uint16_t>(own.first + i);
    for (std::uint64_t c = 0; c < 3; ++c) rows(i, c) = static_cast<double>(own.first + i + c);
  }
  mpi::sort_by_key(exec, comm, keys, pack(narrow, rows, none));
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) {
    std::uint64_t const from = indices[own.first + i];
    wrong += keys(i) != values[from];
    wrong += narrow(i) != static_cast<std::uint16_t>(from);
    for (std::uint64_t c = 0; c < 3; ++c) wrong += rows(i, c) != static_cast<double>(from + c);
  }
  EXPECT_EQ(wrong, 0u);
}

TEST(MpiSort, OfViewsWithStrides) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 3000;
  auto const own = mpi::block_of(n, comm.rank(), comm.size());
  Kokkos::View<std::uint64_t*, Kokkos::LayoutStride, Exec> const data(
      "data", Kokkos::LayoutStride(own.count, 3));
  for (std::uint64_t i = 0; i < own.count; ++i) data(i) = n - 1 - (own.first + i);
  mpi::sort(Exec(), comm, data);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) wrong += data(i) != own.first + i;
  EXPECT_EQ(wrong, 0u);
}

// --- comparisons that are no order ---

struct PlainLess {
  KOKKOS_FUNCTION bool operator()(double a, double b) const { return a < b; }
};

struct Always {
  KOKKOS_FUNCTION bool operator()(double, double) const { return true; }
};

struct Hashed {
  KOKKOS_FUNCTION bool operator()(double a, double b) const {
    return ((Kokkos::bit_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15u ^
             Kokkos::bit_cast<std::uint64_t>(b) * 0xD1B54A32D192ED03u) >>
                17 &
            1) != 0;
  }
};

/// The bits of all ranks' values, in the order of numbers.
std::vector<std::uint64_t> bits_of_all_ranks(Array<double> const& part, Counts const& counts) {
  std::vector<int> lengths;
  std::vector<int> begins;
  std::uint64_t n = 0;
  for (auto const count : counts) {
    lengths.push_back(static_cast<int>(count));
    begins.push_back(static_cast<int>(n));
    n += count;
  }
  std::vector<std::uint64_t> all(n);
  MPI_Allgatherv(part.data(), static_cast<int>(part.extent(0)), MPI_UINT64_T, all.data(),
                 lengths.data(), begins.data(), MPI_UINT64_T, MPI_COMM_WORLD);
  std::sort(all.begin(), all.end());
  return all;
}

template <class Order>
void expect_the_same_values(mpi::Communicator const& comm, std::uint64_t n) {
  auto const values = make_values<double>(Data::special, n);
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    Counts const& counts = kinds[k];
    Counts const& of_out = kinds[(k + 1) % kinds.size()];
    auto const data = part_of(values, counts, comm.rank());
    Array<double> const out("out", of_out[static_cast<std::size_t>(comm.rank())]);
    auto const before = bits_of_all_ranks(data, counts);
    mpi::sort_copy(Exec(), comm, data, out, Order{});
    EXPECT_TRUE(bits_of_all_ranks(out, of_out) == before);
    mpi::sort(Exec(), comm, data, Order{});
    EXPECT_TRUE(bits_of_all_ranks(data, counts) == before);
    Array<std::uint64_t> const twins("twins", data.extent(0));
    for (std::uint64_t i = 0; i < data.extent(0); ++i) {
      twins(i) = std::bit_cast<std::uint64_t>(data(i));
    }
    mpi::sort_by_key(Exec(), comm, data, twins, Order{});
    EXPECT_TRUE(bits_of_all_ranks(data, counts) == before);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < data.extent(0); ++i) {
      wrong += twins(i) != std::bit_cast<std::uint64_t>(data(i));
    }
    EXPECT_EQ(wrong, 0u) << "keys lost their values";
  }
}

TEST(MpiSort, ComparisonsThatAreNoOrderKeepAllValues) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint64_t const n : {9, 1000, 30011}) {
    expect_the_same_values<PlainLess>(comm, n);
    expect_the_same_values<Always>(comm, n);
    expect_the_same_values<Hashed>(comm, n);
  }
}

// --- the search for a cut, without ranks ---

using SortedRun = std::vector<int>;

/// How many elements of each run are among the first `target` of all.
Counts cut_of(std::vector<SortedRun> const& runs, std::uint64_t target) {
  std::vector<std::pair<int, std::size_t>> all;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (int const key : runs[r]) all.emplace_back(key, r);
  }
  std::sort(all.begin(), all.end());
  Counts counts(runs.size(), 0);
  for (std::uint64_t i = 0; i < target; ++i) ++counts[all[i].second];
  return counts;
}

/// The order of samples.
std::vector<std::uint32_t> order_of(std::vector<SortedRun> const& runs,
                                    std::vector<detail::mpi::BracketSamples> const& samples) {
  std::vector<int> keys;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::uint64_t k = 0; k < samples[r].count(); ++k) {
      keys.push_back(runs[r][samples[r].place(k)]);
    }
  }
  std::vector<std::uint32_t> order;
  for (auto const i : stable_order(keys, Ascending{}))
    order.push_back(static_cast<std::uint32_t>(i));
  return order;
}

void expect_cut(std::vector<SortedRun> const& runs, std::uint64_t target, std::uint64_t most) {
  std::vector<detail::mpi::Bracket> brackets;
  for (auto const& run : runs) brackets.push_back({0, run.size()});
  detail::mpi::CutSearch search(target, brackets);
  while (search.doubtful() > 0) {
    std::uint64_t const doubtful = search.doubtful();
    auto const samples = search.samples(most);
    ASSERT_TRUE(search.narrow(samples, order_of(runs, samples)));
    // What brackets.hpp promises of each round.
    ASSERT_LE(search.doubtful(), 4 * doubtful / most + 2);
  }
  Counts found;
  for (auto const& bracket : search.brackets()) found.push_back(bracket.low);
  EXPECT_EQ(found, cut_of(runs, target)) << "target = " << target;
}

TEST(MpiCuts, AreExactForRunsOfAnyKind) {
  std::mt19937 generator(24);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<SortedRun> runs(1 + generator() % 9);
    int const values = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 50 : 1000000;
    std::uint64_t n = 0;
    for (auto& run : runs) {
      run.resize(generator() % 4 == 0 ? generator() % 5 : generator() % 3000);
      int const shift = static_cast<int>(generator() % 3) * values / 2;
      for (int& key : run) key = shift + static_cast<int>(generator()) % values;
      std::sort(run.begin(), run.end());
      n += run.size();
    }
    for (std::uint64_t const target : {std::uint64_t{0}, n / 7, n / 2, n - n / 5, n}) {
      expect_cut(runs, target, 16);
      expect_cut(runs, target, 100);
    }
  }
}

TEST(MpiCuts, AreNoneWhereThoseOfOneRankAreOutOfOrder) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  int const ranks = comm.size();
  auto const partition = detail::mpi::Partition(Counts(static_cast<std::size_t>(ranks), 5));
  // Each rank has five elements, of which it sends all to rank 0, or keeps them where there are no cuts.
  for (int guilty = 0; guilty <= ranks; ++guilty) {
    Counts places(static_cast<std::size_t>(ranks), 5);
    places[0] = comm.rank() == guilty ? 6 : 0;
    auto const shares = detail::mpi::shares_between(comm, places, partition, partition);
    bool const has_cuts = guilty == ranks;
    for (int r = 0; r < ranks; ++r) {
      bool const is_kept = r == comm.rank();
      EXPECT_EQ(shares.sent[r], (has_cuts ? r == 0 : is_kept) ? 5u : 0u);
      EXPECT_EQ(shares.received[r], (has_cuts ? comm.rank() == 0 : is_kept) ? 5u : 0u);
    }
  }
}

TEST(MpiCuts, RefuseSamplesOutOfOrder) {
  detail::mpi::CutSearch search(3, {{0, 4}, {0, 2}});
  auto const samples = search.samples(16);
  EXPECT_FALSE(search.narrow(samples, std::vector<std::uint32_t>{1, 0, 2, 3, 4, 5}));
  EXPECT_EQ(search.doubtful(), 6u) << "nothing is known";
  EXPECT_TRUE(search.narrow(samples, std::vector<std::uint32_t>{0, 4, 1, 5, 2, 3}));
  EXPECT_EQ(search.brackets()[0].low, 2u);
  EXPECT_EQ(search.brackets()[1].low, 1u);
  EXPECT_EQ(search.doubtful(), 0u);
}

}  // namespace
}  // namespace riffle::test::mpi_sort_test
