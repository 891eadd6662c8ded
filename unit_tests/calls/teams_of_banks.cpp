// Sorts, partitions and permutations of matrices in a team's scratch memory, one row to a bank.

#include <Kokkos_Core.hpp>
#include <riffle/permute/row_permutation.hpp>
#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>
#include <riffle/published/bank_conflict_free_sorting/banked_matrix.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_matrix_conversion.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_matrix_sort.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_partition.hpp>
#include <riffle/published/bank_conflict_free_sorting/team_permute.hpp>
#include <riffle/sort/key_value.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::teams_of_banks_cases {
namespace {

using Index = std::uint32_t;
/// Elements with their original places.
using Keyed = KeyValue<float, Index>;

constexpr int league_size = 3;

/// 32 * columns labels or elements for each team; a team is a warp of a GPU or a thread of a CPU.
template <class Exec>
struct Cells {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  template <class T>
  KOKKOS_FUNCTION BankedMatrix<T> take(Member const& team) const {
    std::size_t const bytes = BankedMatrix<T>::bytes(columns);
    return {team.team_scratch(0).get_shmem_aligned(bytes, 8), columns};
  }

  /// Element k is in row k % 32 and column k / 32.
  template <class T>
  KOKKOS_FUNCTION void load(Member const& team, Array<Exec, T> const& from,
                            BankedMatrix<T> const& matrix) const {
    for (Index k = first(team); k < 32 * columns; k += step(team)) {
      matrix.write(k % 32, k / 32, from(begin(team) + k));
    }
    team.team_barrier();
  }

  template <class T>
  KOKKOS_FUNCTION void store(Member const& team, BankedMatrix<T> const& matrix,
                             Array<Exec, T> const& to) const {
    team.team_barrier();
    for (Index k = first(team); k < 32 * columns; k += step(team)) {
      to(begin(team) + k) = matrix.read(k % 32, k / 32);
    }
  }

  KOKKOS_FUNCTION static Index first(Member const& team) {
    return static_cast<Index>(team.team_rank());
  }
  KOKKOS_FUNCTION static Index step(Member const& team) {
    return static_cast<Index>(team.team_size());
  }
  KOKKOS_FUNCTION std::size_t begin(Member const& team) const {
    return std::size_t{32} * columns * static_cast<std::size_t>(team.league_rank());
  }

  Index columns;
};

template <class Exec, class Kernel>
void run_by_teams(Exec const& exec, std::size_t scratch_bytes, Kernel const& kernel) {
  Kokkos::TeamPolicy<Exec> policy(exec, league_size, bank_processor_threads<Exec>);
  policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  Kokkos::parallel_for("riffle::test::banks", policy, kernel);
}

template <class Exec>
constexpr int team_threads = bank_processor_threads<Exec>;

template <class Exec, class T, class Compare, class OtherCompare>
struct SortMatrix : Cells<Exec> {
  using typename Cells<Exec>::Member;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const matrix = this->template take<T>(team);
    this->load(team, data, matrix);
    bool sorted = team_matrix_sort(team, matrix, Compare{}, MatrixOrder::column_major);
    this->store(team, matrix, data);
    team.team_barrier();
    this->load(team, again, matrix);
    sorted = team_matrix_shearsort(team, matrix, OtherCompare{}) && sorted;
    sorted = team_matrix_to_column_major(team, matrix) && sorted;
    sorted = team_matrix_to_row_major(team, matrix) && sorted;
    this->store(team, matrix, again);
    done(team.league_rank()) = sorted ? 1 : 0;
  }

  Array<Exec, T> data;
  Array<Exec, T> again;
  Array<Exec, int> done;
};

/// Elements that tie have the same order everywhere, too.
template <class T, class Compare, class OtherCompare>
struct TeamMatrixSort {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t columns, Results& results) const {
    auto const m = static_cast<Index>(columns);
    auto const values = to_array<Exec>(elements(league_size * 32 * columns));
    auto const again = to_array<Exec>(elements(league_size * 32 * columns));
    SortMatrix<Exec, T, Compare, OtherCompare> const kernel{
        {m}, values, again, make_output<Exec, int>(league_size)};
    run_by_teams(
        exec,
        BankedMatrix<T>::bytes(m) + team_matrix_scratch_bytes<Exec>(team_threads<Exec>, m) + 16,
        kernel);
    results.add("sorted", values);
    results.add("by Shearsort", again);
    results.add("done", kernel.done);
  }

  static std::vector<T> elements(std::uint64_t n) {
    if constexpr (std::is_same_v<T, Card>) {
      return cards(n);
    } else {
      std::vector<T> values(n);
      for (std::uint64_t i = 0; i < n; ++i) {
        values[i] = {plain_number<float>(word(i) % 4096 << 24), static_cast<Index>(i)};
      }
      return values;
    }
  }
};

struct LowBits {
  KOKKOS_FUNCTION std::uint32_t operator()(Card const& card) const { return card.number % 32; }
};

