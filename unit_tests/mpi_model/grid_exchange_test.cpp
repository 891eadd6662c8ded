// Exchanges by a grid of up to 4096 ranks of a model: the bits of a direct one, and few messages.

#include <riffle/mpi.hpp>
#include <riffle/mpi/detail/agree_on_exchanges.hpp>
#include <riffle/permute.hpp>
#include <riffle/rank/rank_unsorted.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/sort.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mpi_model/on_paper.hpp"
#include "support/model_mpi/model_devices.hpp"
#include "support/model_mpi/model_ranks.hpp"

namespace riffle::test::mpi_model_grid_exchange_test {
namespace {

using namespace mpi_model;
using detail::mpi::Shares;

constexpr std::uint64_t seed = 1906;

mpi::TransferOptions by(mpi::Route route, mpi::Transport transport = mpi::Transport::automatic,
                        std::size_t round_bytes = std::size_t{1} << 30) {
  mpi::TransferOptions options;
  options.transport = transport;
  options.max_round_bytes = round_bytes;
  options.route = route;
  return options;
}

/// Items that tell whose they are.
template <class Item, class Amount>
std::vector<Item> items(int ranks, Amount const& amount_of, bool are_sent, int own) {
  std::vector<Item> result;
  for (int other = 0; other < ranks; ++other) {
    int const from = are_sent ? own : other;
    int const to = are_sent ? other : own;
    for (std::uint64_t i = 0; i < amount_of(from, to); ++i) {
      result.push_back(static_cast<Item>(7919 * from + 104729 * to) + static_cast<Item>(i));
    }
  }
  return result;
}

/// Whether this rank, of those of a model, gets what each has for it.
template <class Item, class Amount>
bool exchanges(mpi::TransferOptions const& options, int ranks, int own, Amount const& amount_of) {
  mpi::Communicator const comm(MPI_COMM_WORLD, options);
  Shares sent(ranks);
  Shares received(ranks);
  for (int other = 0; other < ranks; ++other) {
    sent[other] = amount_of(own, other);
    received[other] = amount_of(other, own);
  }
  auto const from = items<Item>(ranks, amount_of, true, own);
  auto const expected = items<Item>(ranks, amount_of, false, own);
  std::vector<Item> to(expected.size());
  Workspace<Exec> workspace{Exec()};
  Context<Exec> const context(Exec(), "test", workspace);
  detail::mpi::RankCall<Exec> const call{"test", context, comm};
  detail::Scope<Exec> scope(context);
  std::optional<detail::mpi::Exchange<Exec>> exchange;
  auto const prepare = [&] { exchange.emplace(comm, sizeof(Item), sent, received); };
  agree_on_exchanges(call, scope, prepare, exchange);
  exchange->run(context, from.data(), to.data());
  return to == expected;
}

std::uint64_t one_each(int, int) { return 1; }

/// None for many, and for few much.
std::uint64_t uneven(int from, int to) {
  auto const mixed = static_cast<std::uint64_t>(from * 31 + to * 17) * 2654435761u % 1009;
  if (mixed % 3 == 0) return 0;
  return mixed == 1 ? 500 : mixed % 7;
}

std::uint64_t from_one_to_one(int from, int to) { return from == 1 && to == 0 ? 9 : 0; }

template <class Item, class Amount>
int right_exchanges(ModelRanks& model, mpi::TransferOptions const& options,
                    Amount const& amount_of) {
  int right = 0;
  model.run([&](int own) { right += exchanges<Item>(options, model.size(), own, amount_of); });
  return right;
}

TEST(MpiModelGrid, EachRankGetsWhatEachHasForIt) {
  using mpi::Transport;
  std::vector<int> all_ranks{63, 64, 65, 130, 255};
  for (int ranks = 1; ranks <= 32; ++ranks) all_ranks.push_back(ranks);
  for (int const ranks : all_ranks) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks, static_cast<std::uint64_t>(ranks));
    auto const options = by(mpi::Route::grid);
    EXPECT_EQ(right_exchanges<std::uint64_t>(model, options, uneven), ranks);
    EXPECT_EQ(right_exchanges<std::uint32_t>(model, options, uneven), ranks);
    EXPECT_EQ(right_exchanges<std::uint16_t>(model, options, one_each), ranks);
    EXPECT_EQ(right_exchanges<std::uint8_t>(model, options, from_one_to_one), ranks);
    auto const in_rounds = by(mpi::Route::grid, Transport::direct, 300);
    auto const staged = by(mpi::Route::grid, Transport::staged, 300);
    EXPECT_EQ(right_exchanges<std::uint32_t>(model, in_rounds, uneven), ranks);
    EXPECT_EQ(right_exchanges<std::uint32_t>(model, staged, uneven), ranks);
  }
}

