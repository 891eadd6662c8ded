#pragma once

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/permute/detail/tiles/bit_tiling.hpp>
#include <riffle/permute/tuning.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/random/integers.hpp>

namespace riffle::detail::tiles {

/// Returns the number of elements by which `data` lies after the last block boundary. Returns 0 if elements are not
/// contiguous, or if block boundaries divide elements.
template <class T>
std::uint32_t lead_in_block(T const* data, std::uint64_t stride) {
  auto const address = reinterpret_cast<std::uintptr_t>(data);
  bool const fills_blocks = std::has_single_bit(sizeof(T)) && sizeof(T) <= block_bytes;
  if (stride != 1 || !fills_blocks || address % sizeof(T) != 0) return 0;
  return static_cast<std::uint32_t>(address % block_bytes / sizeof(T));
}

// --- positions in scratch memory ---
//
// A tile is stored to scratch memory in read order and loaded in write order. The arrangement of its elements in
// scratch memory is such that 32 lanes have no bank conflicts in either order.

/// Calls body(k) with constants k = 0, ..., count - 1, so that arrays that are indexed by k stay in registers.
template <int count, class Body>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(Body const& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) { (body(Constant<k>()), ...); }
  (std::make_integer_sequence<int, count>());
}

/// Returns the exclusive or of all entries table[k] with begin <= k < end for which bit k of x is set.
template <int begin, int end, class Word>
KOKKOS_FORCEINLINE_FUNCTION Word combine(Word const* table, std::uint32_t x) {
  if constexpr (begin < end) {
    Word const rest = combine<begin + 1, end>(table, x);
    return x >> begin & 1 ? rest ^ table[begin] : rest;
  } else {
    return 0;
  }
}

/// The bits of an element's position that determine its bank: `count` bits starting at bit `first`. The 32 banks of 4
/// bytes can serve 2^count lanes per cycle. An element of 8 or 16 bytes occupies several banks; elements of 1 or 2
/// bytes share a bank. For other sizes no arrangement is needed or possible: if an element consists of an odd number of
/// words, 32 consecutive elements cause no conflicts; otherwise they cause conflicts in any arrangement.
struct BankBits {
  int first;
  int count;
};

constexpr BankBits bank_bits(std::size_t element) {
  if (element == 1) return {2, 5};
  if (element == 2) return {1, 5};
  if (element == 8) return {0, 4};
  if (element == 16) return {0, 3};
  return {0, 5};
}

/// Returns a linear map to `count` bits that is a bijection on each of two spaces of dimension `count`. Each space is
/// given by a basis.
///
/// Construction: first choose a basis of the intersection of the two spaces. Extend it to a basis of the first space,
/// and separately to a basis of the second space. The map sends the basis of the intersection to e_0, e_1, ..., and
/// each of the two extensions to the remaining unit vectors. All of these vectors are extended to a basis of the whole
/// space by vectors that the map sends to 0. This generalises the diagonal arrangement of Kasagi, Nakano and Ito (2014,
/// section 5) to any two spaces.
inline BitMatrix separating_map(int size, std::vector<std::uint64_t> const& first,
                                std::vector<std::uint64_t> const& second) {
  BitSpan in_first;
  for (auto const x : first) in_first.insert(x);
  BitMatrix basis(size);
  BitMatrix values(size);
  BitSpan span;
  int next = 0;
  int value = 0;
  auto const add = [&](std::uint64_t vector, std::uint64_t its_value) {
    if (!span.insert(vector)) return false;
    basis.column(next) = vector;
    values.column(next++) = its_value;
    return true;
  };
  for (std::uint64_t chosen = 1; chosen < std::uint64_t{1} << second.size(); ++chosen) {
    std::uint64_t shared = 0;
    for (std::size_t k = 0; k < second.size(); ++k) shared ^= chosen >> k & 1 ? second[k] : 0;
    if (in_first.contains(shared) && add(shared, std::uint64_t{1} << value)) ++value;
  }
  for (auto const* space : {&first, &second}) {
    int its_value = value;
    for (auto const x : *space) {
      if (add(x, std::uint64_t{1} << its_value)) ++its_value;
    }
  }
  for (int k = 0; k < size; ++k) add(std::uint64_t{1} << k, 0);
  return values * basis.inverse();
}

