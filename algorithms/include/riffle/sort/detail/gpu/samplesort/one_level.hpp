#pragma once

// One-level samplesort [1] on a GPU, for up to one or two million elements, in four launches.
// Splitters from a sample divide the elements into parts, which teams sort in scratch memory. Ties
// are broken by index, so all elements are distinct, and splitters divide any data. Parts are not
// counted beforehand, and the host does not wait.
//
//     launch        kernel
//     sample        SortSampleChunks   sorts chunks of the sample
//     choose        ChooseSplitters    ranks the elements of the sample; every eighth is a splitter
//     split         SplitInput         writes each tile of the input to `elements`, by part
//     sort_parts    SortParts          sorts each part, from its runs in all tiles to the output
//
// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree
//     sorting", J. ACM 17 (1970).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/team_sum.hpp>
#include <riffle/random/philox.hpp>
#include <riffle/sort/detail/gpu/by_ranks.hpp>
#include <riffle/sort/detail/gpu/samplesort/elements.hpp>
#include <riffle/sort/detail/gpu/samplesort/sort_part.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort::samplesort {

// --- samples ---

/// A sample of n elements. The elements are divided into `size` equally long stretches, and one
/// random element is drawn from each. So the sampled indices ascend, and no element is sampled
/// twice.
class Sample {
 public:
  Sample(Index n, Index size) : size_(size), step_((std::uint64_t{n} << step_bits) / size) {}

  KOKKOS_FUNCTION Index size() const { return size_; }

  /// The index of sampled element j.
  KOKKOS_FUNCTION Index index(Index j) const {
    std::uint64_t const random = Philox4x32(0)({j, 0, 0, 0})[0];
    std::uint64_t const begin = begin_of(j);
    return static_cast<Index>(begin + (random * (begin_of(j + 1) - begin) >> 32));
  }

 private:
  // With this number of bits, the products of step_ and the index of a stretch fit in 64 bits.
  static constexpr int step_bits = 24;

  KOKKOS_FUNCTION std::uint64_t begin_of(Index j) const { return j * step_ >> step_bits; }

  Index size_;
  std::uint64_t step_;
};

}  // namespace riffle::detail::sort::samplesort

namespace riffle::detail::sort::samplesort::one_level {

// --- the division of elements, and its arrays ---

/// The average number of elements in a part is a quarter of max_in_scratch. Since there are
/// sample_per_part sampled elements between two splitters, almost no part has four times the
/// average.
template <class Element>
inline constexpr Index part_size = max_in_scratch<Element> / 4;
inline constexpr Index sample_per_part = 8;

/// In the kernel `split`, a team distributes the elements of one tile of the input, with up to
/// items_per_thread elements per thread.
inline constexpr int split_threads = 256;
template <class Element>
inline constexpr int items_per_thread = has_index<Element> ? 8 : 16;
template <class Element>
inline constexpr Index max_tile_size = split_threads* items_per_thread<Element>;
inline constexpr Index min_tile_size = 512;
/// The wanted number of tiles. It is about the number of multiprocessors of a GPU, since each tile
/// is distributed by one team.
inline constexpr Index wanted_tiles = 128;

inline constexpr int max_depth = 11;

/// The maximum number of elements that can be divided into at most max_runs tiles and 2^max_depth
/// parts.
template <class Element>
inline constexpr std::uint64_t max_elements = std::min(std::uint64_t{max_runs} *
                                                           max_tile_size<Element>,
                                                       std::uint64_t{part_size<Element>}
                                                           << max_depth);

/// The division of n elements into parts and tiles.
template <class Element>
struct PartDivision {
  explicit PartDivision(std::uint64_t n)
      : size(static_cast<Index>(n)),
        parts(std::max<Index>(2, (size + part_size<Element> - 1) / part_size<Element>)),
        depth(std::bit_width(parts - 1)),
        tile_size(std::clamp<Index>(std::bit_ceil(size / wanted_tiles), min_tile_size,
                                    max_tile_size<Element>)),
        tiles((size + tile_size - 1) / tile_size) {}

  Index size;
  Index parts;
  int depth;  // the depth of a search tree with one leaf per part
  Index tile_size;
  Index tiles;
};

template <class Element>
struct PartArrays : PartDivision<Element> {
  using Code = decltype(code_of(Element{}));