/// A grid on paper, row by row.
struct PaperGrid {
  int columns = 1;
  int rows = 1;
  std::vector<int> row_of;
  std::vector<int> column_of;
  std::vector<int> sizes;

  explicit PaperGrid(int ranks) {
    while (columns * columns < ranks) ++columns;
    while (rows * columns < ranks) ++rows;
    for (int row = 0, left = ranks; row < rows; ++row) {
      int const rest = rows - row;
      int const size = (left + rest - 1) / rest;
      for (int column = 0; column < size; ++column) {
        row_of.push_back(row);
        column_of.push_back(column);
      }
      sizes.push_back(size);
      left -= size;
    }
  }

  std::uint64_t size_of_row(int rank) const {
    return static_cast<std::uint64_t>(
        sizes[static_cast<std::size_t>(row_of[static_cast<std::size_t>(rank)])]);
  }

  /// To how many a rank relays, itself among them.
  std::uint64_t destinations(int rank) const {
    int const column = column_of[static_cast<std::size_t>(rank)];
    int in_column = 0;
    int long_rows = 0;
    for (int const size : sizes) {
      in_column += column < size;
      long_rows += size == columns;
    }
    bool const is_short = static_cast<int>(size_of_row(rank)) < columns;
    return static_cast<std::uint64_t>(in_column + (is_short && column < long_rows));
  }
};

TEST(MpiModelGrid, MessagesAreTwiceTheRootOfTheRanksAndOnceMoreCounts) {
  for (int const ranks : {1, 2, 3, 5, 7, 64, 255, 257, 1024, 4096}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    EXPECT_EQ(right_exchanges<float>(model, by(mpi::Route::grid), one_each), ranks);
    PaperGrid const paper(ranks);
    auto const all = static_cast<std::uint64_t>(ranks);
    std::uint64_t wrong = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const& traffic = model.traffic(r);
      std::uint64_t const row = paper.size_of_row(r);
      std::uint64_t const relayed = paper.destinations(r);
      std::uint64_t const to_relays = all - relayed;
      if (ranks > 1) {
        wrong += traffic.messages != 2 * (row - 1) + (relayed - 1);
        wrong += traffic.messages > 3 * static_cast<std::uint64_t>(paper.columns) - 2;
        wrong += traffic.bytes_sent != (4 + 8) * to_relays + 4 * row * (relayed - 1);
      }
      // Counts, and two hops.
      wrong += traffic.rounds > 3;
      // Of the communicator 2, to agree on the exchange and on memory for the grid.
      wrong += traffic.collectives != (ranks == 1 ? 3u : 4u);
    }
    EXPECT_EQ(wrong, 0u);
  }
}

std::uint64_t messages_of_all(ModelRanks const& model) {
  std::uint64_t sum = 0;
  for (int r = 0; r < model.size(); ++r) sum += model.traffic(r).messages;
  return sum;
}

TEST(MpiModelGrid, IsTakenOfItselfByManyRanksWithLittle) {
  auto const sends_few_messages = [](int ranks, auto const& amount_of) {
    ModelRanks model(ranks);
    EXPECT_EQ(right_exchanges<double>(model, by(mpi::Route::automatic), amount_of), ranks);
    auto const all = static_cast<std::uint64_t>(ranks);
    return messages_of_all(model) < all * all / 2;
  };
  EXPECT_FALSE(sends_few_messages(64, one_each));
  EXPECT_TRUE(sends_few_messages(1024, one_each));
  // One rank that has much is enough for all to go directly.
  EXPECT_FALSE(sends_few_messages(
      1024, [](int from, int to) -> std::uint64_t { return from == 5 && to == 6 ? 1 << 20 : 1; }));
}

