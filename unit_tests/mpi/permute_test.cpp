// Permutations over ranks against a loop of the host, and against the calls of one device, bit by bit.

#include <riffle/mpi.hpp>
#include <riffle/permute.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "mpi/ranks.hpp"

namespace riffle::test::mpi_permute_test {
namespace {

// --- permutations ---

using Indices = std::vector<std::uint64_t>;

enum class Kind { identity, reversal, rotation, bit_reversal, swapped_ranks, within_ranks, random };

constexpr Kind all_kinds[] = {Kind::identity,     Kind::reversal,      Kind::rotation,
                              Kind::bit_reversal, Kind::swapped_ranks, Kind::within_ranks,
                              Kind::random};

/// Numbers below a power of two with their bits reversed, of which those below n are kept, in this order.
Indices bits_reversed(std::uint64_t n) {
  Indices result;
  int bits = 0;
  while (std::uint64_t{1} << bits < n) ++bits;
  for (std::uint64_t i = 0; i < std::uint64_t{1} << bits; ++i) {
    std::uint64_t reversed = 0;
    for (int b = 0; b < bits; ++b) reversed |= (i >> b & 1) << (bits - 1 - b);
    if (reversed < n) result.push_back(reversed);
  }
  return result;
}

/// Of n rows in equal blocks: rotation by a block takes all rows of a rank to the next, a swap of the halves to the other
/// half's, and in the reversed blocks all rows stay on their ranks.
Indices permutation(Kind kind, std::uint64_t n, int ranks) {
  Indices p(n);
  std::iota(p.begin(), p.end(), std::uint64_t{0});
  std::uint64_t const block = n / static_cast<std::uint64_t>(ranks);
  switch (kind) {
    case Kind::reversal: return Indices(p.rbegin(), p.rend());
    case Kind::bit_reversal: return bits_reversed(n);
    case Kind::rotation:
      for (auto& place : p) place = (place + block) % n;
      return p;
    case Kind::swapped_ranks:
      for (auto& place : p) place = (place + n / 2) % n;
      return p;
    case Kind::within_ranks:
      for (int r = 0; r < ranks; ++r) {
        auto const own = mpi::block_of(n, r, ranks);
        for (std::uint64_t i = 0; i < own.count; ++i) {
          p[own.first + i] = own.first + own.count - 1 - i;
        }
      }
      return p;
    case Kind::random: {
      Array<std::uint64_t> const images("images", n);
      riffle::random_permutation(Exec(), images, 7 + n);
      return to_vector(images);
    }
    default: return p;
  }
}

// --- values ---

struct Twelve {
  std::uint32_t words[3];
};

struct Sixteen {
  double number;
  std::uint64_t bits;
};

struct Wide {
  std::array<std::uint32_t, 33> words;
};

template <class T>
T value_at(std::uint64_t i) {
  T value;
  std::array<unsigned char, sizeof(T)> bytes;
  for (std::size_t b = 0; b < sizeof(T); ++b) {
    bytes[b] = static_cast<unsigned char>((i * 40503 + 977 * b * (i + 1)) >> (b % 4 * 2));
  }
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <>
double value_at<double>(std::uint64_t i) {
  return static_cast<double>(i) / 3 - 100;
}

template <class T>
std::vector<T> values(std::uint64_t n) {
  std::vector<T> result;
  for (std::uint64_t i = 0; i < n; ++i) result.push_back(value_at<T>(i));
  return result;
}

/// What was in row i comes to row p(i), or the other way.
template <class T>
std::vector<T> permuted(std::vector<T> const& all, Indices const& p, bool is_inverse) {
  std::vector<T> result(all.size());
  for (std::uint64_t i = 0; i < p.size(); ++i) {
    if (is_inverse) {
      result[i] = all[p[i]];
    } else {
      result[p[i]] = all[i];
    }
  }
  return result;
}

template <class T>
bool same_bits(Array<T> const& view, std::vector<T> const& part) {
  return view.extent(0) == part.size() &&
         (part.empty() || std::memcmp(view.data(), part.data(), part.size() * sizeof(T)) == 0);
}

template <class T>
Array<T> rows_of(Counts const& counts, int rank) {
  return Array<T>("rows", counts[static_cast<std::size_t>(rank)]);
}

/// All ranks' rows by the plan and back.
template <class T>
void expect_moved(mpi::Communicator const& comm, mpi::PlannedPermutation<Exec> const& plan,
                  Indices const& p, Counts const& of_in, Counts const& of_out) {
  Exec const exec;
  auto const all = values<T>(p.size());
  auto const in = part_of(all, of_in, comm.rank());
  auto const out = rows_of<T>(of_out, comm.rank());
  plan(exec, comm, in, out);
  exec.fence();
  auto const expected = permuted(all, p, false);
  EXPECT_TRUE(same_bits(out, expected_part(expected, of_out, comm.rank())));
  EXPECT_TRUE(same_bits(in, expected_part(all, of_in, comm.rank()))) << "in has changed";
  auto const back = rows_of<T>(of_in, comm.rank());
  auto const whole = part_of(all, of_out, comm.rank());
  mpi::permute(exec, comm, whole, plan.inverse(), back);
  exec.fence();
  EXPECT_TRUE(same_bits(back, expected_part(permuted(all, p, true), of_in, comm.rank())))
      << "the inverse";
}

/// One plan for each partition, applied to several types.
template <class Index>
void expect_plans(mpi::Communicator const& comm, Kind kind, std::uint64_t n) {
  Exec const exec;
  auto const p = permutation(kind, n, comm.size());
  auto kinds = partitions(n, comm.size());
  kinds.push_back(kinds.front());  // so that both ends have equal blocks once
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", permutation " +
                 std::to_string(static_cast<int>(kind)) + ", partition " + std::to_string(k));
    Counts const& of_in = kinds[k];
    Counts const& of_out = kinds[(k + 1) % kinds.size()];
    std::vector<Index> const indices(p.begin(), p.end());
    auto const own = part_of(indices, of_in, comm.rank());
    mpi::PlannedPermutation const plan(exec, comm, own,
                                       of_out[static_cast<std::size_t>(comm.rank())]);
    EXPECT_EQ(plan.size(), n);
    EXPECT_EQ(plan.in_rows(), own.extent(0));
    EXPECT_EQ(plan.inverse().in_rows(), plan.out_rows());
    expect_moved<double>(comm, plan, p, of_in, of_out);
    expect_moved<Twelve>(comm, plan, p, of_in, of_out);
    expect_moved<std::uint8_t>(comm, plan, p, of_in, of_out);
    expect_moved<double>(comm, plan, p, of_in, of_out);
  }
}

std::vector<std::uint64_t> sizes() { return {0, 1, 2, 3, 7, 16, 100, 1023}; }

TEST(MpiPermute, EveryKindOfPermutation) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  for (auto const kind : all_kinds) {
    for (auto const n : sizes()) expect_plans<std::int32_t>(comm, kind, n);
    expect_plans<std::uint64_t>(comm, kind, 40007);
  }
}

