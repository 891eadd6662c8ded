#pragma once

// BucketShuffle on a GPU: per level of split nodes, digits are counted and the counts scanned, from the
// root down; the leaves permute; and the levels riffle, from the lowest up. Rows are gathered in place of both.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/shuffle/detail/bucket/definition.hpp>
#include <riffle/shuffle/detail/bucket/gpu/copy.hpp>
#include <riffle/shuffle/detail/bucket/gpu/count.hpp>
#include <riffle/shuffle/detail/bucket/gpu/gather.hpp>
#include <riffle/shuffle/detail/bucket/gpu/leaf_gpu.hpp>
#include <riffle/shuffle/detail/bucket/gpu/level.hpp>
#include <riffle/shuffle/detail/bucket/gpu/plan.hpp>
#include <riffle/shuffle/detail/bucket/gpu/riffle_gpu.hpp>
#include <riffle/shuffle/detail/bucket/sources.hpp>

namespace riffle::detail::bucket_shuffle {

/// Has the digits of all levels counted, and the keys of leaves drawn.
template <class T, class Index, class Launch, class Scan>
void count_digits(GpuPlan<T, Index> const& plan, void* buffer, std::uint64_t seed,
                  Launch const& launch, Scan const& scan) {
  for (int number = 0; number < plan.depth(); ++number) {
    bool const has_leaves = number + 1 == plan.depth();
    Level<Index> const level = plan.level(number, buffer, seed);
    CountDigits<Index> const kernel{level, has_leaves ? plan.keys(buffer) : nullptr,
                                    leaf_seed(seed)};
    launch("count", level.teams(), kernel);
    scan(level.counts, level.size());
  }
}

/// Gathers rows through sigma, by the same launches, below one level: copies is a pack of RowCopy whose rows are not in
/// parts.
template <class Launch, class Scan, class Copies>
void gather_below_one_level(GpuPlan<void, std::uint32_t> const& plan, void* buffer,
                            std::uint64_t seed, Copies const& copies, Launch const& launch,
                            Scan const& scan) {
  count_digits(plan, buffer, seed, launch, scan);
  Level<std::uint32_t> const level = plan.level(0, buffer, seed);
  launch("gather", level.teams(), GatherTiles<Copies>(level, plan.keys(buffer), copies));
}

/// The passes, launched in order by launch(name, teams, kernel) and scan(counts, size). Elements is a View
/// of the plan's temporary.
template <class Elements, class Index, class Launch, class Scan>
class GpuPasses {
  using T = typename Elements::value_type;

 public:
  GpuPasses(GpuPlan<T, Index> const& plan, void* buffer, std::uint64_t n, std::uint64_t seed,
            Launch const& launch, Scan const& scan)
      : plan_(plan),
        buffer_(buffer),
        n_(n),
        seed_(seed),
        elements_(plan.elements(buffer), n),
        launch_(launch),
        scan_(scan) {}

  /// out(i) = source(sigma(i)). InPlace: source reads out itself.
  template <bool InPlace, class Source, class Out>
  void run(Source const& source, Out const& out) const {
    count_digits(plan_, buffer_, seed_, launch_, scan_);
    // Each level moves all elements between the temporary and out, the uppermost to out.
    if (plan_.depth() % 2 == 1) {
      permute_leaves_to_temporary(source);
    } else if constexpr (InPlace) {
      launch_("copy", CopyTiles<Source, Elements>::teams(n_),
              CopyTiles<Source, Elements>{n_, source, elements_});
      permute_leaves<ManyTeams>(ReadView<Elements, T>{elements_}, out);
    } else {
      permute_leaves<ManyTeams>(source, out);
    }
    for (int level = plan_.depth() - 1; level >= 0; --level) {
      if (level % 2 == 0) {
        riffle(level, ReadView<Elements, T>{elements_}, out);
      } else {
        riffle(level, ReadView<Out, T>{out}, elements_);
      }
    }
  }

 private:
  template <class Source>
  void permute_leaves_to_temporary(Source const& source) const {
    constexpr bool is_narrow = sizeof(Index) == sizeof(std::uint32_t);  // else leaves are large
    if constexpr (Source::is_memory && is_narrow && OneTeam<T>::suits_elements) {
      if (OneTeam<T>::suits(mean_leaf())) return permute_leaves<OneTeam>(source, elements_);
    }
    permute_leaves<ManyTeams>(source, elements_);
  }

  double mean_leaf() const { return static_cast<double>(n_) / static_cast<double>(plan_.leaves()); }

  template <template <class Value> class Teams, class Source, class To>
  void permute_leaves(Source const& source, To const& to) const {
    using Kernel = PermuteLeaves<Source, To, Index, Teams>;
    Kernel const kernel{n_,
                        plan_.leaves(),
                        Teams<T>::teams_for(mean_leaf(), Kernel::step),
                        plan_.leaf_starts(buffer_),
                        plan_.leaf_stride(),
                        plan_.keys(buffer_),
                        leaf_seed(seed_),
                        source,
                        to};
    launch_("leaves", kernel.teams(), kernel);
  }

  template <class From, class To>
  void riffle(int number, From const& from, To const& to) const {
    Level<Index> const level = plan_.level(number, buffer_, seed_);
    launch_("riffle", level.teams(), RiffleTiles<From, To, Index>(level, from, to));
  }

  GpuPlan<T, Index> plan_;
  void* buffer_;
  std::uint64_t n_;
  std::uint64_t seed_;
  Elements elements_;
  Launch launch_;
  Scan scan_;
};

}  // namespace riffle::detail::bucket_shuffle