/// Returns an invertible matrix in which rows bank.first, ..., bank.first + bank.count - 1 are the first rows of `map`.
inline BitMatrix completed_map(BitMatrix const& map, BankBits const& bank) {
  BitMatrix const rows = map.transposed();
  BitMatrix result(map.size());
  BitSpan span;
  for (int k = 0; k < bank.count; ++k) {
    span.insert(rows.column(k));
    result.column(bank.first + k) = rows.column(k);
  }
  int next = 0;
  for (int k = 0; k < map.size(); ++k) {
    if (next == bank.first) next += bank.count;
    if (span.insert(std::uint64_t{1} << k)) result.column(next++) = std::uint64_t{1} << k;
  }
  return result.transposed();
}

/// Positions in scratch memory. The element with index s is stored at the exclusive or of of_stored[k] over all bits k
/// that are set in s. The element with index r is loaded from the exclusive or of of_loaded[k] over all bits k that are
/// set in r.
template <int bits>
struct Arrangement {
  std::uint32_t of_stored[bits];
  std::uint32_t of_loaded[bits];

  template <int begin, int end>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t stored(std::uint32_t s) const {
    return combine<begin, end>(of_stored, s);
  }

  template <int begin, int end>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t loaded(std::uint32_t r) const {
    return combine<begin, end>(of_loaded, r);
  }
};

/// Returns the arrangement for elements of `size` bytes, where r = write_order * s (the product of the bit matrix
/// write_order and the bits of s). The lane index consists of bits of s starting at bit `stored_lane` during stores,
/// and of bits of r starting at bit `loaded_lane` during loads.
template <int bits>
Arrangement<bits> make_arrangement(BitMatrix const& write_order, std::size_t size, int stored_lane,
                                   int loaded_lane) {
  BankBits const bank = bank_bits(size);
  BitMatrix const inverse = write_order.inverse();
  std::vector<std::uint64_t> stored;
  std::vector<std::uint64_t> loaded;
  for (int k = 0; k < bank.count; ++k) {
    stored.push_back(std::uint64_t{1} << (stored_lane + k));
    loaded.push_back(inverse.column(loaded_lane + k));
  }
  BitMatrix const position = completed_map(separating_map(bits, stored, loaded), bank);
  Arrangement<bits> arrangement;
  for (int k = 0; k < bits; ++k) {
    arrangement.of_stored[k] = static_cast<std::uint32_t>(position.column(k));
    arrangement.of_loaded[k] = static_cast<std::uint32_t>(position * inverse.column(k));
  }
  return arrangement;
}

// --- moving tiles ---
//
// A team moves each tile through its scratch memory:
//
//     array  -- runs, order s -->  registers  -->  scratch memory  -- order r -->  registers  -- runs -->  array
//
// If the arrays are aligned to 16 bytes, they are accessed in vectors of 16 bytes. A thread has several loads in flight
// before it stores the first value to scratch memory.

constexpr std::size_t vector_bytes = 16;

/// Whether elements of `element` bytes fill vectors of 16 bytes.
constexpr bool fills_vectors(std::size_t element) {
  return element <= vector_bytes && std::has_single_bit(element);
}

/// An element with the alignment of its size, so that one instruction loads it.
template <class T>
struct alignas(fills_vectors(sizeof(T)) ? sizeof(T) : alignof(T)) Cell {
  T value;
};

/// The unit in which a thread accesses the arrays: 16 bytes, or one element.
template <class T, bool wide>
struct alignas(wide ? vector_bytes : alignof(T)) Vector {
  static constexpr int count = wide ? static_cast<int>(vector_bytes / sizeof(T)) : 1;
  T element[count];
};

/// An array whose elements are `stride` elements apart. Requires for wide vectors: it is contiguous and aligned.
template <class T>
struct Strided {
  T* data;
  std::uint64_t stride;
};

/// Reads and writes the part of a tile that one thread moves.
template <class T, class Addresses_, bool wide>
class TileMover {
 public:
  using Addresses = Addresses_;
  using Tile = typename Addresses::Tile;
  using Stored = Cell<T>;
  static constexpr bool is_wide = wide;
  static constexpr int bits = Addresses::bits;
  static constexpr int vector_bits =
      std::countr_zero(static_cast<unsigned>(Vector<T, wide>::count));
  static constexpr std::size_t stage_bytes = sizeof(T) << bits;