TEST(MpiPermute, ByEveryTransfer) {
  for (auto const& options : all_transfers()) {
    mpi::Communicator const comm(MPI_COMM_WORLD, options);
    expect_plans<std::int64_t>(comm, Kind::random, 3001);
    expect_plans<std::uint16_t>(comm, Kind::rotation, 999);
  }
}

TEST(MpiPermute, ValuesOfEverySize) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 2011;
  auto const p = permutation(Kind::random, n, comm.size());
  Counts const blocks = partitions(n, comm.size()).front();
  mpi::PlannedPermutation const plan(Exec(), comm, part_of(p, blocks, comm.rank()));
  expect_moved<std::uint8_t>(comm, plan, p, blocks, blocks);
  expect_moved<std::uint16_t>(comm, plan, p, blocks, blocks);
  expect_moved<float>(comm, plan, p, blocks, blocks);
  expect_moved<Twelve>(comm, plan, p, blocks, blocks);
  expect_moved<Sixteen>(comm, plan, p, blocks, blocks);
  expect_moved<Wide>(comm, plan, p, blocks, blocks);
}

TEST(MpiPermute, AsOnOneDevice) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 30011;
  auto const p = permutation(Kind::random, n, comm.size());
  auto const all = values<double>(n);
  Exec const exec;
  Array<double> const whole("whole", n);
  Array<std::uint64_t> const indices("p", n);
  for (std::uint64_t i = 0; i < n; ++i) {
    whole(i) = all[i];
    indices(i) = p[i];
  }
  Array<double> const expected("expected", n);
  riffle::permute(exec, whole, indices, expected);
  exec.fence();
  for (auto const& counts : partitions(n, comm.size())) {
    auto const in = part_of(all, counts, comm.rank());
    auto const own = part_of(p, counts, comm.rank());
    auto const out = rows_of<double>(counts, comm.rank());
    mpi::permute(exec, comm, in, own, out);
    exec.fence();
    EXPECT_TRUE(same_bits(out, expected_part(to_vector(expected), counts, comm.rank())));
  }
}

