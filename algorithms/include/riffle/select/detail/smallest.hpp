#pragma once

// The k smallest of n elements, in order. Elements are ordered by unsigned integers, their codes, and elements with equal codes by
// their indices. So no two elements tie, and the result does not depend on how it is found:
//
//   1. A sample of the elements is sorted. One of its elements is the threshold.
//   2. One pass over all elements copies the candidates: all elements that are below the threshold, and perhaps some others. The host
//      reads their number.
//   3. The candidates are sorted. The first k of them are the result if they are below the threshold. If they are not, or if there are
//      too many candidates for the memory, steps 2 and 3 are repeated with all elements as candidates.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/select/detail/select_elements.hpp>
#include <riffle/select/tuning.hpp>
#include <riffle/sort/sort_by_key.hpp>

namespace riffle::detail::select {

/// An element's place in the order: its code and its index.
template <class Word>
using CodedIndex = Kokkos::pair<Word, std::uint64_t>;

/// Codes of elements, and the elements' indices.
template <class Exec, class Word>
struct CodedIndices {
  template <class T>
  using Array = Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;

  Array<Word> codes;
  Array<std::uint64_t> indices;

  CodedIndices(Scope<Exec>& scope, std::uint64_t size)
      : codes(scope.template take<Word>(size), size),
        indices(scope.template take<std::uint64_t>(size), size) {}

  KOKKOS_FUNCTION void store(std::uint64_t place, Word code, std::uint64_t index) const {
    codes(place) = code;
    indices(place) = index;
  }

  /// Sorts the first `size` elements by codes; elements with equal codes keep their order.
  void sort(Context<Exec> const& context, std::uint64_t size) const {
    Kokkos::pair<std::uint64_t, std::uint64_t> const first(0, size);
    sort_by_key(context, Kokkos::subview(codes, first), Kokkos::subview(indices, first));
  }

  CodedIndex<Word> read(Context<Exec> const& context, std::uint64_t place) const {
    return {read_element(context, Kokkos::subview(codes, place)),
            read_element(context, Kokkos::subview(indices, place))};
  }

  void write_indices(Context<Exec> const& context, WritableArrayFrom<Exec> auto const& out) const {
    write_images(context, StoredIndices<Array<std::uint64_t>>{indices}, out);
  }
};

/// Stores one random element of each of `size` parts of the elements, in ascending order of indices. Neighbouring parts share an
/// element if n is not a multiple of the size, which is a power of two.
template <class Codes, class Pairs>
struct StoreSample {
  Codes codes;
  Pairs pairs;
  std::uint64_t n;
  std::uint64_t size;

  KOKKOS_FUNCTION void operator()(std::uint64_t part) const {
    // The number of the element, divided by n, as a fraction of 2^64.
    std::uint64_t const fraction = (part << 32 | random_block(0, 0, Purpose::selection, part)[0]) *
                                   ((std::uint64_t{1} << 32) / size);
    std::uint64_t const index = multiply_high(fraction, n);
    pairs.store(part, codes(index), index);
  }
};

/// Stores the elements that may be below the threshold, and their number, which may exceed the capacity. (The first and the second
/// argument of select().)
template <class Codes, class Pairs, class CountView>
struct StoreCandidates {
  static constexpr bool needs_previous = false;
  static constexpr bool writes_values = false;
  using Word = typename Codes::Word;

  Codes codes;
  CodedIndex<Word> threshold;
  Pairs pairs;
  CountView count;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return satisfies(value(i), i); }
  KOKKOS_FUNCTION auto value(std::uint64_t i) const { return codes.value(i); }
  template <class Value>
  KOKKOS_FUNCTION bool satisfies(Value const& value, std::uint64_t i) const {
    return codes.may_be_below(threshold, value, i);
  }

  KOKKOS_FUNCTION Word load(std::uint64_t i) const { return codes(i); }
  KOKKOS_FUNCTION void store(std::uint64_t place, std::uint64_t i, std::uint64_t, Word code) const {
    if (place < pairs.codes.extent(0)) pairs.store(place, code, i);
  }
  KOKKOS_FUNCTION void finish(std::uint64_t kept, std::uint64_t) const { count() = kept; }
};

/// Calls use(pairs) with the k smallest of n >= k elements at the start of pairs.codes and pairs.indices, if k > 0. codes(i) is the
/// code of element i, and codes.may_be_below(threshold, codes.value(i), i) may be true if it is not below the threshold. It is called
/// after codes = codes.up_to(threshold.first). Fences.
template <class Exec, class Codes, class Use>
void with_smallest(Context<Exec> const& context, std::uint64_t n, std::uint64_t k,
                   Codes const& codes, Use const& use) {
  using Word = typename Codes::Word;
  using Pairs = CodedIndices<Exec, Word>;
  auto const try_below = [&](CodedIndex<Word> const& threshold, std::uint64_t capacity) {
    Scope scope(context);
    Pairs const candidates(scope, capacity);
    std::uint64_t const count = returned_count(context, [&](auto const& kept) {
      StoreCandidates<Codes, Pairs, std::decay_t<decltype(kept)>> const below{
          codes.up_to(threshold.first), threshold, candidates, kept};
      select(context.named("candidates"), n, below, below);
    });
    if (count < k || count > capacity) return false;
    candidates.sort(context.named("sort"), count);
    if (!(candidates.read(context, k - 1) < threshold)) return false;
    use(candidates);
    return true;
  };
  if (k == 0) return;
  if (Sample const sample(n, k); sample.size > 0) {
    Scope scope(context);
    Pairs const pairs(scope, sample.size);
    context.named("sample").for_each(sample.size,
                                     StoreSample<Codes, Pairs>{codes, pairs, n, sample.size});
    pairs.sort(context.named("sort_sample"), sample.size);
    if (try_below(pairs.read(context, sample.rank), sample.capacity)) return;
  }
  try_below({static_cast<Word>(~Word{0}), n}, n);
}

/// Throws unless `indices`, the argument `name`, has at most n elements, which can represent n - 1, and shares none with the
/// argument `in`, which has n elements.
template <class In, class Indices>
void check_indices(char const* function, char const* name_of_in, In const& in, char const* name,
                   Indices const& indices) {
  std::uint64_t const n = in.extent(0);
  check(indices.extent(0) <= n, function, name, ".extent(0) = ", indices.extent(0),
        ": must not exceed n = ", n);
  check_can_index(function, name, indices, n);
  check_disjoint(function, name_of_in, in, name, indices);
}

}  // namespace riffle::detail::select