  PartArrays(ArrayMemory& memory, std::uint64_t n)
      : PartDivision<Element>(n),
        elements(memory.take<Element>(n)),
        sample(memory.take<IndexedCode>(std::uint64_t{this->parts} * sample_per_part)),
        codes(memory.take<Code>(this->parts)),
        indices(memory.take<Index>(this->parts)),
        part_begins(memory.take<std::uint16_t>(std::uint64_t{this->tiles} * this->parts)) {}

  Element* elements;
  IndexedCode* sample;
  /// The splitters: part p contains the elements e with splitter p - 1 < e <= splitter p. The last
  /// part has no splitter.
  Code* codes;
  Index* indices;
  std::uint16_t* part_begins;  // for each tile, where each part begins in it
};

// --- splitters ---
//
// Chunks of the sample are sorted by counting. Then binary searches in all chunks find the rank of
// each sampled element (by_ranks.hpp).

inline constexpr Index chunk = 256;

/// Sorts the chunks of the sample to arrays.sample; each team ranks some elements.
template <class In>
struct SortSampleChunks {
  static constexpr int threads = static_cast<int>(chunk);
  static constexpr int teams_per_processor = 4;
  using Ranks = by_ranks::CountedRanks<std::uint64_t, threads>;
  static constexpr std::size_t scratch_bytes = Ranks::bytes(chunk) + Ranks::alignment;

  In in;
  PartArrays<typename In::Element> arrays;
  Sample sample;

  int teams() const { return by_ranks::teams_of(sample.size()); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    void* const memory =
        team.team_scratch(0).get_shmem_aligned(Ranks::bytes(chunk), Ranks::alignment);
    Index const first = static_cast<Index>(team.league_rank()) * by_ranks::elements_per_team;
    Index const begin = first / chunk * chunk;
    auto const code_at = [&](Index index) -> std::uint64_t { return code_of(in(index)); };
    // Tied elements are in the order of the sample, which is the order of their indices.
    Ranks::rank(
        team, memory, Kokkos::min(Index{chunk}, sample.size() - begin), first - begin,
        [&](Index i) { return code_at(sample.index(begin + i)); },
        [&](Index i, Index rank) {
          Index const index = sample.index(begin + i);
          arrays.sample[begin + rank] = {code_at(index), index, 0};
        });
  }
};

/// Ranks the elements of the sample, some per team, and stores the splitters.
template <class Element>
struct ChooseSplitters {
  using Ranks = by_ranks::SearchedRanks;
  static constexpr int threads = Ranks::threads;
  static constexpr int teams_per_processor = 8;
  static constexpr std::size_t scratch_bytes = Ranks::bytes + Ranks::alignment;

  PartArrays<Element> arrays;
  Index sample_size;

  int teams() const { return by_ranks::teams_of(sample_size); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    void* const memory =
        team.team_scratch(0).get_shmem_aligned(std::size_t{Ranks::bytes}, Ranks::alignment);
    Ranks{sample_size, chunk}.rank(
        team, memory, static_cast<Index>(team.league_rank()) * by_ranks::elements_per_team,
        [&](Index i) { return arrays.sample[i].code; },
        [&](Index i, Index rank) {
          IndexedCode const element = arrays.sample[i];
          Index const part = rank / sample_per_part;
          if (rank % sample_per_part != sample_per_part - 1 || part + 1 >= arrays.parts) return;
          arrays.codes[part] = static_cast<typename PartArrays<Element>::Code>(element.code);
          arrays.indices[part] = element.index;
        });
  }
};

// --- the part of an element ---

/// The splitters in scratch memory, as a search tree, level by level [1]. Nodes without a splitter
/// contain the greatest value, which no element exceeds. If two splitters have equal codes,
/// elements are compared by code and index, otherwise by code only.
///
/// [1] P. Sanders, S. Winkel, "Super scalar sample sort", ESA (2004), sec. 4.
template <class Code>
class SplitterTree {
 public:
  static constexpr std::size_t bytes = (sizeof(Code) + sizeof(Index)) << max_depth;

  KOKKOS_FUNCTION SplitterTree(void* memory, int depth)
      : codes_(static_cast<Code*>(memory)),
        indices_(reinterpret_cast<Index*>(codes_ + (std::size_t{1} << max_depth))),
        depth_(depth) {}

