// Shuffles by algorithms other than the default: the papers', and the one by a single thread.

#include <Kokkos_Core.hpp>
#include <riffle/published/bijective_shuffle/bijective_shuffle.hpp>
#include <riffle/published/bijective_shuffle/linear_congruential.hpp>
#include <riffle/random/fisher_yates.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/shuffle/fisher_yates_shuffle.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::shuffles_published_cases {
namespace {

constexpr std::uint64_t seed = 2022;

template <class Algorithm>
struct ByBijection {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const in = to_array<Exec>(cards(n));
    auto const out = make_output<Exec, Card>(n);
    shuffle_copy(Context(exec, workspace), in, out, seed, Algorithm{});
    results.add("cards", out);
  }
};

struct ByOneThread {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(plain_numbers<double>(n));
    auto const out = make_output<Exec, double>(n);
    shuffle_copy(exec, in, out, seed, FisherYates{});
    results.add("shuffle_copy", out);
    shuffle(exec, in, seed, FisherYates{});
    results.add("shuffle", in);
    auto const images = make_output<Exec, std::uint32_t>(n);
    random_permutation(exec, images, seed, FisherYates{});
    results.add("random_permutation", images);
  }
};

/// Each thread shuffles a deck.
template <class Decks, class Sums>
struct ShuffleDecks {
  Decks decks;
  Sums sums;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const n = decks.extent(1);
    fisher_yates(&decks(i, 0), n, seed, i);
    std::uint64_t sum = 0;
    fisher_yates_exchanges(n, seed, i,
                           [&](std::uint64_t a, std::uint64_t b) { sum = 31 * sum + a * n + b; });
    sums(i) = sum;
  }
};

struct ManyDecks {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::uint64_t const count = 100;
    auto const decks = to_matrix<Exec>(cards(count * n), n);
    auto const sums = make_output<Exec, std::uint64_t>(n == 0 ? 0 : count);
    using Kernel = ShuffleDecks<Matrix<Exec, Card>, Array<Exec, std::uint64_t>>;
    Kokkos::parallel_for("decks", Kokkos::RangePolicy<Exec>(exec, 0, decks.extent(0)),
                         Kernel{decks, sums});
    results.add("decks", decks);
    results.add("exchanges", sums);
  }
};

Cases const cases{
    make_case<ByBijection<Bijective0<>>>("shuffle_bijective_0", sizes()),
    make_case<ByBijection<Bijective1<>>>("shuffle_bijective_1", sizes()),
    make_case<ByBijection<Bijective2<LinearCongruential>>>("shuffle_bijective_2", sizes()),
    make_case<ByOneThread>("shuffle_fisher_yates", up_to(65537)),
    make_case<ManyDecks>("fisher_yates_many_decks", small_sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::shuffles_published_cases
