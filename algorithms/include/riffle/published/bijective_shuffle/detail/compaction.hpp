#pragma once

// The common part of the three forms of the bijective shuffle. The bijection is evaluated at each
// point of the padded domain. A value is kept if it is less than n. The kept values, in the order
// of their points, are the indices of the rows that are gathered.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/for_each_image.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail {

/// A value of the bijection, if it is less than n and so is kept; otherwise `none`.
template <class Index>
struct KeptImage {
  static constexpr Index none = static_cast<Index>(~Index{0});

  Index image;

  KOKKOS_FUNCTION explicit operator bool() const { return image != none; }
};

template <class Bijection, class IndexType>
struct EvaluateBijection {
  using Index = IndexType;

  Bijection bijection;
  std::uint64_t n;

  KOKKOS_FUNCTION KeptImage<Index> operator()(std::uint64_t i) const {
    std::uint64_t const image = bijection(i);
    return {image < n ? static_cast<Index>(image) : KeptImage<Index>::none};
  }

  /// Evaluates the points first, ..., first + count - 1, in vectors of a CPU if the bijection
  /// supports that. Host only.
  void fill(std::uint64_t first, std::size_t count, KeptImage<Index>* out) const {
    if constexpr (VisitsBlocks<Bijection>) {
      bijection.visit_blocks(first, count,
                             [&](std::uint64_t begin, std::size_t size, auto const* images) {
                               for (std::size_t k = 0; k < size; ++k) {
                                 bool const is_kept = images[k] < n;
                                 out[begin - first + k] = {is_kept ? static_cast<Index>(images[k])
                                                                   : KeptImage<Index>::none};
                               }
                             });
    } else {
      for (std::size_t k = 0; k < count; ++k) out[k] = (*this)(first + k);
    }
  }
};

template <class Index, class In, class Out>
struct GatherKept {
  In in;
  Out out;

  KOKKOS_FUNCTION void operator()(std::uint64_t, Index place, KeptImage<Index> const& kept) const {
    if (kept) copy_row(in, kept.image, out, place);
  }
};

/// Gathers values. Loads and stores are separate functions, so that a thread can have several loads
/// in flight.
template <class Index, class In, class Out>
struct GatherKeptValue {
  using Value = typename Out::value_type;

  In in;
  Out out;

  KOKKOS_FUNCTION Value load(KeptImage<Index> const& kept) const {
    return static_cast<Value>(in(kept.image));
  }

  KOKKOS_FUNCTION void store(Index place, Value const& value) const { out(place) = value; }

  KOKKOS_FUNCTION void operator()(std::uint64_t, Index place, KeptImage<Index> const& kept) const {
    if (kept) store(place, load(kept));
  }
};

template <class Index, class In, class Out>
auto gather_kept(In const& in, Out const& out) {
  if constexpr (is_value_array<Out>) {
    return GatherKeptValue<Index, In, Out>{in, out};
  } else {
    return GatherKept<Index, In, Out>{in, out};
  }
}

/// Calls use(evaluate, points). `evaluate` is an EvaluateBijection with an index type that can
/// represent all points and one additional mark.
template <class Use>
struct EvaluateWithIndex {
  std::uint64_t n;
  std::uint64_t points;
  Use const& use;

  template <class Form>
  void operator()(Form const& form) const {
    if (points <= 0xFFFFFFFFu) {
      use(EvaluateBijection<Form, std::uint32_t>{form, n}, points);
    } else {
      use(EvaluateBijection<Form, std::uint64_t>{form, n}, points);
    }
  }
};

/// Constructs the bijection on 2^b points, the next power of two, in the form that is fastest on
/// Exec, and calls use(evaluate, points). Does nothing if n = 0. Each of the three shuffles begins
/// with this call.
template <class Exec, class Bijection, class Use>
void with_padded_bijection(std::uint64_t n, std::uint64_t seed, Use const& use) {
  if (n == 0) return;
  Bijection const bijection(bit_width(n - 1), seed);
  EvaluateWithIndex<Use> const visit{n, bijection.size(), use};
  if constexpr (!backend::is_cpu<Exec> && Specializes<Bijection>) {
    bijection.specialize(visit);
  } else {
    visit(bijection);
  }
}

}  // namespace riffle::detail