  /// All threads of a team call clear(), then a team barrier, then fill(). indices_[0], which
  /// belongs to no node, is set to 1 if two splitters have equal codes.
  template <class Member>
  KOKKOS_FUNCTION void clear(Member const& team) const {
    if (team.team_rank() == 0) indices_[0] = 0;
  }
  template <class Member>
  KOKKOS_FUNCTION void fill(Member const& team, Code const* codes, Index const* indices,
                            Index count) const {
    for (int node = 1 + team.team_rank(); node < 1 << depth_; node += team.team_size()) {
      Index const i = place_of(node);
      bool const exists = i < count;
      codes_[node] = exists ? codes[i] : static_cast<Code>(~Code{0});
      indices_[node] = exists ? indices[i] : ~Index{0};
      if (exists && i > 0 && codes[i - 1] == codes[i]) indices_[0] = 1;
    }
  }

  /// Finds the part of each element. All searches descend one level at a time, together, so that
  /// their reads overlap.
  template <int count>
  KOKKOS_FUNCTION void find(Code const (&codes)[count], Index const (&indices)[count],
                            Index (&parts)[count]) const {
    if (indices_[0] != 0) {
      search(parts, [&](int k, Index node) {
        return codes_[node] < codes[k] || (codes_[node] == codes[k] && indices_[node] < indices[k]);
      });
    } else {
      search(parts, [&](int k, Index node) { return codes_[node] < codes[k]; });
    }
  }

 private:
  /// The index of the splitter at a node.
  KOKKOS_FUNCTION Index place_of(int node) const {
    int const level = backend::highest_one(static_cast<std::uint32_t>(node));
    return static_cast<Index>((2 * (node - (1 << level)) + 1) << (depth_ - 1 - level)) - 1;
  }

  template <int count, class IsBelow>
  KOKKOS_FUNCTION void search(Index (&parts)[count], IsBelow const& is_below) const {
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) parts[k] = 1;
    RIFFLE_NO_UNROLL
    for (int level = 0; level < depth_; ++level) {
      RIFFLE_UNROLL
      for (int k = 0; k < count; ++k) {
        parts[k] = 2 * parts[k] + static_cast<Index>(is_below(k, parts[k]));
      }
    }
    RIFFLE_UNROLL
    for (int k = 0; k < count; ++k) parts[k] -= Index{1} << depth_;
  }

  Code* codes_;
  Index* indices_;
  int depth_;
};

/// Reorders the elements of each input tile by part, with one team per tile. The order of elements
/// in a part is unspecified, because parts are sorted later.
template <class In>
struct SplitInput {
  using Element = typename In::Element;
  using Code = typename PartArrays<Element>::Code;
  using Tree = SplitterTree<Code>;
  static constexpr int items_per_thread = one_level::items_per_thread<Element>;
  static constexpr int threads = split_threads;
  static constexpr int teams_per_processor = 3;

  In in;
  PartArrays<Element> arrays;

