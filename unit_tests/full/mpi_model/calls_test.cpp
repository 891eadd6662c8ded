// Calls over up to 4096 ranks of the model, in one process: results with the bits of one device, and the traffic of each rank.

#include <riffle/monte_carlo/permutation_test.hpp>
#include <riffle/monte_carlo/permutation_tests.hpp>
#include <riffle/mpi.hpp>
#include <riffle/scan.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/sort/sort_by_key.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi_model/expected_traffic.hpp"
#include "support/model_mpi/model_devices.hpp"
#include "support/model_mpi/model_ranks.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test::mpi_model_calls_test {
namespace {

using namespace mpi_model;

constexpr std::uint64_t seed = 1906;

std::vector<int> numbers_of_ranks() { return {1, 2, 3, 7, 64, 255, 1024}; }

/// The number of leaves of which each rank owns places; other ranks send it one counter for each.
std::vector<std::uint64_t> leaves_of_ranks(std::uint64_t n, int ranks) {
  Workspace<Exec> workspace{Exec()};
  Context<Exec> const context(Exec(), workspace);
  detail::Scope<Exec> scope(context);
  detail::mpi::PlaceTree<Exec> tree(seed, n, 0, n);
  tree.count_digits(context, scope);
  std::vector<std::uint64_t> ends;
  for (auto const size : tree.places().count)
    ends.push_back((ends.empty() ? 0 : ends.back()) + size);
  std::vector<std::uint64_t> leaves;
  for (int r = 0; r < ranks; ++r) {
    auto const own = mpi::block_of(n, r, ranks);
    std::uint64_t count = 0;
    for (std::size_t l = 0; l < ends.size(); ++l) {
      std::uint64_t const begin = l == 0 ? 0 : ends[l - 1];
      count += begin < own.first + own.count && own.first < ends[l];
    }
    leaves.push_back(count);
  }
  return leaves;
}

TEST(MpiModel, AShuffleSendsEachRowOnceAndNoIndex) {
  std::uint64_t const n = (1 << 20) + 37;
  auto const all = numbers<double>(n);
  Array<double> const shuffled("shuffled", n);
  shuffle_copy(Exec(), all, shuffled, seed, BucketShuffle{});
  Array<std::uint32_t> const images("images", n);
  random_permutation(Exec(), images, seed, BucketShuffle{});
  for (int const ranks : numbers_of_ranks()) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int rank) {
      auto const in = block_of_all(all, rank, ranks);
      Array<double> const out("out", in.extent(0));
      mpi::Communicator const comm(MPI_COMM_WORLD);
      mpi::shuffle_copy(Exec(), comm, in, out, seed, BucketShuffle{});
      right += is_part(out, shuffled, rank, ranks);
    });
    EXPECT_EQ(right, ranks);
    ExpectedTraffic const expected(images, ranks);
    auto const leaves = leaves_of_ranks(n, ranks);
    std::uint64_t all_leaves = 0;
    for (auto const count : leaves) all_leaves += count;
    auto const others = static_cast<std::uint64_t>(ranks - 1);
    std::uint64_t wrong = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const& traffic = model.traffic(r);
      std::uint64_t const own_leaves = leaves[static_cast<std::size_t>(r)];
      // Besides rows, a rank sends one message to each other rank, with a counter for each leaf of the receiver.
      wrong += traffic.messages != expected.messages(r) + others;
      wrong +=
          traffic.bytes_sent != sizeof(double) * expected.sent(r) + 8 * (all_leaves - own_leaves);
      wrong +=
          traffic.bytes_received != sizeof(double) * expected.received(r) + 8 * others * own_leaves;
      wrong += traffic.rounds > 2;
    }
    EXPECT_EQ(wrong, 0u);
  }
}