TEST(MpiPermute, TwoPlansAtOnceManyTimes) {
  mpi::Communicator const comm(MPI_COMM_WORLD, transfers(mpi::Transport::staged, 900));
  std::uint64_t const n = 1000;
  auto const kinds = partitions(n, comm.size());
  Counts const& one = kinds.front();
  Counts const& other = kinds.back();
  auto const p = permutation(Kind::random, n, comm.size());
  auto const q = permutation(Kind::bit_reversal, n, comm.size());
  auto const rank = static_cast<std::size_t>(comm.rank());
  mpi::PlannedPermutation const there(Exec(), comm, part_of(p, one, comm.rank()), other[rank]);
  mpi::PlannedPermutation const back(Exec(), comm, part_of(q, other, comm.rank()), one[rank]);
  auto all = values<double>(n);
  auto const in = part_of(all, one, comm.rank());
  auto const out = rows_of<double>(other, comm.rank());
  Exec const exec;
  Workspace<Exec> workspace(exec);
  Context<Exec> const context(exec, workspace);
  for (int k = 0; k < 10; ++k) {
    there(context, comm, in, out);
    back(context, comm, out, in);
    all = permuted(permuted(all, p, false), q, false);
  }
  exec.fence();
  EXPECT_TRUE(same_bits(in, expected_part(all, one, comm.rank())));
}

/// How many allocations have been made while it lives.
class AllocationCount {
 public:
  AllocationCount() {
    count_ = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const*, void const*, std::uint64_t) { ++count_; });
  }
  ~AllocationCount() { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }
  AllocationCount(AllocationCount const&) = delete;
  AllocationCount& operator=(AllocationCount const&) = delete;
  int value() const { return count_; }

 private:
  static inline int count_ = 0;
};

TEST(MpiPermute, NoCallButTheFirstAllocates) {
  for (auto const transport : {mpi::Transport::direct, mpi::Transport::staged}) {
    mpi::Communicator const comm(MPI_COMM_WORLD, transfers(transport, 1 << 16));
    std::uint64_t const n = 5000;
    auto const p = permutation(Kind::random, n, comm.size());
    Counts const blocks = partitions(n, comm.size()).front();
    mpi::PlannedPermutation const plan(Exec(), comm, part_of(p, blocks, comm.rank()));
    auto const in = part_of(values<double>(n), blocks, comm.rank());
    auto const narrow = part_of(values<float>(n), blocks, comm.rank());
    auto const out = rows_of<double>(blocks, comm.rank());
    auto const out_narrow = rows_of<float>(blocks, comm.rank());
    Exec const exec;
    Workspace<Exec> workspace(exec);
    Context<Exec> const context(exec, workspace);
    plan(context, comm, in, out);
    AllocationCount const allocations;
    plan(context, comm, in, out);
    plan(context, comm, pack(narrow, in), pack(out_narrow, out));
    EXPECT_EQ(allocations.value(), 0);
  }
}

// --- rows and packs ---

