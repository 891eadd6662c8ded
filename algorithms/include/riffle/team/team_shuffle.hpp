#pragma once

// Shuffles and random permutations by the threads of one team.
//
// team_fisher_yates: the threads draw the random words of the shuffle in parallel, and store them in scratch memory. The
// first thread then swaps the items one after the other, because each swap depends on the swaps before it.
//
//     scratch memory   | word 0 | word 1 | word 2 | ...     barrier     the first thread reads the words in order
//     drawn by thread  |   0    |   1    |   2    | ...

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/random/fisher_yates.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/random/random_permutation.hpp>

namespace riffle {

namespace detail::team_shuffle {

/// Word w of the shuffle's stream.
KOKKOS_INLINE_FUNCTION std::uint64_t word(std::uint64_t seed, std::uint64_t stream,
                                          std::uint64_t w) {
  return word_of_block(random_block(seed, stream, Purpose::fisher_yates, w / 2), w % 2);
}

}  // namespace detail::team_shuffle

/// Returns the number of bytes of scratch memory of level 0 with which team_fisher_yates shuffles up to n items fastest:
/// 16 + 8 bytes for each random word, which is about 4/3 n bytes for n <= 512 and 8/3 n bytes for n <= 2^19. Calls that
/// follow each other use the same bytes. Add the scratch memory that the kernel itself takes.
KOKKOS_INLINE_FUNCTION constexpr std::size_t team_fisher_yates_scratch_bytes(std::size_t n) {
  return n < 2 ? 0 : sizeof(std::uint64_t) * detail::words_of_exchanges(n) + 16;
}

/// Shuffles items[0], ..., items[n - 1] as fisher_yates does: the result is the same bits for the same n, seed and
/// stream.
///
/// - team: a member of a TeamPolicy with vector length 1 (the default). On a CPU the first thread does all the work.
/// - items: as for fisher_yates, in scratch memory, or in global memory that only this team accesses; the same in all
///   threads.
/// - n, seed, stream: as for fisher_yates, and the same in all threads.
///
/// Requires: every thread of the team calls the function, outside of nested parallel loops. n is at most the number of
/// items; this is not checked, because a kernel cannot throw.
///
/// Complexity: on a GPU the team draws the random words in parallel, then one thread makes n - 1 swaps. If the policy
/// has less than team_fisher_yates_scratch_bytes(n) bytes of scratch memory left, this thread draws the words, too, and
/// the result is the same. Blocking: two team barriers, one before the first swap and one after the last. Reproducible.
template <class Member, class Items>
KOKKOS_INLINE_FUNCTION void team_fisher_yates(Member const& team, Items&& items, std::uint64_t n,
                                              std::uint64_t seed, std::uint64_t stream = 0) {
  if constexpr (backend::is_cpu<typename Member::execution_space>) {
    team.team_barrier();
    if (team.team_rank() == 0) fisher_yates(items, n, seed, stream);
    team.team_barrier();
  } else {
    using Shuffled = std::remove_reference_t<Items>;
    std::uint64_t count = detail::words_of_exchanges(n);
    // From a copy of the scratch space, after the Views that the caller has taken.
    auto const scratch = team.team_scratch(0);
    auto* const words = static_cast<std::uint64_t*>(
        scratch.get_shmem_aligned(sizeof(std::uint64_t) * count, std::ptrdiff_t{8}));
    if (words == nullptr) count = 0;
    auto const threads = static_cast<std::uint64_t>(team.team_size());
    for (auto w = static_cast<std::uint64_t>(team.team_rank()); w < count; w += threads) {
      words[w] = detail::team_shuffle::word(seed, stream, w);
    }
    team.team_barrier();
    if (team.team_rank() == 0) {
      std::uint64_t next = 0;
      // If words are rejected, more words are needed than are stored.
      auto random = [&] {
        std::uint64_t const w = next++;
        return w < count ? words[w] : detail::team_shuffle::word(seed, stream, w);
      };
      detail::exchange_all<detail::max_items<Shuffled>>(random, n,
                                                        detail::ExchangeItems<Shuffled>{items});
    }
    team.team_barrier();
  }
}

/// Sets out(i) = sigma(i) for i < n, where sigma is RandomPermutation(n, seed, stream).
///
/// - team: as for team_fisher_yates.
/// - out: a rank-1 View of an integer type that can represent n - 1, with n elements or more, in scratch memory, or in
///   global memory that only this team accesses.
/// - n, seed, stream: the same in all threads. n is at most 2^63.
///
/// Requires: every thread of the team calls the function, outside of nested parallel loops. out has n elements or more;
/// this is not checked.
///
/// Complexity: each thread computes n / team_size() + 1 consecutive values, which take O(1) operations each. Memory: none. Blocking: begins and ends
/// with a team barrier. Reproducible.
template <class Member, class Out>
KOKKOS_INLINE_FUNCTION void team_random_permutation(Member const& team, std::uint64_t n,
                                                    Out const& out, std::uint64_t seed,
                                                    std::uint64_t stream = 0) {
  using Value = typename Out::non_const_value_type;
  RandomPermutation const sigma(n, seed, stream);
  auto const rank = static_cast<std::uint64_t>(team.team_rank());
  auto const threads = static_cast<std::uint64_t>(team.team_size());
  std::uint64_t const share = n / threads + 1;
  std::uint64_t const first = rank * share < n ? rank * share : n;
  team.team_barrier();
  sigma.for_each_image(
      first, n - first < share ? n - first : share,
      [&](std::uint64_t i, std::uint64_t image) { out(i) = static_cast<Value>(image); });
  team.team_barrier();
}

}  // namespace riffle