// Of counters two hops, of rows what relays are told and two hops.
TEST(MpiModelGrid, AShuffleSendsFiveTimesTheRootOfTheRanks) {
  std::uint64_t const n = (1 << 20) + 37;
  auto const all = numbers<float>(n);
  Array<float> const shuffled("shuffled", n);
  shuffle_copy(Exec(), all, shuffled, seed, BucketShuffle{});
  for (int const ranks : {7, 255, 1024}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int own) {
      auto const in = block_of_all(all, own, ranks);
      Array<float> const out("out", in.extent(0));
      mpi::Communicator const comm(MPI_COMM_WORLD, by(mpi::Route::grid));
      mpi::shuffle_copy(Exec(), comm, in, out, seed, BucketShuffle{});
      right += is_part(out, shuffled, own, ranks);
    });
    EXPECT_EQ(right, ranks);
    PaperGrid const paper(ranks);
    std::uint64_t wrong = 0;
    for (int r = 0; r < ranks; ++r) {
      auto const& traffic = model.traffic(r);
      wrong += traffic.messages > 3 * (paper.size_of_row(r) - 1) + 2 * (paper.destinations(r) - 1);
      wrong += traffic.rounds > 5;
    }
    EXPECT_EQ(wrong, 0u);
  }
}

TEST(MpiModelGrid, CallsHaveTheBitsOfOneDevice) {
  std::uint64_t const n = 10007;
  auto const all = values_with_ties(n);
  Array<double> const shuffled("shuffled", n);
  shuffle_copy(Exec(), all, shuffled, seed, BucketShuffle{});
  Array<double> const sorted("sorted", n);
  sort_copy(Exec(), all, sorted);
  Array<float> const ranked("ranked", n);
  rank_unsorted(Exec(), all, ranked, ties::Fractional{});
  Array<std::uint32_t> const p("p", n);
  random_permutation(Exec(), p, seed);
  Array<double> const permuted("permuted", n);
  scatter(Exec(), all, p, permuted);
  for (int const ranks : {1, 2, 3, 7, 64, 255}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int own) {
      mpi::Communicator const comm(MPI_COMM_WORLD, by(mpi::Route::grid));
      auto const in = block_of_all(all, own, ranks);
      Array<double> const out("out", in.extent(0));
      mpi::shuffle_copy(Exec(), comm, in, out, seed, BucketShuffle{});
      right += is_part(out, shuffled, own, ranks);
      mpi::sort_copy(Exec(), comm, in, out);
      right += is_part(out, sorted, own, ranks);
      Array<float> const ranks_of_in("ranks", in.extent(0));
      mpi::rank_unsorted(Exec(), comm, in, ranks_of_in, ties::Fractional{});
      right += is_part(ranks_of_in, ranked, own, ranks);
      auto const own_p = block_of_all(p, own, ranks);
      mpi::PlannedPermutation const plan(Exec(), comm, own_p);
      plan(Exec(), comm, in, out);
      right += is_part(out, permuted, own, ranks);
      Array<double> const back("back", in.extent(0));
      plan.inverse()(Exec(), comm, out, back);
      right += is_part(back, all, own, ranks);
    });
    EXPECT_EQ(right, 5 * ranks);
  }
}

// Ranks between them keep all their rows, and relay those of others.
TEST(MpiModelGrid, RanksThatNeitherSendNorReceiveRelay) {
  std::uint64_t const n = 5000;
  auto const all = numbers<double>(n);
  Array<std::uint32_t> const p("p", n);
  for (std::uint32_t i = 0; i < n; ++i) p(i) = i;
  p(0) = n - 1;
  p(n - 1) = 0;
  Array<double> const permuted("permuted", n);
  scatter(Exec(), all, p, permuted);
  for (int const ranks : {2, 3, 7, 16, 64}) {
    SCOPED_TRACE(ranks);
    ModelRanks model(ranks);
    int right = 0;
    model.run([&](int own) {
      mpi::Communicator const comm(MPI_COMM_WORLD, by(mpi::Route::grid));
      auto const in = block_of_all(all, own, ranks);
      Array<double> const out("out", in.extent(0));
      mpi::permute(Exec(), comm, in, block_of_all(p, own, ranks), out);
      right += is_part(out, permuted, own, ranks);
    });
    EXPECT_EQ(right, ranks);
  }
}

}  // namespace
}  // namespace riffle::test::mpi_model_grid_exchange_test
