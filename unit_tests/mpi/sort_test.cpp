// Sorts over ranks are compared bit by bit with the results of one device and of the standard library.

#include <riffle/mpi.hpp>
#include <riffle/order.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/partitioned_data.hpp"
#include "mpi/sorts.hpp"

namespace riffle::test::mpi_sort_test {
namespace {

TEST(MpiSort, Doubles) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    for (auto const n : sizes()) expect_sorted<double>(comm, data, n);
    expect_sorted<double>(comm, data, many);
    expect_sorted<double>(comm, data, 777, Descending{});
  }
}

TEST(MpiSort, ByEveryTransfer) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_sorted<double>(comm, Data::special, 4001);
    expect_sorted_by_key<double>(comm, Data::special, 4001);
  }
}

TEST(MpiSort, ByAComparison) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    for (auto const n : few_sizes()) expect_sorted<Tagged>(comm, data, n, TaggedOrder{});
    expect_sorted<Tagged>(comm, data, many, TaggedOrder{Answers::descending});
  }
}

TEST(MpiSort, Keys) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const data : all_data) {
    for (auto const n : few_sizes()) expect_sorted_by_key<double>(comm, data, n);
    expect_sorted_by_key<double>(comm, data, many);
    expect_sorted_by_key<std::int32_t>(comm, data, 3000);
    expect_sorted_by_key<Tagged>(comm, data, 3000, TaggedOrder{});
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
  Kokkos::View<std::int32_t*, Kokkos::LayoutStride, Exec> const data(
      "data", Kokkos::LayoutStride(own.count, 3));
  for (std::uint64_t i = 0; i < own.count; ++i) {
    data(i) = static_cast<std::int32_t>(n - 1 - (own.first + i));
  }
  mpi::sort(Exec(), comm, data);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < own.count; ++i) {
    wrong += data(i) != static_cast<std::int32_t>(own.first + i);
  }
  EXPECT_EQ(wrong, 0u);
}

// --- comparisons that are not strict weak orderings ---

/// The bits of n doubles of every kind.
std::vector<Tagged> special_bits(std::uint64_t n) {
  std::vector<Tagged> values;
  for (double const x : make_values<double>(Data::special, n)) {
    values.push_back(std::bit_cast<Tagged>(x));
  }
  return values;
}

/// The bits of all ranks' values, sorted.
std::vector<std::uint64_t> bits_of_all_ranks(Array<Tagged> const& part, Counts const& counts) {
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

void expect_the_same_values(mpi::Communicator const& comm, std::uint64_t n,
                            TaggedOrder const& order) {
  auto const values = special_bits(n);
  auto const kinds = partitions(n, comm.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    Counts const& counts = kinds[k];
    Counts const& of_out = kinds[(k + 1) % kinds.size()];
    auto const data = part_of(values, counts, comm.rank());
    Array<Tagged> const out("out", of_out[static_cast<std::size_t>(comm.rank())]);
    auto const before = bits_of_all_ranks(data, counts);
    mpi::sort_copy(Exec(), comm, data, out, order);
    EXPECT_TRUE(bits_of_all_ranks(out, of_out) == before);
    mpi::sort(Exec(), comm, data, order);
    EXPECT_TRUE(bits_of_all_ranks(data, counts) == before);
    Array<std::uint64_t> const twins("twins", data.extent(0));
    for (std::uint64_t i = 0; i < data.extent(0); ++i) {
      twins(i) = std::bit_cast<std::uint64_t>(data(i));
    }
    mpi::sort_by_key(Exec(), comm, data, twins, order);
    EXPECT_TRUE(bits_of_all_ranks(data, counts) == before);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < data.extent(0); ++i) {
      wrong += twins(i) != std::bit_cast<std::uint64_t>(data(i));
    }
    EXPECT_EQ(wrong, 0u) << "keys lost their values";
  }
}

TEST(MpiSort, InvalidComparisonsKeepAllValues) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (std::uint64_t const n : {9, 1000, 30011}) {
    for (auto const answers : {Answers::as_doubles, Answers::always, Answers::hashed}) {
      expect_the_same_values(comm, n, {answers});
    }
  }
}

// Values are unspecified; but every rank returns, the number of values stays, and no element outside of the View is written.
TEST(MpiSort, RandomComparisonsStayInTheirViews) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  TaggedOrder::tosses = 1000u * static_cast<std::uint32_t>(comm.rank());
  TaggedOrder const coin{Answers::coin};
  constexpr std::size_t guards = 64;
  Tagged const guard{-7, 77};
  for (std::uint64_t const n : {9, 1000, 9001}) {
    auto const values = special_bits(n);
    for (auto const& counts : partitions(n, comm.size())) {
      auto const part = part_of(values, counts, comm.rank());
      std::size_t const own = part.extent(0);
      for (bool const has_payload : {false, true}) {
        Array<Tagged> const all("all", own + 2 * guards);
        Kokkos::deep_copy(all, guard);
        Array<Tagged> const view = Kokkos::subview(all, Kokkos::make_pair(guards, guards + own));
        std::copy(part.data(), part.data() + own, view.data());
        if (has_payload) {
          mpi::sort_by_key(Exec(), comm, view, Array<std::uint64_t>("payload", own), coin);
        } else {
          mpi::sort(Exec(), comm, view, coin);
        }
        for (std::size_t const first : {std::size_t{0}, guards + own}) {
          for (std::size_t i = first; i < first + guards; ++i) {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(all(i)), std::bit_cast<std::uint64_t>(guard));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace riffle::test::mpi_sort_test
