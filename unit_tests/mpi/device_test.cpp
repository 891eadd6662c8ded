// The calls over ranks on the default device, by every transport that it has: bit by bit what one call gives on the host
// for the data of all ranks. Where the device is the host, this asks again what other tests ask.

#include <riffle/monte_carlo.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi.hpp>
#include <riffle/permute.hpp>
#include <riffle/rank.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "mpi/nccl_ranks.hpp"
#include "mpi/ranks.hpp"

namespace riffle::test::mpi_device_test {
namespace {

using Device = Kokkos::DefaultExecutionSpace;
template <class T>
using OnDevice = Kokkos::View<T*, Device>;

constexpr std::uint64_t seed = 20;
constexpr bool is_host = std::is_same_v<Device, Exec>;
/// At the edges of tiles and of the shuffle in buckets, which begins at 2^23.
constexpr std::uint64_t sizes[] = {0, 1, 3, 1000, 100003, (1u << 18) + 1, (1u << 23) + 5};

/// use(name, communicator) for all transports.
template <class Use>
void for_each_transport(Use const& use) {
  int number = 0;
  for (auto const& options : all_transfers()) {
    bool const is_direct = options.transport == mpi::Transport::direct;
    // The addresses of a GPU are nothing to an MPI that is not made for them.
    if (is_direct && !is_host) continue;
    // Pieces of some hundred bytes are for small arrays.
    auto own = options;
    own.max_round_bytes = std::max<std::size_t>(own.max_round_bytes, 1 << 20);
    use("transport " + std::to_string(number++), mpi::Communicator(MPI_COMM_WORLD, own));
  }
#if defined(RIFFLE_ENABLE_NCCL)
  NcclRanks const ranks;
  if (ranks.comm() == nullptr) return;
  mpi::TransferOptions options;
  options.transport = mpi::Transport::nccl;
  options.nccl = ranks.comm();
  use("NCCL", mpi::Communicator(MPI_COMM_WORLD, options));
#endif
}

/// test(n, counts, communicator) for all sizes, partitions and transports.
template <class Test>
void for_each_case(Test const& test) {
  for_each_transport([&](std::string const& name, mpi::Communicator const& comm) {
    for (std::uint64_t const n : sizes) {
      for (auto const& counts : partitions(n, comm.size())) {
        SCOPED_TRACE(std::to_string(n) + " elements, " + name);
        // Of the largest one partition, on another device than the host alone.
        if (n > 1 << 20 && (is_host || counts != partitions(n, comm.size()).front())) continue;
        test(n, counts, comm);
      }
    }
  });
}

template <class T>
std::vector<T> numbers(std::uint64_t n) {
  std::mt19937_64 generator(n);
  std::vector<T> all(n);
  for (T& x : all) x = static_cast<T>(static_cast<double>(generator() % 1000) / 8 - 60);
  return all;
}

template <class T>
OnDevice<T> on_device(std::vector<T> const& all, Counts const& counts, int rank) {
  OnDevice<T> const view("part", counts[static_cast<std::size_t>(rank)]);
  Kokkos::deep_copy(view, part_of(all, counts, rank));
  return view;
}

template <class T>
std::vector<T> to_host(OnDevice<T> const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<T>(host.data(), host.data() + host.extent(0));
}

/// What all ranks' data are in one place, and what `call` makes of them there.
template <class Result, class T, class Call>
std::vector<Result> found_on_host(std::vector<T> const& all, Call const& call) {
  Array<T> const in("in", all.size());
  Array<Result> const out("out", all.size());
  std::copy(all.begin(), all.end(), in.data());
  call(in, out);
  Exec().fence();
  return to_vector(out);
}

template <class T, class Call>
std::vector<T> on_host(std::vector<T> const& all, Call const& call) {
  return found_on_host<T>(all, call);
}

TEST(MpiDeviceTest, Shuffles) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<double>(n);
    auto const expected = on_host(
        all, [](auto const& in, auto const& out) { riffle::shuffle_copy(Exec(), in, out, seed); });
    auto const own = on_device(all, counts, comm.rank());
    OnDevice<double> const out("out", own.extent(0));
    mpi::shuffle_copy(Device(), comm, own, out, seed);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    mpi::shuffle(Device(), comm, own, seed);
    Device().fence();
    EXPECT_EQ(to_host(own), expected_part(expected, counts, comm.rank()));
  });
}

TEST(MpiDeviceTest, PermutationsAndSamples) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = std::vector<std::uint64_t>(n);
    auto const permutation = on_host(
        all, [](auto const&, auto const& out) { riffle::random_permutation(Exec(), out, seed); });
    auto const sample = on_host(
        all, [n](auto const&, auto const& out) { riffle::sample(Exec(), 3 * n, out, seed); });
    OnDevice<std::uint64_t> const out("out", counts[static_cast<std::size_t>(comm.rank())]);
    mpi::random_permutation(Device(), comm, out, seed);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(permutation, counts, comm.rank()));
    mpi::sample(Device(), comm, 3 * n, out, seed);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(sample, counts, comm.rank()));
  });
}