  TileMover(Addresses const& addresses, Arrangement<bits> const& arrangement,
            Strided<T const> const& in, Strided<T> const& out)
      : addresses_(addresses), arrangement_(arrangement), in_(in), out_(out) {}

  KOKKOS_FUNCTION Addresses const& addresses() const { return addresses_; }

  KOKKOS_FUNCTION void read(int thread, Tile const& tile, Cell<T>* stage) const {
    auto const s = static_cast<std::uint32_t>(thread) << vector_bits;
    auto const read_start = addresses_.template read_start<vector_bits>(tile, s);
    std::uint32_t const position = stored_by_thread(thread);
    RIFFLE_NO_UNROLL
    for (int first = 0; first < items; first += at_once) {
      Vector<T, wide> x[at_once];
      bool inside[at_once];
      unrolled<at_once>([&](auto i) {
        auto const place =
            addresses_.template source<vector_bits>(read_start, item_bits(first + i));
        inside[i] = place.inside;
        if (place.inside) x[i] = load(place.offset);
      });
      unrolled<at_once>([&](auto i) {
        if (!inside[i]) return;
        std::uint32_t const of_item = position ^ stored_by_item(first + i);
        unrolled<count>(
            [&](auto j) { stage[of_item ^ stored_by_element(j)].value = x[i].element[j]; });
      });
    }
  }

  KOKKOS_FUNCTION void write(int thread, Tile const& tile, Cell<T> const* stage) const {
    auto const r = static_cast<std::uint32_t>(thread) << vector_bits;
    auto const write_start = addresses_.template write_start<vector_bits>(tile, r);
    std::uint32_t const position = loaded_by_thread(thread) ^ tile.shift;
    RIFFLE_NO_UNROLL
    for (int first = 0; first < items; first += at_once) {
      unrolled<at_once>([&](auto i) {
        auto const place =
            addresses_.template target<vector_bits>(write_start, item_bits(first + i));
        if (!place.inside) return;
        std::uint32_t const of_item = position ^ loaded_by_item(first + i);
        Vector<T, wide> x;
        unrolled<count>(
            [&](auto j) { x.element[j] = stage[of_item ^ loaded_by_element(j)].value; });
        store(place.offset, x);
      });
    }
  }

  // --- the indices that read() and write() use, also for memory models ---

  static constexpr int count = Vector<T, wide>::count;
  static constexpr int items = 1 << (bits - vector_bits - thread_bits);

  KOKKOS_FUNCTION static std::uint32_t item_bits(int item) {
    return static_cast<std::uint32_t>(item) << (vector_bits + thread_bits);
  }

  /// A thread stores element `element` of item `item` at position
  /// stored_by_thread(thread) xor stored_by_item(item) xor stored_by_element(element).
  KOKKOS_FUNCTION std::uint32_t stored_by_thread(int thread) const {
    return arrangement_.template stored<vector_bits, vector_bits + thread_bits>(
        static_cast<std::uint32_t>(thread) << vector_bits);
  }
  KOKKOS_FUNCTION std::uint32_t stored_by_item(int item) const {
    return arrangement_.template stored<vector_bits + thread_bits, bits>(item_bits(item));
  }
  KOKKOS_FUNCTION std::uint32_t stored_by_element(int element) const {
    return arrangement_.template stored<0, vector_bits>(static_cast<std::uint32_t>(element));
  }

  /// A thread loads element `element` of item `item` from position
  /// loaded_by_thread(thread) xor loaded_by_item(item) xor loaded_by_element(element).
  KOKKOS_FUNCTION std::uint32_t loaded_by_thread(int thread) const {
    return arrangement_.template loaded<vector_bits, vector_bits + thread_bits>(
        static_cast<std::uint32_t>(thread) << vector_bits);
  }
  KOKKOS_FUNCTION std::uint32_t loaded_by_item(int item) const {
    return arrangement_.template loaded<vector_bits + thread_bits, bits>(item_bits(item));
  }
  KOKKOS_FUNCTION std::uint32_t loaded_by_element(int element) const {
    return arrangement_.template loaded<0, vector_bits>(static_cast<std::uint32_t>(element));
  }

 private:
  static_assert(bits >= vector_bits + thread_bits);

