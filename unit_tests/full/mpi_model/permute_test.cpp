// Permutations over up to 1024 ranks of the model: the plan sends indices once; then each row is sent once, and no index.

#include <riffle/mpi.hpp>
#include <riffle/permute.hpp>
#include <riffle/shuffle.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "mpi_model/expected_traffic.hpp"
#include "support/model_mpi/model_devices.hpp"
#include "support/model_mpi/model_ranks.hpp"

namespace riffle::test::mpi_model_permute_test {
namespace {

using namespace mpi_model;

constexpr int all_numbers_of_ranks[] = {1, 2, 3, 7, 64, 255, 1024};

/// The inverse of p.
Array<std::uint32_t> inverse_of(Array<std::uint32_t> const& p) {
  Array<std::uint32_t> const q("q", p.extent(0));
  for (std::uint32_t i = 0; i < p.extent(0); ++i) q(p(i)) = i;
  return q;
}

Array<std::uint32_t> random_order(std::uint64_t n) {
  Array<std::uint32_t> const p("p", n);
  random_permutation(Exec(), p, 1906);
  return p;
}

Array<std::uint32_t> all_by_seven(std::uint64_t n) {
  Array<std::uint32_t> const p("p", n);
  for (std::uint64_t i = 0; i < n; ++i) p(i) = static_cast<std::uint32_t>((i + n / 7) % n);
  return p;
}

/// Compares the traffic of each rank with the plan's, for rows of this number of bytes.
void expect_traffic(ModelRanks const& model, ExpectedTraffic const& expected, std::uint64_t bytes,
                    std::uint64_t collectives, std::uint64_t times = 1) {
  std::uint64_t wrong = 0;
  for (int r = 0; r < model.size(); ++r) {
    auto const& traffic = model.traffic(r);
    wrong += traffic.messages != times * expected.messages(r);
    wrong += traffic.bytes_sent != times * bytes * expected.sent(r);
    wrong += traffic.bytes_received != times * bytes * expected.received(r);
    wrong += traffic.rounds > times;
    wrong += traffic.collectives != collectives;
  }
  EXPECT_EQ(wrong, 0u);
}

void expect_few_messages(Array<std::uint32_t> const& p) {
  std::uint64_t const n = p.extent(0);
  auto const all = numbers<double>(n);
  Array<double> const expected("expected", n);
  scatter(Exec(), all, p, expected);
  auto const q = inverse_of(p);
  for (int const ranks : all_numbers_of_ranks) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    ExpectedTraffic const there(q, ranks);
    ExpectedTraffic const back(p, ranks);
    std::vector<std::optional<mpi::PlannedPermutation<Exec>>> plans(
        static_cast<std::size_t>(ranks));
    std::vector<std::optional<mpi::Communicator>> comms(static_cast<std::size_t>(ranks));
    auto const index = [](int rank) { return static_cast<std::size_t>(rank); };
    model.run([&](int rank) {
      auto const own = block_of_all(p, rank, ranks);
      auto const& comm = comms[index(rank)].emplace(MPI_COMM_WORLD);
      plans[index(rank)].emplace(Exec(), comm, own);
    });
    // 2 of the communicator, 5 to agree, the extents, the counts, and the number of the plan.
    std::uint64_t const of_making = ranks == 1 ? 11 : 10;
    expect_traffic(model, there, sizeof(std::uint32_t), of_making);
    int right = 0;
    int returned = 0;
    for (int const times : {1, 3}) {
      model.clear_traffic();
      model.run([&](int rank) {
        auto const in = block_of_all(all, rank, ranks);
        Array<double> const out("out", in.extent(0));
        for (int t = 0; t < times; ++t) {
          (*plans[index(rank)])(Exec(), *comms[index(rank)], in, out);
        }
        right += is_part(out, expected, rank, ranks);
      });
      auto const calls = static_cast<std::uint64_t>(times);
      expect_traffic(model, there, sizeof(double), ranks == 1 ? 2 * calls : calls, calls);
    }
    model.clear_traffic();
    model.run([&](int rank) {
      auto const in = block_of_all(expected, rank, ranks);
      Array<double> const out("out", in.extent(0));
      plans[index(rank)]->inverse()(Exec(), *comms[index(rank)], in, out);
      returned += is_part(out, all, rank, ranks);
      plans[index(rank)].reset();
    });
    expect_traffic(model, back, sizeof(double), ranks == 1 ? 2 : 1);
    EXPECT_EQ(right, 2 * ranks);
    EXPECT_EQ(returned, ranks);
  }
}

TEST(MpiModelPermute, APlanSendsIndicesOnceAndThenOnlyRows) {
  expect_few_messages(random_order(50021));
  expect_few_messages(all_by_seven(50021));
}

TEST(MpiModelPermute, RowsThatStayAreNotSent) {
  Array<std::uint32_t> const p("p", 5000);
  std::iota(p.data(), p.data() + 5000, 0u);
  expect_few_messages(p);
}

}  // namespace
}  // namespace riffle::test::mpi_model_permute_test