  // When the part of every element has been found, the splitters are not needed any more, and the
  // elements are staged in their memory.
  static constexpr std::size_t staged_bytes =
      std::max(Tree::bytes, max_tile_size<Element> * sizeof(Element));
  static constexpr std::size_t counter_bytes = sizeof(Index) << max_depth;
  static constexpr std::size_t sum_bytes = threads / backend::width * sizeof(Index);
  static constexpr std::size_t used_bytes = staged_bytes + counter_bytes + sum_bytes;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = used_bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto* const memory = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(
        std::size_t{used_bytes}, static_cast<std::ptrdiff_t>(alignment)));
    auto* const counters = reinterpret_cast<Index*>(memory + staged_bytes);
    auto const tile = static_cast<Index>(team.league_rank());
    auto const thread = static_cast<Index>(team.team_rank());
    Index const first = tile * arrays.tile_size;
    Index const size = Kokkos::min(arrays.tile_size, arrays.size - first);
    Tree const tree(memory, arrays.depth);
    tree.clear(team);
    for (Index p = thread; p < arrays.parts; p += threads) counters[p] = 0;
    Element elements[items_per_thread] = {};
    read_elements(in, first + thread, threads, first + size, elements);
    team.team_barrier();
    tree.fill(team, arrays.codes, arrays.indices, arrays.parts - 1);
    team.team_barrier();
    // Bits 0-15: part. Bits 16-31: rank of the element within its tile and part.
    std::uint32_t ranks[items_per_thread];
    find_parts(tree, elements, first + thread, ranks);
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) >= size) continue;
      ranks[k] |= backend::fetch_add_in_scratch(counters + ranks[k], 1) << 16;
    }
    team.team_barrier();
    counts_to_begins(team, counters, tile);
    team.team_barrier();
    auto* const staged = reinterpret_cast<Element*>(memory);
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) >= size) continue;
      staged[counters[ranks[k] & 0xFFFF] + (ranks[k] >> 16)] = elements[k];
    }
    team.team_barrier();
    RIFFLE_UNROLL
    for (int k = 0; k < items_per_thread; ++k) {
      if (place(k, thread) >= size) continue;
      arrays.elements[first + place(k, thread)] = staged[place(k, thread)];
    }
  }

 private:
  KOKKOS_FUNCTION static Index place(int k, Index thread) {
    return static_cast<Index>(k * threads) + thread;
  }

  KOKKOS_FUNCTION static void find_parts(Tree const& tree,
                                         Element const (&elements)[items_per_thread], Index first,
                                         std::uint32_t (&parts)[items_per_thread]) {
    // Parts are found for half of the elements at a time, because all elements at once would take
    // too many registers.
    constexpr int batch = items_per_thread / 2;
    RIFFLE_UNROLL
    for (int begin = 0; begin < items_per_thread; begin += batch) {
      Code codes[batch];
      Index indices[batch];
      Index found[batch];
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        codes[k] = code_of(elements[begin + k]);
        indices[k] = first + static_cast<Index>((begin + k) * threads);
      }
      tree.find(codes, indices, found);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) parts[begin + k] = found[k];
    }
  }

  /// Replaces the count of each part by the index at which the part begins in the tile, and stores
  /// these indices in part_begins.
  template <class Member>
  KOKKOS_FUNCTION void counts_to_begins(Member const& team, Index* counters, Index tile) const {
    auto* const sums = counters + (std::size_t{1} << max_depth);
    Index const per_thread = (arrays.parts + threads - 1) / threads;
    Index const first =
        Kokkos::min(static_cast<Index>(team.team_rank()) * per_thread, arrays.parts);
    Index const end = Kokkos::min(first + per_thread, arrays.parts);
    Index sum = 0;
    for (Index p = first; p < end; ++p) sum += counters[p];
    Index begin = exclusive_team_sum(team, sums, sum);
    std::uint16_t* const begins = arrays.part_begins + std::uint64_t{tile} * arrays.parts;
    for (Index p = first; p < end; ++p) {
      Index const count = counters[p];
      counters[p] = begin;
      begins[p] = static_cast<std::uint16_t>(begin);
      begin += count;
    }
  }
};

/// Sorts each part with one team, from its runs in the tiles to the output. A part is sorted by
/// classes, or by a bitonic network if it is too large or a class is overfull.
template <class Out>
struct SortParts {
  using Word = typename Out::Element;
  static constexpr int threads = 128;
  static constexpr int teams_per_processor = sizeof(Word) <= 4 ? 6 : sizeof(Word) <= 8 ? 8 : 5;

  Out out;
  PartArrays<Word> arrays;