TEST(MpiModel, NumberOfRoundsFollowsTheirSize) {
  std::uint64_t const n = 100003;
  auto const all = numbers<double>(n);
  Array<double> const shuffled("shuffled", n);
  shuffle_copy(Exec(), all, shuffled, seed, BucketShuffle{});
  for (int const ranks : {2, 5, 64}) {
    for (std::size_t const round_bytes : {std::size_t{1000}, std::size_t{50000}}) {
      SCOPED_TRACE(ranks);
      ModelRanks model(ranks, round_bytes);
      int right = 0;
      model.run([&](int rank) {
        mpi::TransferOptions options;
        options.transport = mpi::Transport::staged;
        options.max_round_bytes = round_bytes;
        mpi::Communicator const comm(MPI_COMM_WORLD, options);
        auto const data = block_of_all(all, rank, ranks);
        mpi::shuffle(Exec(), comm, data, seed, BucketShuffle{});
        right += is_part(data, shuffled, rank, ranks);
      });
      EXPECT_EQ(right, ranks);
      auto const count = static_cast<std::uint64_t>(ranks);
      // Each pair of ranks has n / P^2 rows, plus or minus a few standard deviations; counters are sent in rounds, too.
      double const rows = static_cast<double>(n) / static_cast<double>(count * count);
      auto const piece = static_cast<double>(round_bytes / (count - 1));
      double const rounds = 8 * rows / piece;
      for (int r = 0; r < ranks; ++r) {
        auto const found = static_cast<double>(model.traffic(r).rounds);
        EXPECT_GE(found, std::floor(rounds));
        EXPECT_LE(found, 1.5 * rounds + 2 + 8 * 257 / piece + 5);
      }
    }
  }
}

TEST(MpiModel, AScanSendsNoMoreThanABundleEachWay) {
  constexpr std::uint64_t bundle = 1 << 17;
  std::uint64_t const n = 9 * bundle + 12345;
  auto const all = numbers<double>(n);
  Array<double> const scanned("scanned", n);
  inclusive_scan(Exec(), all, scanned);
  for (int const ranks : numbers_of_ranks()) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int rank) {
      auto const data = block_of_all(all, rank, ranks);
      mpi::inclusive_scan(Exec(), mpi::Communicator(MPI_COMM_WORLD), data, data);
      right += is_part(data, scanned, rank, ranks);
    });
    EXPECT_EQ(right, ranks);
    for (int r = 0; r < ranks; ++r) {
      auto const& traffic = model.traffic(r);
      // A rank sends the head of its first bundle to the bundle's owner, and prefixes back to the ranks whose heads it received.
      EXPECT_LE(traffic.bytes_sent, 2 * bundle * sizeof(double));
      EXPECT_LE(traffic.rounds, 2u);
      EXPECT_LE(traffic.collectives, 8u);
    }
  }
}

std::uint64_t const n_to_sort = 200003;

/// Whether `bytes` is the size of the elements plus, for each message, fewer than 16 elements.
bool are_bytes_of(std::uint64_t bytes, std::uint64_t elements, std::uint64_t messages) {
  std::uint64_t const least = sizeof(double) * elements;
  return least <= bytes && bytes <= least + sizeof(double) * 15 * messages;
}

/// Expects rounds that find the cuts, after which each element is sent once.
void expect_traffic_of_sort(ModelRanks const& model, Array<std::uint32_t> const& order,
                            std::uint64_t views) {
  auto const ranks = static_cast<std::uint64_t>(model.size());
  ExpectedTraffic const expected(order, model.size());
  std::uint64_t const samples = samples_per_run(model.size());
  // Collectives outside of the rounds: 2 of the communicator, 3 to agree on the call and on memory, the extents, and the
  // numbers of elements to send.
  std::uint64_t const fewest = ranks == 1 ? 5 : 7;
  std::uint64_t const rounds = ranks == 1 ? 0 : rounds_of_samples(n_to_sort, samples);
  // A round sends samples, brackets with the number of undecided elements, and a status.
  std::uint64_t const bytes_of_round = ranks * (samples * sizeof(double) + 32) + 264;
  std::uint64_t wrong = 0;
  for (int r = 0; r < model.size(); ++r) {
    auto const& traffic = model.traffic(r);
    wrong += traffic.messages != views * expected.messages(r);
    wrong +=
        !are_bytes_of(traffic.bytes_sent, views * expected.sent(r), views * expected.messages(r));
    wrong += !are_bytes_of(traffic.bytes_received, views * expected.received(r), views * ranks);
    wrong += traffic.rounds > views;
    wrong += (traffic.collectives - fewest) % 3 != 0;
    wrong += traffic.collectives > fewest + 3 * rounds;
    wrong += traffic.collective_bytes > rounds * bytes_of_round + 16 * ranks + 2000;
  }
  EXPECT_EQ(wrong, 0u);
}

