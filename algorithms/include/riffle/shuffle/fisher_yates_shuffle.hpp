#pragma once

// FisherYates, an algorithm of shuffle, shuffle_copy and random_permutation for small arrays on a CPU. It calls
// fisher_yates (riffle/random/fisher_yates.hpp).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/view_copies.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/fisher_yates.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/view_pack.hpp>

namespace riffle {

namespace detail {

/// The source of a shuffle in place: the array already contains the values. The other sources first fill the array.
struct FromItself {};

struct FromIota {
  template <class Out>
  KOKKOS_FUNCTION void write(std::uint64_t i, Out const& out) const {
    out(i) = static_cast<typename Out::value_type>(i);
  }
};

template <class In>
struct FromView {
  In in;

  template <class Out>
  KOKKOS_FUNCTION void write(std::uint64_t i, Out const& out) const {
    out(i) = in(i);
  }
};

/// Fills an array from its source and shuffles the array, with one thread.
template <class Source, class Out>
struct FisherYatesOfValues {
  Source source;
  Out out;
  std::uint64_t n;
  SeedAndStream random;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const {
    if constexpr (!std::is_same_v<Source, FromItself>) {
      for (std::uint64_t i = 0; i < n; ++i) source.write(i, out);
    }
    if constexpr (std::is_same_v<typename Out::array_layout, Kokkos::LayoutStride>) {
      fisher_yates(out, n, random.seed, random.stream);
    } else {
      fisher_yates(out.data(), n, random.seed, random.stream);
    }
  }
};

template <class Exec, class Source, class Out>
void fisher_yates_values(Context<Exec> const& context, std::uint64_t n, Source const& source,
                         Out const& out, SeedAndStream random) {
  run_on_calling_thread(context, FisherYatesOfValues<Source, Out>{source, out, n, random});
}

}  // namespace detail

/// The Fisher-Yates shuffle by one thread. It is exactly uniform for any n, if its random words are uniform. Pass it to
/// shuffle, shuffle_copy or random_permutation. sigma is the result of shuffling 0, ..., n - 1 with
/// fisher_yates; it is not a RandomPermutation.
///
/// Use it for few values, or to shuffle values in place without memory. On a CPU with AVX-512 the default is faster for
/// n >= 2^8; on other CPUs FisherYates is faster up to about n = 2^11. On a GPU one thread does all the work, which is
/// useful only to compare results: use the default there, or, for many small arrays, call fisher_yates in a kernel.
///
/// Complexity: for rank-1 Views one copy (none in place) and n swaps. For rows and packs, sigma is stored and the rows
/// are gathered. Memory of the workspace: none for rank-1 Views. For rows and packs, n indices of 4 bytes (8 for
/// n > 2^32), and in place also a copy of the data.
struct FisherYates {
  /// Whether shuffle() in place swaps the values of `Data`, which may then be of any movable type.
  template <class Data>
  static constexpr bool swaps_values = detail::is_value_array<Data>;

  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    SeedAndStream random) const {
    if constexpr (detail::is_value_array<Out>) {
      detail::fisher_yates_values(context, n, detail::FromView<In>{in}, out, random);
    } else {
      detail::with_index_type(n, [&]<class Index>(Index) {
        using Indices = Kokkos::View<Index*, typename Exec::memory_space,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
        detail::Scope scope(context);
        Indices const indices(scope.template take<Index>(n), n);
        write_permutation(context, n, indices, random);
        detail::gather_rows(context.named("gather"), n, detail::StoredPermutation<Indices>{indices},
                            in, out);
      });
    }
  }

  template <class Exec, class Data>
  void shuffle_in_place(Context<Exec> const& context, std::uint64_t n, Data const& data,
                        SeedAndStream random) const {
    if constexpr (detail::is_value_array<Data>) {
      detail::fisher_yates_values(context, n, detail::FromItself{}, data, random);
    } else {
      detail::with_copy_of_rows(
          context, data, [&](auto const& copy) { shuffle_rows(context, n, copy, data, random); });
    }
  }

  template <class Exec, class Out>
  void write_permutation(Context<Exec> const& context, std::uint64_t n, Out const& out,
                         SeedAndStream random) const {
    detail::fisher_yates_values(context, n, detail::FromIota{}, out, random);
  }
};

}  // namespace riffle