  int teams() const { return static_cast<int>(arrays.parts); }
  using Classes = ClassSorter<Word, threads>;
  static constexpr std::size_t alignment = 16;
  static constexpr std::size_t scratch_bytes = Classes::bytes + alignment;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    // If a part cannot be sorted by classes, the network uses the same memory.
    auto const scratch = team.team_scratch(0);
    void* const memory = scratch.get_shmem_aligned(std::size_t{Classes::bytes},
                                                   static_cast<std::ptrdiff_t>(alignment));
    auto const thread = static_cast<Index>(team.team_rank());
    auto const own_part = static_cast<Index>(team.league_rank());
    // The constructor of `runs` uses memory that contains the words later.
    Runs const runs(team, memory,
                    {arrays.elements, arrays.part_begins, arrays.parts, 0, arrays.size,
                     arrays.tile_size, arrays.tiles},
                    own_part);
    if (runs.size() == 0) return;
    if (runs.size() > Classes::max_words) {
      store_unsorted(runs, thread);
    } else if (sort(team, runs, Classes(memory, thread), bounds_of(own_part))) {
      return;
    }
    Network(out, runs.begin(), runs.size(), memory).sort(team);
    for (Index i = thread; i < runs.size(); i += threads) {
      out.write(runs.begin() + i, out.load_unsorted(runs.begin() + i));
    }
  }

 private:
  using Runs = PartRuns<Word, threads>;
  using Network = PartBitonicSorter<Word, Out, threads>;
  static constexpr int batch = 4;
  static_assert(Runs::bytes <= Classes::words_bytes);
  static_assert(Network::bytes <= Classes::words_bytes);

  KOKKOS_FUNCTION Bounds<Word> bounds_of(Index part) const {
    if (part == 0 || part + 1 == arrays.parts) return {Word{}, Word{}, false};
    return {splitter(part - 1), splitter(part)};
  }

  /// Returns splitter i as a bound for classes. Classes depend on the index of a bound only if both
  /// bounds have equal codes; the words between them are then divided by index.
  KOKKOS_FUNCTION Word splitter(Index i) const {
    if constexpr (has_index<Word>) {
      return {arrays.codes[i], arrays.indices[i], 0};
    } else {
      return arrays.codes[i];
    }
  }

  KOKKOS_FUNCTION void store_unsorted(Runs const& runs, Index thread) const {
    for (Index first = thread; first < runs.size(); first += batch * threads) {
      Word words[batch] = {};
      runs.template load<batch>(first, threads, words);
      RIFFLE_UNROLL
      for (int k = 0; k < batch; ++k) {
        Index const i = first + static_cast<Index>(k * threads);
        if (i < runs.size()) out.store_unsorted(runs.begin() + i, words[k]);
      }
    }
  }

  template <class Member>
  KOKKOS_FUNCTION bool sort(Member const& team, Runs const& runs, Classes const& classes,
                            Bounds<Word> const& bounds) const {
    Word words[Classes::items_per_thread] = {};
    runs.template load_own<batch>(static_cast<Index>(team.team_rank()), words);
    return classes.sort(
        team, words, runs.size(), bounds,
        [&](Index i, Word const& word) { out.write(runs.begin() + i, word); },
        [&](Index i, Word const& word) { out.store_unsorted(runs.begin() + i, word); });
  }
};

// --- sorts ---

static_assert(max_one_level<double> <= max_elements<std::uint64_t>);
static_assert(max_one_level<float> <= max_elements<std::uint32_t>);
static_assert(max_pairs_one_level<double> <= max_elements<IndexedCode>);

/// Launches the kernels in order with launch(name, teams, kernel).
template <class In, class Out, class Launch>
void sort_in_passes(In const& in, Out const& out, PartArrays<typename In::Element> const& arrays,
                    Launch const& launch) {
  using Element = typename In::Element;
  Sample const sample(arrays.size, arrays.parts * sample_per_part);
  SortSampleChunks<In> const chunks{in, arrays, sample};
  ChooseSplitters<Element> const choose{arrays, sample.size()};
  SortParts<Out> const sort_parts{out, arrays};
  launch("sample", chunks.teams(), chunks);
  launch("choose", choose.teams(), choose);
  launch("split", static_cast<int>(arrays.tiles), SplitInput<In>{in, arrays});
  launch("sort_parts", sort_parts.teams(), sort_parts);
}

/// Sorts n elements from `in` to `out`. Requires: n >= 2 * sample_per_part.
template <class In, class Out, class Exec>
void sort_elements(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out) {
  using Element = typename In::Element;
  Scope scope(context);
  sort_in_passes(in, out,
                 scope.arrays([&](ArrayMemory& memory) { return PartArrays<Element>(memory, n); }),
                 launcher_of(context));
}

/// Sorts n numbers from `in` to `out`, which may be the same View.
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
  using Value = PayloadOf<Values>;
  std::uint64_t const n = keys.extent(0);
  Scope scope(context);
  auto const words = words_of<Order>(keys);
  auto const payloads =
      payloads_of(values, scope.template take<Value>(Payloads<Value>::are_in_elements ? 0 : n));
  auto* const indices = scope.template take<std::uint32_t>(n);
  sort_elements(context, n, PairsIn<Word, Value>{words, payloads},
                PairsOut<Word, Value>{words, payloads, indices});
}

/// Writes the sorted keys of n elements, and the elements' indices.
template <class Exec, class View, class Key, class Index>
void sort_keys(Context<Exec> const& context, View const& view, Key const& key,
               typename Key::Word* keys, Index* indices) {
  sort_elements(context, view.extent(0), KeysIn<View, Key>{view, key},
                KeysOut<typename Key::Word, Index>{keys, indices});
}

}  // namespace riffle::detail::sort::samplesort::one_level
