#pragma once

// What a team does with a part of a bucket, whose runs it has found.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/backend/backend.hpp>
#include <riffle/sort/detail/gpu/by_splitters/classes.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/runs.hpp>

namespace riffle::detail::sort::by_splitters {

/// Sorts a part to the output's elements from `begin` on, or keeps it there as it is and notes that it is crowded.
template <class Word, class Out, class Arrays, int threads>
class PartSorter {
 public:
  using Runs = PartRuns<Word, threads>;
  using Classes = ClassesOfTeam<Word, threads>;
  static_assert(Runs::bytes <= Classes::words_bytes);

  KOKKOS_FUNCTION PartSorter(Out const& out, Arrays const& arrays, Runs const& runs, Index begin)
      : out_(out), arrays_(arrays), runs_(runs), begin_(begin) {}

  /// Of a part whose words are all alike.
  KOKKOS_FUNCTION void write_ties(Word const& word, Index thread) const {
    for (Index i = thread; i < runs_.size(); i += threads) out_.write(begin_ + i, word);
  }

  /// All threads of the team call this. The memory of the classes may be that of the runs.
  template <class Member>
  KOKKOS_FUNCTION void sort(Member const& team, Classes const& classes,
                            Bounds<Word> const& bounds) const {
    Word words[Classes::held];
    runs_.template load_own<batch>(static_cast<Index>(team.team_rank()), words);
    bool const is_sorted = classes.sort(
        team, words, runs_.size(), bounds,
        [&](Index i, Word const& word) { out_.write(begin_ + i, word); },
        [&](Index i, Word const& word) { out_.keep(begin_ + i, word); });
    if (!is_sorted) note_crowded(team);
  }

  /// The same of a part that scratch memory does not hold.
  template <class Member>
  KOKKOS_FUNCTION void leave(Member const& team) const {
    for (auto first = static_cast<Index>(team.team_rank()); first < runs_.size();
         first += batch * threads) {
      Word elements[batch];
      runs_.template load<batch>(first, threads, elements);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        Index const i = first + static_cast<Index>(k * threads);
        if (i < runs_.size()) out_.keep(begin_ + i, elements[k]);
      }
    }
    note_crowded(team);
  }

 private:
  static constexpr int batch = 4;

  template <class Member>
  KOKKOS_FUNCTION void note_crowded(Member const& team) const {
    if (team.team_rank() != 0) return;
    auto const place = Kokkos::atomic_fetch_add(arrays_.crowded_count, Index{1});
    arrays_.crowded[place] = {begin_, runs_.size()};
  }

  Out const& out_;
  Arrays const& arrays_;
  Runs const& runs_;
  Index begin_;
};

}  // namespace riffle::detail::sort::by_splitters