template <class T>
Array<T> gathered(Array<T> const& values, Array<std::uint32_t> const& from) {
  Array<T> const result("gathered", from.extent(0));
  for (std::uint64_t i = 0; i < from.extent(0); ++i) result(i) = values(from(i));
  return result;
}

TEST(MpiModel, ASortSendsEachElementOnceAfterFewRoundsOfSamples) {
  auto const all = values_with_ties(n_to_sort);
  auto const order = stable_order(all);
  auto const sorted = gathered(all, order);
  for (int const ranks : {1, 2, 3, 16, 64, 256}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int rank) {
      auto const values = block_of_all(all, rank, ranks);
      mpi::sort(Exec(), mpi::Communicator(MPI_COMM_WORLD), values);
      right += is_part(values, sorted, rank, ranks);
    });
    EXPECT_EQ(right, ranks);
    expect_traffic_of_sort(model, order, 1);
  }
}

TEST(MpiModel, ASortByKeySendsEachRowOnce) {
  auto const all = values_with_ties(n_to_sort);
  auto const order = stable_order(all);
  auto const sorted = gathered(all, order);
  auto const rows = numbers<double>(n_to_sort);
  auto const sorted_rows = gathered(rows, order);
  for (int const ranks : {1, 2, 3, 16, 64, 256}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int rank) {
      auto const keys = block_of_all(all, rank, ranks);
      auto const values = block_of_all(rows, rank, ranks);
      mpi::sort_by_key(Exec(), mpi::Communicator(MPI_COMM_WORLD), keys, values);
      right += is_part(keys, sorted, rank, ranks) && is_part(values, sorted_rows, rank, ranks);
    });
    EXPECT_EQ(right, ranks);
    expect_traffic_of_sort(model, order, 2);
  }
}

TEST(MpiModel, SamplesAndTestsSendNoMessages) {
  std::uint64_t const n = 5000;
  Array<std::uint32_t> const sampled("sampled", n);
  sample(Exec(), 1u << 31, sampled, seed);
  auto const x = numbers<double>(40);
  auto const y = numbers<double>(41);
  PermutationTestOptions options;
  options.replicates = 3000;
  auto const tested = permutation_test(Exec(), DifferenceOfMeans{}, x, y, options);
  for (int const ranks : numbers_of_ranks()) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int rank) {
      mpi::Communicator const comm(MPI_COMM_WORLD);
      Array<std::uint32_t> const out("out", mpi::block_of(n, rank, ranks).count);
      mpi::sample(Exec(), comm, 1u << 31, out, seed);
      auto const found = mpi::permutation_test(Exec(), comm, DifferenceOfMeans{}, x, y, options);
      right += is_part(out, sampled, rank, ranks) && found.less_equal == tested.less_equal &&
               found.greater_equal == tested.greater_equal;
    });
    EXPECT_EQ(right, ranks);
    for (int r = 0; r < ranks; ++r) {
      EXPECT_EQ(model.traffic(r).messages, 0u);
      // 2 of the communicator, 2 of the sample and 4 of the test.
      EXPECT_EQ(model.traffic(r).collectives, 8u);
    }
  }
}

constexpr std::uint64_t tested_variables = 7;

