#pragma once

// Sorts up to a million or two of elements on a GPU in four launches, by parts that teams sort in scratch memory:
// splitters from a sample divide the elements [1], in one level, whatever they are, since no two of them are alike.
// Nothing is counted beforehand, and the host waits for nothing.
//
// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", J. ACM 17
//     (1970).

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/gpu/by_parts/arrays_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_parts/leaves_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_parts/sample_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_parts/split_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_splitters/ends.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort::by_parts {

using by_splitters::CompanionOf;
using by_splitters::Companions;
using by_splitters::companions_of;
using by_splitters::KeysIn;
using by_splitters::KeysOut;
using by_splitters::NumbersIn;
using by_splitters::NumbersOut;
using by_splitters::PairsIn;
using by_splitters::PairsOut;
using by_splitters::words_of;

static_assert(max_by_parts<double> <= max_elements<std::uint64_t>);
static_assert(max_by_parts<float> <= max_elements<std::uint32_t>);
static_assert(max_pairs_by_parts<double> <= max_elements<IndexedCode>);

/// The passes, launched in order by launch(name, teams, kernel).
template <class In, class Out, class Launch>
void sort_in_passes(In const& in, Out const& out, Arrays<typename In::Element> const& arrays,
                    Launch const& launch) {
  using Element = typename In::Element;
  Sample const sample(arrays.size, arrays.parts * sample_per_part);
  SortChunks<In> const chunks(in, arrays, sample);
  ChooseSplitters<Element> const choose(arrays, sample);
  SortParts<Out> const leaves{out, arrays};
  launch("sample", chunks.teams(), chunks);
  launch("choose", choose.teams(), choose);
  launch("split", static_cast<int>(arrays.tiles), SplitTiles<In>{in, arrays});
  launch("leaves", leaves.teams(), leaves);
}

/// Sorts n elements, of which there are no fewer than there would be in a sample for two parts.
template <class In, class Out, class Exec>
void sort_elements(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out) {
  using Element = typename In::Element;
  Scope scope(context);
  sort_in_passes(in, out,
                 scope.arrays([&](ArrayMemory& memory) { return Arrays<Element>(memory, n); }),
                 launches_of(context));
}

/// Sorts n numbers from `in` to `out`, which may be the same.
template <class Order, class Exec, class In, class Out>
void sort_numbers(Context<Exec> const& context, In const& in, Out const& out) {
  using Word = RadixWord<typename Out::non_const_value_type>;
  sort_elements(context, out.extent(0), NumbersIn<Word>{words_of<Order>(in)},
                NumbersOut<Word>{words_of<Order>(out)});
}

/// Sorts n numbers, and values with them.
template <class Order, class Exec, class Keys, class Values>
void sort_pairs(Context<Exec> const& context, Keys const& keys, Values const& values) {
  using Word = RadixWord<typename Keys::non_const_value_type>;
  using Value = CompanionOf<Values>;
  std::uint64_t const n = keys.extent(0);
  Scope scope(context);
  auto const words = words_of<Order>(keys);
  auto const companions =
      companions_of(values, scope.template take<Value>(Companions<Value>::are_in_elements ? 0 : n));
  auto* const indices = scope.template take<std::uint32_t>(n);
  sort_elements(context, n, PairsIn<Word, Value>{words, companions},
                PairsOut<Word, Value>{words, companions, indices});
}

/// Writes the keys of n elements, sorted, and the elements' indices.
template <class Exec, class View, class Key, class Index>
void sort_keys(Context<Exec> const& context, View const& view, Key const& key,
               typename Key::Word* keys, Index* indices) {
  sort_elements(context, view.extent(0), KeysIn<View, Key>{view, key},
                KeysOut<typename Key::Word, Index>{keys, indices});
}

}  // namespace riffle::detail::sort::by_parts