/// x -> a x + b, one after the other: the order matters.
struct Affine {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  friend bool operator==(Affine const&, Affine const&) = default;
};
struct Compose {
  KOKKOS_FUNCTION Affine operator()(Affine const& f, Affine const& g) const {
    return {f.a * g.a, g.a * f.b + g.b};
  }
};

TEST(MpiDeviceTest, Scans) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<float>(n);
    auto const expected = on_host(
        all, [](auto const& in, auto const& out) { riffle::inclusive_scan(Exec(), in, out); });
    auto const own = on_device(all, counts, comm.rank());
    mpi::inclusive_scan(Device(), comm, own, own);
    Device().fence();
    EXPECT_EQ(to_host(own), expected_part(expected, counts, comm.rank()));
    std::vector<Affine> maps(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      maps[i] = {static_cast<std::uint32_t>(2 * i + 1), static_cast<std::uint32_t>(i * i)};
    }
    auto const composed = on_host(maps, [](auto const& in, auto const& out) {
      riffle::exclusive_scan(Exec(), in, out, Compose(), Affine());
    });
    auto const own_maps = on_device(maps, counts, comm.rank());
    OnDevice<Affine> const out("out", own_maps.extent(0));
    mpi::exclusive_scan(Device(), comm, own_maps, out, Compose(), Affine());
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(composed, counts, comm.rank()));
  });
}

TEST(MpiDeviceTest, Sorts) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<double>(n);
    auto const expected =
        on_host(all, [](auto const& in, auto const& out) { riffle::sort_copy(Exec(), in, out); });
    auto const keys = on_device(all, counts, comm.rank());
    OnDevice<double> const out("out", keys.extent(0));
    mpi::sort_copy(Device(), comm, keys, out);
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    // Equal keys keep their order.
    std::vector<std::uint64_t> places(n);
    for (std::uint64_t i = 0; i < n; ++i) places[i] = i;
    auto const expected_places = on_host(places, [&](auto const& in, auto const& sorted) {
      Array<double> const host_keys("keys", n);
      std::copy(all.begin(), all.end(), host_keys.data());
      Kokkos::deep_copy(sorted, in);
      riffle::sort_by_key(Exec(), host_keys, sorted);
    });
    auto const values = on_device(places, counts, comm.rank());
    mpi::sort_by_key(Device(), comm, keys, values);
    Device().fence();
    EXPECT_EQ(to_host(keys), expected_part(expected, counts, comm.rank()));
    EXPECT_EQ(to_host(values), expected_part(expected_places, counts, comm.rank()));
  });
}

/// use(rule) for rules that need where runs begin, where they end, both, how many there are, and nothing.
template <class Use>
void for_each_rule(Use const& use) {
  use(ties::Competition{});
  use(ties::ModifiedCompetition{});
  use(ties::Fractional{});
  use(ties::Random{seed});
  use(ties::Dense{});
  use(ties::Ordinal{});
}

TEST(MpiDeviceTest, Ranks) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const all = numbers<float>(n);
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    auto const data = on_device(all, counts, comm.rank());
    auto const in_order = on_device(sorted, counts, comm.rank());
    OnDevice<double> const ranks("ranks", data.extent(0));
    for_each_rule([&](auto const& rule) {
      auto const expected = found_on_host<double>(
          sorted, [&](auto const& in, auto const& out) { riffle::rank(Exec(), in, out, rule); });
      mpi::rank(Device(), comm, in_order, ranks, rule);
      Device().fence();
      EXPECT_EQ(to_host(ranks), expected_part(expected, counts, comm.rank()));
      auto const of_unsorted = found_on_host<double>(all, [&](auto const& in, auto const& out) {
        riffle::rank_unsorted(Exec(), in, out, rule);
      });
      mpi::rank_unsorted(Device(), comm, data, ranks, rule);
      Device().fence();
      EXPECT_EQ(to_host(ranks), expected_part(of_unsorted, counts, comm.rank()));
    });
  });
}

TEST(MpiDeviceTest, RanksOfNumbersWithNaNs) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto all = numbers<double>(n);
    for (std::uint64_t i = 0; i < n; i += 7) all[i] = std::numeric_limits<double>::quiet_NaN();
    auto const data = on_device(all, counts, comm.rank());
    OnDevice<std::int64_t> const ranks("ranks", data.extent(0));
    for (auto const missing : {Missing::ranked, Missing::first, Missing::excluded}) {
      RankOptions<> options;
      options.missing = missing;
      auto const expected = found_on_host<std::int64_t>(all, [&](auto const& in, auto const& out) {
        riffle::rank_unsorted(Exec(), in, out, ties::Competition{}, options);
      });
      mpi::rank_unsorted(Device(), comm, data, ranks, ties::Competition{}, options);
      Device().fence();
      EXPECT_EQ(to_host(ranks), expected_part(expected, counts, comm.rank()));
    }
  });
}

