// The limit of all redistributions: an alltoallv in which each rank sends n / P elements to each other rank.

#include <cstdint>
#include <optional>

#include <riffle/context.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/transfers.hpp>
#include <riffle/primitives/call.hpp>

#include "mpi/rows.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

/// Counts elements that differ from those that the other ranks have for this one.
struct CountStrangers {
  Elements<double> received;
  std::uint64_t rank;
  std::uint64_t n;
  std::uint64_t share;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    std::uint64_t const k = i / share;
    std::uint64_t const sender = k < rank ? k : k + 1;
    std::uint64_t const place = rank < sender ? rank : rank - 1;
    std::uint64_t const expected = sender * n + place * share + i % share;
    wrong += received(i) == static_cast<double>(expected) ? 0 : 1;
  }
};

class Exchange : public ElementsRow {
 public:
  static constexpr char const* name = "Exchange";
  static constexpr bool is_local = false;

  static std::uint64_t memory_of(std::uint64_t n) { return 32 * n; }
  static double bytes_sent_by(std::uint64_t n, std::uint64_t ranks) {
    return bytes_to_others(n, ranks, sizeof(double));
  }
  static std::optional<double> limit(Ranks&, std::uint64_t) { return std::nullopt; }

  Exchange(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        share_(n / static_cast<std::uint64_t>(ranks.size())),
        in_(elements_of<double>(exec_, first_, n, AsNumber{})),
        out_(allocate<double>(exec_, "perf::out", n)),
        exchange_(ranks.all(), sizeof(double), shares(), shares()) {}

  void run() { exchange_.run(call_, in_.data(), out_.data()); }

  std::uint64_t errors() const {
    auto const others = static_cast<std::uint64_t>(ranks_->size()) - 1;
    std::uint64_t wrong = 0;
    Kokkos::parallel_reduce(
        "perf::count_strangers", range(exec_, others * share_),
        CountStrangers{out_, static_cast<std::uint64_t>(ranks_->rank()), n_, share_}, wrong);
    return wrong;
  }

 private:
  riffle::detail::mpi::Shares shares() const {
    riffle::detail::mpi::Shares shares(ranks_->size());
    for (int rank = 0; rank < ranks_->size(); ++rank) {
      shares[rank] = rank == ranks_->rank() ? 0 : share_;
    }
    return shares;
  }

  std::uint64_t share_;
  Elements<double> in_;
  Elements<double> out_;
  riffle::detail::Call<Exec> call_{exec_, "perf::exchange"};
  riffle::detail::mpi::Redistribution<Exec> exchange_;
};

}  // namespace

void register_exchange(Ranks& ranks) {
  if (ranks.size() > 1) return register_row<Exchange>(ranks);
  // With one rank, nothing is sent.
  for (auto const n : ranks.options().sizes) {
    ranks.measured().set(Exchange::name, static_cast<std::uint64_t>(n), 0);
  }
}

}  // namespace perf
