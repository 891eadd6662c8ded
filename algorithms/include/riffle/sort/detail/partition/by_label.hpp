#pragma once

// Groups rows by their labels: on a CPU by a counting sort, on a GPU by a radix sort of words that
// contain a label and a row index.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/vendor_sort.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/gather_rows.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/detail/gpu/device_sort.hpp>
#include <riffle/sort/detail/partition/count_tasks.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::partition {

// --- what is written ---
//
// write(i, place) writes row i, whose place in the output is `place`. gather(context, n, sigma) writes rows sigma(0), ...,
// sigma(n - 1) in this order.

/// Copies the rows of `in` to `out`, which are row sets or functions.
template <class In, class Out>
struct MoveRows {
  In in;
  Out out;

  void operator()(std::uint64_t i, std::uint64_t place) const { copy_row(in, i, out, place); }

  template <class Exec, class Sigma>
  void gather(Context<Exec> const& context, std::uint64_t n, Sigma const& sigma) const {
    gather_rows(context.named("gather"), n, sigma, in, out);
  }
};

/// Writes the numbers of the rows.
template <class Out>
struct NumberRows {
  using Number = typename Out::value_type;

  Out out;

  void operator()(std::uint64_t i, std::uint64_t place) const {
    out(place) = static_cast<Number>(i);
  }

  template <class Exec, class Sigma>
  void gather(Context<Exec> const& context, std::uint64_t, Sigma const& sigma) const {
    write_images(context.named("numbers"), sigma, out);
  }
};

// --- on a CPU ---
//
// A counting sort by all threads. They count the labels of each chunk of rows. A scan of the counts
// gives the index at which each chunk's rows with label k start in the output. Then the threads
// write the rows. If the number of labels is so large that there are fewer chunks than threads,
// several threads read each chunk, and each of them handles a range of the labels.

/// Accesses the counts of all chunks in the order of the output, sorted by label and then by chunk.
template <class Count>
struct CountsByLabel {
  Count* counts;
  std::uint64_t labels;
  Divider<std::uint64_t> chunks;

  KOKKOS_FUNCTION std::uint64_t label(std::uint64_t i) const { return chunks.quotient(i); }
  KOKKOS_FUNCTION std::uint64_t chunk(std::uint64_t i) const {
    return i - label(i) * chunks.divisor();
  }
  KOKKOS_FUNCTION Count& at(std::uint64_t i) const { return counts[chunk(i) * labels + label(i)]; }
  KOKKOS_FUNCTION Count operator()(std::uint64_t i) const { return at(i); }
};

/// Replaces the count for label k in a chunk by the index at which the chunk's rows with label k
/// start in the output. For chunk 0 this index is also offsets(k). The number of rows is the last
/// offset, unless that is the offset of the last label.
template <class Offsets, class Count>
struct StorePlaces {
  using Offset = typename Offsets::value_type;

  CountsByLabel<Count> counts;
  Offsets offsets;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Count before) const {
    counts.at(i) = before;
    if (counts.chunk(i) != 0) return;
    offsets(counts.label(i)) = static_cast<Offset>(before);
    if (i == 0 && counts.labels < offsets.extent(0))
      offsets(counts.labels) = static_cast<Offset>(n);
  }
};

template <class Exec, class Labels, class Offsets, class Write>
void by_counts(Context<Exec> const& context, Labels const& labels, std::uint64_t parts,
               Offsets const& offsets, Write const& write) {
  std::uint64_t const n = labels.extent(0);
  auto const tasks =
      count_tasks(n, parts, static_cast<std::uint64_t>(context.exec().concurrency()));
  std::uint64_t const size = tasks.chunks.count * tasks.labels();
  with_index_type(n + 1, [&]<class Count>(Count) {
    Scope scope(context);
    auto* const counts = scope.template take<Count>(size);
    CountsByLabel<Count> const by_label{counts, tasks.labels(),
                                        Divider<std::uint64_t>(tasks.chunks.count)};
    count_labels(context.named("count"), tasks, labels, counts);
    exclusive_scan(context.named("scan"), size, by_label,
                   StorePlaces<Offsets, Count>{by_label, offsets, n}, Sum<Count>{}, Count{0});
    for_each_dynamic(context.named("write"), tasks.count(), [=](std::uint64_t task) {
      for_each_row(tasks, task, labels,
                   [own = tasks.table(counts, task), own_write = write](
                       std::uint64_t i, std::size_t label) { own_write(i, own[label]++); });
    });
  });
}

// --- on a GPU ---
//
// CUB sorts words stably. Each word contains a label and, in its lower bits, the index of the
// label's row. Words have 64 bits for any type of labels and any number of rows, so that CUB's sort
// is instantiated once:
//
//     63        index_bits + label_bits      index_bits                  0
//     +---------------------------+----------------+---------------------+
//     | higher bits of the label  | sorted by      | index of the row    |
//     +---------------------------+----------------+---------------------+
//
// The largest index has index_bits bits, the largest label label_bits. If index_bits + label_bits >
// 64, the words are sorted in rounds, starting with the lowest bits of the labels; each round sorts
// by the next 64 - index_bits bits.

/// A function of i that returns the row index in the lower bits of word i.
struct IndicesOfWords {
  std::uint64_t const* words;
  int index_bits;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return words[i] & ((std::uint64_t{1} << index_bits) - 1);
  }
};