/// Runs the test on 1, ..., 1200 ranks, and expects the results of one device. The last rank must contribute at least
/// 8 summed(its replicates) bytes, and fewer than 4000 more.
template <class Summed>
void expect_contributions(PermutationTestsOptions const& options, Summed const& summed) {
  constexpr std::uint64_t variables = tested_variables;
  std::uint64_t const observations = 16;
  Kokkos::View<double**, Exec> const data("data", variables, observations);
  for (std::uint64_t g = 0; g < variables; ++g) {
    for (std::uint64_t i = 0; i < observations; ++i) {
      data(g, i) = static_cast<double>((g + 3) * (i + 1) * 7919 % 101);
    }
  }
  auto const one = permutation_tests(Exec(), OneSampleT{}, data, options);
  auto const same = [](auto const& a, auto const& b) {
    return std::equal(a.data(), a.data() + variables, b.data());
  };
  for (int const ranks : {1, 2, 3, 16, 255, 1200}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int) {
      mpi::Communicator const comm(MPI_COMM_WORLD);
      auto const found = mpi::permutation_tests(Exec(), comm, OneSampleT{}, data, options);
      right += found.counts.maxima == one.counts.maxima &&
               found.counts.extreme == one.counts.extreme &&
               found.counts.step_down == one.counts.step_down &&
               found.counts.single_step == one.counts.single_step &&
               same(found.p_single_step, one.p_single_step) &&
               (!options.min_p || (same(found.p_step_down_min_p, one.p_step_down_min_p) &&
                                   same(found.p_single_step_min_p, one.p_single_step_min_p)));
    });
    EXPECT_EQ(right, ranks);
    auto const& traffic = model.traffic(ranks - 1);
    EXPECT_EQ(traffic.messages, 0u);
    std::uint64_t const own = mpi::block_of(options.replicates, ranks - 1, ranks).count;
    std::uint64_t const least = 8 * summed(ranks > 1 ? own : 0);
    EXPECT_GE(traffic.collective_bytes, least);
    EXPECT_LT(traffic.collective_bytes, least + 4000);
  }
}

TEST(MpiModel, TestsOfManyVariablesSumCountsAndGatherMaximaOnce) {
  PermutationTestsOptions options;
  options.replicates = 1000;
  options.min_p = true;
  // Once the counts and the rank's own maxima; for min_p the minima before and after the reduction, and the counts.
  expect_contributions(options, [&](std::uint64_t own) {
    return 3 * tested_variables + own + 2 * (options.replicates + 1) + 2 * tested_variables;
  });
}

TEST(MpiModel, TestsWithoutMaximaOnlySumCounts) {
  PermutationTestsOptions options;
  options.replicates = 1000;
  options.keep_maxima = false;
  expect_contributions(options, [](std::uint64_t) { return 3 * tested_variables; });
}

// --- the model itself ---

TEST(MpiModel, FindsDeadlocks) {
  ModelRanks model(3);
  EXPECT_EQ(thrown_message<std::runtime_error>([&] {
              model.run([&](int rank) {
                if (rank == 1) return;
                mpi::Communicator const comm(MPI_COMM_WORLD);
              });
            }),
            "every fiber waits for another");
}

TEST(MpiModel, FindsRanksInDifferentCalls) {
  ModelRanks model(2);
  auto const text = thrown_message<std::logic_error>([&] {
    model.run([&](int rank) {
      std::uint64_t number[2] = {};
      MPI_Allreduce(MPI_IN_PLACE, number, 1 + rank, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    });
  });
  EXPECT_EQ(text.find("ranks call MPI_Allreduce of "), 0u) << text;
}

TEST(MpiModel, FindsMessagesThatAreNotReceived) {
  ModelRanks model(2);
  EXPECT_EQ(thrown_message<std::logic_error>([&] {
              model.run([&](int rank) {
                MPI_Request request = MPI_REQUEST_NULL;
                if (rank == 0) MPI_Isend("a", 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
              });
            }),
            "a message was never received");
}

TEST(MpiModel, FailuresOfOneOf4096RanksAreThrownByAll) {
  int const ranks = 4096;
  ModelRanks model(ranks);
  int told = 0;
  model.run([&](int rank) {
    mpi::Communicator const comm(MPI_COMM_WORLD);
    Array<std::uint32_t> const out("out", 1);
    auto const text = thrown_message(
        [&] { mpi::sample(Exec(), comm, 5000, out, rank == 2718 ? seed + 1 : seed); });
    told += text ==
            "riffle::mpi::sample: seed = 1907 on rank 2718 and 1906 on rank 0: must be the same on "
            "all ranks";
  });
  EXPECT_EQ(told, ranks);
}

}  // namespace
}  // namespace riffle::test::mpi_model_calls_test