template <class Layout, class OutLayout>
void expect_rows(mpi::Communicator const& comm, std::uint64_t columns) {
  std::uint64_t const n = 613;
  auto const p = permutation(Kind::random, n, comm.size());
  auto const kinds = partitions(n, comm.size());
  Counts const& of_in = kinds.back();
  Counts const& of_out = kinds.front();
  auto const rank = static_cast<std::size_t>(comm.rank());
  std::uint64_t const first = begin_of(of_in, comm.rank());
  std::uint64_t const first_out = begin_of(of_out, comm.rank());
  Kokkos::View<float**, Layout, Exec> const in("in", of_in[rank], columns);
  Kokkos::View<double**, OutLayout, Exec> const out("out", of_out[rank], columns);
  Array<std::int32_t> const tags("tags", of_in[rank]);
  Kokkos::View<std::int32_t*, Kokkos::LayoutStride, Exec> const out_tags(
      "tags", Kokkos::LayoutStride(of_out[rank], 3));
  auto const number = [](std::uint64_t row, std::uint64_t c) {
    return static_cast<float>(row * 8 + c);
  };
  for (std::uint64_t i = 0; i < of_in[rank]; ++i) {
    tags(i) = static_cast<std::int32_t>(first + i);
    for (std::uint64_t c = 0; c < columns; ++c) in(i, c) = number(first + i, c);
  }
  mpi::PlannedPermutation const plan(Exec(), comm, part_of(p, of_in, comm.rank()), of_out[rank]);
  plan(Exec(), comm, pack(in, tags), pack(out, out_tags));
  Exec().fence();
  auto const sources = permuted(permutation(Kind::identity, n, comm.size()), p, false);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < of_out[rank]; ++i) {
    std::uint64_t const from = sources[first_out + i];
    wrong += out_tags(i) != static_cast<std::int32_t>(from);
    for (std::uint64_t c = 0; c < columns; ++c) {
      wrong += out(i, c) != static_cast<double>(number(from, c));
    }
  }
  EXPECT_EQ(wrong, 0u) << columns << " columns";
}

TEST(MpiPermute, RowsAndPacks) {
  mpi::Communicator const comm(MPI_COMM_WORLD, transfers(mpi::Transport::automatic, 3000));
  for (std::uint64_t const columns : {0, 1, 3, 8}) {
    expect_rows<Kokkos::LayoutLeft, Kokkos::LayoutRight>(comm, columns);
    expect_rows<Kokkos::LayoutRight, Kokkos::LayoutLeft>(comm, columns);
    expect_rows<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(comm, columns);
  }
}

// --- in 64 bits, where ranks have few rows ---

TEST(MpiPermute, SlotsOf64Bits) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 4001;
  Exec const exec;
  detail::Call const context(exec, "test");
  detail::mpi::RankCall<Exec> const call{"test", context, comm};
  auto const p = permutation(Kind::random, n, comm.size());
  auto const all = values<double>(n);
  auto const kinds = partitions(n, comm.size());
  Counts const& of_in = kinds.front();
  Counts const& of_out = kinds.back();
  detail::mpi::Partition const input(of_in);
  detail::mpi::Partition const output(of_out);
  auto const plan = detail::mpi::make_plan(call, input, output, part_of(p, of_in, comm.rank()), 10);
  using Ends = detail::mpi::PlanEnds<Exec, std::uint64_t>;
  auto const in = part_of(all, of_in, comm.rank());
  auto const out = rows_of<double>(of_out, comm.rank());
  detail::Scope scope(context);
  detail::mpi::Stages stages;
  std::visit(
      [&](auto const& ends) {
        std::uint64_t const rows = std::max(in.extent(0), out.extent(0));
        EXPECT_EQ((std::is_same_v<std::decay_t<decltype(ends)>, Ends>), rows > 10);
        using Moves = detail::mpi::RowMoves<Exec, typename std::decay_t<decltype(ends)>::Index>;
        Moves const moves(comm, scope, ends, detail::mpi::Direction::forward, out, stages);
        moves.run(context, in, out);
      },
      plan);
  exec.fence();
  EXPECT_TRUE(same_bits(out, expected_part(permuted(all, p, false), of_out, comm.rank())));
}

}  // namespace
}  // namespace riffle::test::mpi_permute_test