  // The number of items whose loads are in flight together, which is the maximum that fits in registers. Items with a
  // single element need more registers for addresses.
  static constexpr std::size_t bytes_at_once = wide ? 64 : 32;
  static constexpr int at_once =
      std::min(items, static_cast<int>(std::bit_floor(
                          std::clamp<std::size_t>(bytes_at_once / (count * sizeof(T)), 1, 8))));

  KOKKOS_FUNCTION Vector<T, wide> load(std::uint64_t offset) const {
    if constexpr (wide) {
      return *reinterpret_cast<Vector<T, wide> const*>(in_.data + offset);
    } else {
      return {{in_.data[offset * in_.stride]}};
    }
  }

  KOKKOS_FUNCTION void store(std::uint64_t offset, Vector<T, wide> const& x) const {
    if constexpr (wide) {
      *reinterpret_cast<Vector<T, wide>*>(out_.data + offset) = x;
    } else {
      out_.data[offset * out_.stride] = x.element[0];
    }
  }

  Addresses addresses_;
  Arrangement<bits> arrangement_;
  Strided<T const> in_;
  Strided<T> out_;
};

/// Calls move(k) for each thread k of a tile. On a GPU each thread of the team calls move once, without a loop, because
/// this makes SwapTiles faster. MoveTile instead contains loops, because they make MoveTile faster with nvcc
/// (perf/notes/permute.md).
template <class Member, class Move>
KOKKOS_FORCEINLINE_FUNCTION void for_each_thread([[maybe_unused]] Member const& member,
                                                 Move const& move) {
  RIFFLE_IF_ON_GPU((move(member.team_rank());))
  RIFFLE_IF_ON_CPU(
      (for (int k = member.team_rank(); k < threads_of_team; k += member.team_size()) move(k);))
}

/// Kernel in which each team moves one tile from one array to another.
template <class Mover_>
struct MoveTile {
  using Mover = Mover_;
  static constexpr int threads = threads_of_team;
  static constexpr bool has_large_tables = true;
  // Six teams leave 40 registers per thread. If items are single elements, there are five teams, because threads would
  // spill with fewer than 48 registers.
  static constexpr int teams_per_processor = Mover::is_wide ? 6 : 5;
  static constexpr std::size_t scratch_bytes = Mover::stage_bytes;

  Mover mover;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const stage = static_cast<typename Mover::Stored*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, vector_bytes));
    auto const tile = mover.addresses().tile(static_cast<std::uint64_t>(member.league_rank()));
    for (int k = member.team_rank(); k < threads_of_team; k += member.team_size()) {
      mover.read(k, tile, stage);
    }
    member.team_barrier();
    for (int k = member.team_rank(); k < threads_of_team; k += member.team_size()) {
      mover.write(k, tile, stage);
    }
  }
};

/// Kernel in which each team swaps the elements of two tiles of one array.
template <class Mover_>
struct SwapTiles {
  using Mover = Mover_;
  static constexpr int threads = threads_of_team;
  static constexpr bool has_large_tables = true;
  // Fewer teams if items are single elements, because these need more registers.
  static constexpr int teams_per_processor = Mover::is_wide ? Mover::Addresses::swapping_teams : 4;
  static constexpr std::size_t scratch_bytes = 2 * Mover::stage_bytes;

  Mover mover;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const stage = static_cast<typename Mover::Stored*>(
        member.team_scratch(0).get_shmem_aligned(std::size_t{scratch_bytes}, vector_bytes));
    auto* const other_stage = stage + (1 << Mover::bits);
    auto const pair = mover.addresses().pair(static_cast<std::uint64_t>(member.league_rank()));
    if (pair.count == 0) return;
    for_each_thread(member, [&](int k) {
      mover.read(k, pair.own, stage);
      if (pair.count == 2) mover.read(k, pair.other, other_stage);
    });
    member.team_barrier();
    for_each_thread(member, [&](int k) {
      mover.write(k, pair.own, stage);
      if (pair.count == 2) mover.write(k, pair.other, other_stage);
    });
  }
};

/// Launches a team for each tile.
template <class Exec, class Kernel>
void launch_tiles(Context<Exec> const& context, Kernel const& kernel) {
  launch_teams(context, kernel.mover.addresses().tiles(), kernel);
}

}  // namespace riffle::detail::tiles
