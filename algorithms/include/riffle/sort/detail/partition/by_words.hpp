#pragma once

// Rows by their labels on a GPU: a stable sort, by CUB's digits, of words that hold a label above the index of its row.
// A word has 64 bits, for any type of labels and any number of rows, so that one instance of that sort does for all:
//
//     63        index_bits + label_bits      index_bits                  0
//     +---------------------------+----------------+---------------------+
//     | higher bits of the label  | sorted by      | index of the row    |
//     +---------------------------+----------------+---------------------+
//
// index_bits and label_bits are those of the largest index and the largest label. Where they are more than 64 together,
// the words are sorted in rounds, each by as many bits of the labels as fit, the lowest bits first.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/scope.hpp>

namespace riffle::detail::partition {

/// The indices in the lower bits of words, as a function.
struct IndicesOfWords {
  std::uint64_t const* words;
  int index_bits;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return words[i] & ((std::uint64_t{1} << index_bits) - 1);
  }
};

/// Makes the words of a round, whose lowest bit of the labels is `first_bit`. In the first round, word i is that of row
/// i; in others, it is that of the row of which it was before.
template <class Labels>
struct MakeWords {
  Labels labels;
  std::uint64_t* words;
  int index_bits;
  int first_bit;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    std::uint64_t const index = first_bit == 0 ? i : IndicesOfWords{words, index_bits}(i);
    words[i] = static_cast<std::uint64_t>(labels(index)) >> first_bit << index_bits | index;
  }
};

/// Sets offsets(k) to the number of labels less than k, by bisection of the sorted words.
template <class Labels, class Offsets>
struct FindOffsets {
  Labels labels;
  IndicesOfWords indices;
  bool has_whole_labels;
  Offsets offsets;

  /// Called for k = 0, ..., the number of parts.
  KOKKOS_FUNCTION void operator()(std::uint64_t k) const {
    std::uint64_t first = 0;
    std::uint64_t last = labels.extent(0);
    while (first < last) {
      std::uint64_t const middle = first + (last - first) / 2;
      if (label(middle) < k) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    offsets(k) = static_cast<typename Offsets::value_type>(first);
  }

 private:
  KOKKOS_FUNCTION std::uint64_t label(std::uint64_t i) const {
    if (has_whole_labels) return indices.words[i] >> indices.index_bits;
    return static_cast<std::uint64_t>(labels(indices(i)));
  }
};

/// Sorts n > 0 rows by `Sort`, a backend::VendorSort. Words have 64 bits, or in tests fewer, but more than indices.
template <class Sort, class Exec, class In, class Labels, class Out, class Offsets>
void by_words(Context<Exec> const& context, In const& in, Labels const& labels, Out const& out,
              Offsets const& offsets, int word_bits = 64) {
  std::uint64_t const n = labels.extent(0);
  int const index_bits = std::bit_width(n - 1);
  int const label_bits = std::max<int>(1, std::bit_width(offsets.extent(0) - 2));
  int const room = std::min(label_bits, word_bits - index_bits);
  backend::ArrayPair<std::uint64_t> words{};
  std::size_t bytes = 0;
  auto const sort = [&](void* memory, int bits) {
    Sort::template numbers<false>(context.exec(), memory, bytes, words, n, index_bits,
                                  index_bits + bits);
  };
  sort(nullptr, room);
  Scope scope(context);
  void* const rest = scope.arrays([&](ArrayMemory& memory) {
    words = {memory.take<std::uint64_t>(n), memory.take<std::uint64_t>(n)};
    return memory.take_bytes(bytes);
  });
  for (int first_bit = 0; first_bit < label_bits; first_bit += room) {
    context.named("words").for_each(
        n, MakeWords<Labels>{labels, words.current, index_bits, first_bit});
    sort(rest, std::min(room, label_bits - first_bit));
  }
  IndicesOfWords const indices{words.current, index_bits};
  context.named("offsets").for_each(
      offsets.extent(0),
      FindOffsets<Labels, Offsets>{labels, indices, room == label_bits, offsets});
  gather_rows(context.named("gather"), n, indices, in, out);
}

}  // namespace riffle::detail::partition