/// Makes the words of a round from the labels, without the label bits below `first_bit`. In the
/// first round, word i belongs to row i; in later rounds, to the row whose index the word already
/// contains.
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

/// Sets offsets(k) to the number of labels less than k, by a binary search in the sorted words.
template <class Labels, class Offsets>
struct FindOffsets {
  Labels labels;
  IndicesOfWords indices;
  bool has_whole_labels;
  Offsets offsets;

  /// Called for k = 0, ..., offsets.extent(0) - 1.
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

/// Groups n > 0 rows with `Sort`, a sort::DeviceSort. Words have word_bits bits, where
/// index_bits < word_bits <= 64; tests pass less than 64 so that several rounds are needed.
template <class Sort, class Exec, class Labels, class Offsets, class Write>
void by_words(Context<Exec> const& context, Labels const& labels, std::uint64_t parts,
              Offsets const& offsets, Write const& write, int word_bits = 64) {
  std::uint64_t const n = labels.extent(0);
  int const index_bits = std::bit_width(n - 1);
  int const label_bits = std::max<int>(1, std::bit_width(parts - 1));
  int const room = std::min(label_bits, word_bits - index_bits);
  backend::ArrayPair<std::uint64_t> words{};
  std::size_t bytes = 0;
  auto const sort = [&](void* memory, int bits) {
    Sort::template numbers<false>(context.exec(), memory, bytes, words, n, index_bits,
                                  index_bits + bits);
  };
  sort(nullptr, room);
  Scope scope(context);
  void* const temp_storage = scope.arrays([&](ArrayMemory& memory) {
    words = {memory.take<std::uint64_t>(n), memory.take<std::uint64_t>(n)};
    return memory.take_bytes(bytes);
  });
  for (int first_bit = 0; first_bit < label_bits; first_bit += room) {
    context.named("words").for_each(
        n, MakeWords<Labels>{labels, words.current, index_bits, first_bit});
    sort(temp_storage, std::min(room, label_bits - first_bit));
  }
  IndicesOfWords const indices{words.current, index_bits};
  context.named("offsets").for_each(
      offsets.extent(0),
      FindOffsets<Labels, Offsets>{labels, indices, room == label_bits, offsets});
  write.gather(context, n, indices);
}

// --- on both ---

/// Throws unless `rows`, the argument `name`, has a row for each label, and shares no element with the offsets.
template <class Rows, class Labels, class Offsets>
void check_rows(char const* function, char const* name, Rows const& rows, Labels const& labels,
                Offsets const& offsets, char const* name_of_labels = "labels") {
  check(row_count(rows) == labels.extent(0), function, name, ".extent(0) = ", row_count(rows),
        " and ", name_of_labels, ".extent(0) = ", labels.extent(0), ": must be equal");
  check_rows_disjoint(function, name, rows, "offsets", offsets);
}

/// Throws unless the offsets fit the labels, which are a View or an IndexFunction.
template <class Labels, class Offsets>
void check_offsets(char const* function, Labels const& labels, Offsets const& offsets,
                   char const* name_of_labels = "labels") {
  check(offsets.extent(0) >= 2, function, "offsets.extent(0) = ", offsets.extent(0),
        ": must be one more than the number of parts, which is at least 1");
  check_can_be(function, "n", labels.extent(0), "offsets", offsets);
  check_disjoint(function, name_of_labels, labels, "offsets", offsets);
}

/// Groups rows with labels 0, ..., parts - 1. The offsets are of the first offsets.extent(0) labels; offset `parts` is n.
template <class Exec, class Labels, class Offsets, class Write>
void by_valid_label(Context<Exec> const& context, Labels const& labels, std::uint64_t parts,
                    Offsets const& offsets, Write const& write) {
  if (labels.extent(0) == 0) {
    context.named("zero").for_each(offsets.extent(0), FillZero<Offsets>{offsets});
  } else if constexpr (backend::is_cpu<Exec>) {
    by_counts(context, labels, parts, offsets, write);
  } else {
    by_words<sort::DeviceSort<Exec>>(context, labels, parts, offsets, write);
  }
}

/// Checks the labels, then groups the rows. `function` is the name of the call.
template <class Exec, class Labels, class Offsets, class Write>
void by_label(char const* function, Context<Exec> const& context, Labels const& labels,
              Offsets const& offsets, Write const& write) {
  std::uint64_t const parts = offsets.extent(0) - 1;
  auto const bad = first_index_where(context.named("check"), labels, IsOutOfRange{parts});
  check(bad.place == labels.extent(0), function, "labels(", bad.place, ") = ", +bad.index,
        ": must be at least 0 and less than offsets.extent(0) - 1 = ", parts);
  by_valid_label(context, labels, parts, offsets, write);
}

/// Labels below `parts`; all others are replaced by `parts`.
template <class Labels>
struct LabelsOrEnd {
  Labels labels;
  std::uint64_t parts;

  KOKKOS_FUNCTION std::uint64_t extent(int) const { return labels.extent(0); }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    auto const label = labels(i);
    return is_index_below(label, parts) ? static_cast<std::uint64_t>(label) : parts;
  }
};

}  // namespace riffle::detail::partition