template <class Exec>
struct PartitionMatrix : Cells<Exec> {
  using typename Cells<Exec>::Member;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const own_labels = this->template take<Index>(team);
    auto const own_cards = this->template take<Card>(team);
    this->load(team, labels, own_labels);
    this->load(team, of_labels, own_cards);
    auto const status = team_partition(team, own_labels, own_cards);
    this->store(team, own_cards, of_labels);
    this->store(team, own_labels, labels);
    team.team_barrier();
    this->load(team, by_function, own_cards);
    auto const other_status = team_partition(team, own_cards, LowBits{});
    this->store(team, own_cards, by_function);
    statuses(2 * team.league_rank()) = status;
    statuses(2 * team.league_rank() + 1) = other_status;
  }

  Array<Exec, Index> labels;
  Array<Exec, Card> of_labels;
  Array<Exec, Card> by_function;
  Array<Exec, TeamPartitionStatus> statuses;
};

struct TeamPartition {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t columns, Results& results) const {
    auto const m = static_cast<Index>(columns);
    std::vector<Index> labels;
    std::vector<Card> shuffled;
    for (int team = 0; team < league_size; ++team) {
      for (auto const i : permutation_of<Index>(32 * columns, static_cast<std::uint64_t>(team))) {
        labels.push_back(i % 32);
        shuffled.push_back({team, i});
      }
    }
    PartitionMatrix<Exec> const kernel{{m},
                                       to_array<Exec>(labels),
                                       to_array<Exec>(cards(labels.size())),
                                       to_array<Exec>(shuffled),
                                       make_output<Exec, TeamPartitionStatus>(2 * league_size)};
    run_by_teams(exec,
                 BankedMatrix<Index>::bytes(m) + BankedMatrix<Card>::bytes(m) +
                     team_partition_scratch_bytes<Exec>(team_threads<Exec>, m) + 32,
                 kernel);
    results.add("labels", kernel.labels);
    results.add("cards", kernel.of_labels);
    results.add("cards by a function", kernel.by_function);
    results.add("statuses", kernel.statuses);
  }
};

template <class Exec>
struct PermuteMatrix : Cells<Exec> {
  using typename Cells<Exec>::Member;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const own_labels = this->template take<Index>(team);
    auto const own_cards = this->template take<Card>(team);
    auto const target = this->template take<Card>(team);
    this->load(team, labels, own_labels);
    this->load(team, data, own_cards);
    // The plan comes first, since it leaves the source unchanged.
    auto const planned = team_permute(
        team, schedule, static_cast<std::uint64_t>(team.league_rank()), own_cards, target);
    this->store(team, target, by_plan);
    TeamPermuteOptions options;
    options.seed = 5;
    TeamPermuteResult const result = team_permute(team, own_labels, own_cards, options);
    this->store(team, own_cards, data);
    found(3 * team.league_rank()) = static_cast<Index>(planned);
    found(3 * team.league_rank() + 1) = static_cast<Index>(result.status);
    found(3 * team.league_rank() + 2) = result.rounds;
  }

  Array<Exec, Index> labels;
  Array<Exec, Card> data;
  Array<Exec, Card> by_plan;
  RowSchedule<Exec> schedule;
  Array<Exec, Index> found;
};

struct TeamPermute {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t columns, Results& results) const {
    auto const m = static_cast<Index>(columns);
    std::vector<Index> labels;
    for (std::uint64_t team = 0; team < league_size; ++team) {
      auto const own = permutation_of<Index>(32 * columns, team);
      labels.insert(labels.end(), own.begin(), own.end());
    }
    auto const images = to_matrix<Exec>(labels, 32 * columns);
    RowPermutation<Exec> const plan(exec, images);
    PermuteMatrix<Exec> const kernel{{m},
                                     to_array<Exec>(labels),
                                     to_array<Exec>(cards(labels.size())),
                                     make_output<Exec, Card>(labels.size()),
                                     plan.schedule(),
                                     make_output<Exec, Index>(3 * league_size)};
    run_by_teams(exec,
                 BankedMatrix<Index>::bytes(m) + 2 * BankedMatrix<Card>::bytes(m) +
                     team_permute_scratch_bytes<Exec, Card>(team_threads<Exec>, m) + 64,
                 kernel);
    results.add("cards", kernel.data);
    results.add("cards by a plan", kernel.by_plan);
    results.add("statuses and rounds", kernel.found);
  }
};

std::vector<std::uint64_t> columns_of_matrices() { return {1, 2, 3, 16, 31, 32, 33}; }

Cases const cases{
    make_case<TeamMatrixSort<Keyed, ByKeyThenValue<Descending>, ByKey<>>>("team_matrix_sort_keys",
                                                                          columns_of_matrices()),
    make_case<TeamMatrixSort<Card, BySuit, BySuit>>("team_matrix_sort_by_users_comparison",
                                                    columns_of_matrices()),
    make_case<TeamPartition>("team_partition", columns_of_matrices()),
    // Up to the largest number of columns for the 32 KiB that Kokkos's OpenMP provides to a team.
    make_case<TeamPermute>("team_permute", {1, 2, 3, 16, 17, 27}),
};

}  // namespace
}  // namespace riffle::test::calls::teams_of_banks_cases