struct Vector {
  float x[3];
  friend bool operator==(Vector const& a, Vector const& b) {
    return a.x[0] == b.x[0] && a.x[1] == b.x[1] && a.x[2] == b.x[2];
  }
};

TEST(MpiDeviceTest, Permutations) {
  for_each_case([](std::uint64_t n, Counts const& counts, mpi::Communicator const& comm) {
    auto const p = on_host(std::vector<std::uint64_t>(n), [](auto const&, auto const& out) {
      riffle::random_permutation(Exec(), out, seed);
    });
    Array<std::uint64_t> const host_p("p", n);
    std::copy(p.begin(), p.end(), host_p.data());
    auto const all = numbers<double>(n);
    std::vector<Vector> vectors(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      vectors[i] = {static_cast<float>(i), static_cast<float>(all[i]), -1};
    }
    auto const scattered = [&](auto const& in, auto const& out) {
      riffle::permute(Exec(), in, host_p, out);
    };
    auto const expected = on_host(all, scattered);
    auto const expected_vectors = on_host(vectors, scattered);
    mpi::PlannedPermutation const plan(Device(), comm, on_device(p, counts, comm.rank()));
    auto const in = on_device(all, counts, comm.rank());
    auto const in_vectors = on_device(vectors, counts, comm.rank());
    OnDevice<double> const out("out", in.extent(0));
    OnDevice<Vector> const out_vectors("out", in.extent(0));
    plan(Device(), comm, pack(in, in_vectors), pack(out, out_vectors));
    Device().fence();
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    EXPECT_EQ(to_host(out_vectors), expected_part(expected_vectors, counts, comm.rank()));
    plan.inverse()(Device(), comm, out, in);
    Device().fence();
    EXPECT_EQ(to_host(in), expected_part(all, counts, comm.rank()));
    // Rows of either order of memory.
    Kokkos::View<double**, Kokkos::LayoutLeft, Device> const left("left", in.extent(0), 3);
    Kokkos::View<double**, Kokkos::LayoutRight, Device> const right("right", in.extent(0), 3);
    auto const column = Kokkos::subview(left, Kokkos::ALL, 1);
    Kokkos::deep_copy(column, in);
    mpi::permute(Device(), comm, left, plan, right);
    mpi::permute(Device(), comm, right, plan.inverse(), left);
    Kokkos::deep_copy(out, Kokkos::subview(right, Kokkos::ALL, 1));
    EXPECT_EQ(to_host(out), expected_part(expected, counts, comm.rank()));
    Kokkos::deep_copy(in, column);
    EXPECT_EQ(to_host(in), expected_part(all, counts, comm.rank()));
  });
}

TEST(MpiDeviceTest, PermutationTests) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  std::size_t const n = 20;
  std::size_t const variables = 200;
  Kokkos::View<double**, Device> const data("data", variables, n);
  OnDevice<double> const labels("labels", n);
  auto const host_data = Kokkos::create_mirror_view(data);
  auto const host_labels = Kokkos::create_mirror_view(labels);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < n; ++i) host_labels(i) = i < 8 ? 1 : 0;
  for (std::size_t g = 0; g < variables; ++g) {
    for (std::size_t i = 0; i < n; ++i) host_data(g, i) = normal(generator);
  }
  Kokkos::deep_copy(data, host_data);
  Kokkos::deep_copy(labels, host_labels);
  PermutationTestsOptions options;
  options.replicates = 10007;
  options.seed = seed;
  auto const expected =
      riffle::permutation_tests(Exec(), StudentT{}, host_data, host_labels, options);
  auto const found = mpi::permutation_tests(Device(), comm, StudentT{}, data, labels, options);
  EXPECT_EQ(found.counts.extreme, expected.counts.extreme);
  EXPECT_EQ(found.counts.step_down, expected.counts.step_down);
  EXPECT_EQ(found.counts.maxima, expected.counts.maxima);

  auto const x = Kokkos::subview(host_data, 0, Kokkos::ALL);
  auto const y = Kokkos::subview(host_data, 1, Kokkos::ALL);
  Array<double> const host_x("x", n);
  Array<double> const host_y("y", n);
  Kokkos::deep_copy(host_x, x);
  Kokkos::deep_copy(host_y, y);
  auto const device_x = Kokkos::create_mirror_view_and_copy(Device(), host_x);
  auto const device_y = Kokkos::create_mirror_view_and_copy(Device(), host_y);
  PermutationTestOptions of_one;
  of_one.replicates = 100003;
  of_one.seed = seed;
  auto const one = riffle::permutation_test(Exec(), DifferenceOfMeans{}, host_x, host_y, of_one);
  auto const of_ranks =
      mpi::permutation_test(Device(), comm, DifferenceOfMeans{}, device_x, device_y, of_one);
  EXPECT_EQ(of_ranks.statistic, one.statistic);
  EXPECT_EQ(of_ranks.less_equal, one.less_equal);
  EXPECT_EQ(of_ranks.greater_equal, one.greater_equal);
}

}  // namespace
}  // namespace riffle::test::mpi_device_test
