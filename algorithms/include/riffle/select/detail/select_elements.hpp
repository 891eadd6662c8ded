#pragma once

// Selects elements, in their order, in one pass. A team of a GPU or a thread of a CPU first finds the kept elements of a tile, then
// the number of kept elements in earlier tiles by look-back, and then writes the elements.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/launch.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/row_flags.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/select/detail/gpu/select_tiles.hpp>
#include <riffle/select/detail/kept.hpp>
#include <riffle/select/tuning.hpp>
#include <riffle/view_pack.hpp>

namespace riffle::detail::select {

// --- which elements are kept ---

template <class In, class Predicate>
struct SatisfiesPredicate {
  static constexpr bool tests_input = true;

  In in;
  Predicate predicate;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return satisfies(in(i), i); }

  KOKKOS_FUNCTION auto value(std::uint64_t i) const { return in(i); }
  template <class Value>
  KOKKOS_FUNCTION bool satisfies(Value const& value, std::uint64_t) const {
    return static_cast<bool>(predicate(value));
  }
};

/// Whether a value differs from the value before it. Element 0, which is kept, has none.
template <class In, class Equal>
struct BeginsRun {
  static constexpr bool keeps_first = true;
  static constexpr bool tests_input = true;

  In in;
  Equal equal;

  /// Requires i > 0.
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return differs(in(i - 1), in(i)); }

  KOKKOS_FUNCTION auto value(std::uint64_t i) const { return in(i); }
  template <class Value>
  KOKKOS_FUNCTION bool differs(Value const& previous, Value const& value) const {
    return !static_cast<bool>(equal(previous, value));
  }
};

struct EqualValues {
  template <class T>
  KOKKOS_FUNCTION bool operator()(T const& a, T const& b) const {
    return a == b;
  }
};

// --- what is written for them ---
//
// writer.store(place, i, previous, writer.load(i)) writes the kept element i, before which `place` elements are kept. A kernel loads
// several elements before it stores them. finish(count, last) is called once, when `count` elements are kept. If needs_previous,
// `previous` is the index of the kept element before i if there is one, and `last` the index of the last kept element if there is
// one; otherwise both are 0, and if also writes_values, `i` may be 0. If writes_values, load(i) returns element i of the input.

/// Copies row i of `in` to row `place` of `out`.
template <class In, class Out, class CountView>
struct CopyRows {
  static constexpr bool needs_previous = false;
  static constexpr bool writes_values = is_value_array<In>;

  In in;
  Out out;
  CountView count;

  /// A row of several values is loaded when it is stored.
  struct NothingLoaded {};

  KOKKOS_FUNCTION auto load(std::uint64_t i) const {
    if constexpr (is_value_array<In>) {
      return in(i);
    } else {
      return NothingLoaded{};
    }
  }
  template <class Loaded>
  KOKKOS_FUNCTION void store(std::uint64_t place, std::uint64_t i, std::uint64_t,
                             Loaded const& loaded) const {
    if constexpr (std::is_same_v<Loaded, NothingLoaded>) {
      copy_row(in, i, out, place);
    } else {
      out(place) = static_cast<typename Out::value_type>(loaded);
    }
  }
  KOKKOS_FUNCTION void finish(std::uint64_t kept, std::uint64_t) const {
    count() = static_cast<typename CountView::value_type>(kept);
  }
};

/// Element i begins run `place`: writes its value, and the length of the run before it.
template <class In, class Values, class Lengths, class CountView>
struct WriteRuns {
  static constexpr bool needs_previous = true;
  static constexpr bool writes_values = true;

  In in;
  Values values;
  Lengths lengths;
  CountView count;

  KOKKOS_FUNCTION auto load(std::uint64_t i) const { return in(i); }
  template <class Value>
  KOKKOS_FUNCTION void store(std::uint64_t place, std::uint64_t i, std::uint64_t previous,
                             Value const& value) const {
    values(place) = static_cast<typename Values::value_type>(value);
    if (place > 0) set_length(place - 1, i - previous);
  }
  KOKKOS_FUNCTION void finish(std::uint64_t runs, std::uint64_t last) const {
    if (runs > 0) set_length(runs - 1, in.extent(0) - last);
    count() = static_cast<typename CountView::value_type>(runs);
  }

 private:
  KOKKOS_FUNCTION void set_length(std::uint64_t run, std::uint64_t length) const {
    lengths(run) = static_cast<typename Lengths::value_type>(length);
  }
};

// --- on a GPU ---

template <class Index, class Exec, class IsKept, class Writer>
void select_on_gpu(Context<Exec> const& context, std::uint64_t n, IsKept const& is_kept,
                   Writer const& writer) {
  using Kernel = SelectTiles<Index, IsKept, Writer>;
  using Op = typename Kernel::Op;
  std::uint64_t const tiles = (n + Kernel::tile_size - 1) / Kernel::tile_size;
  // One team does not select elements if there are others. A single tile needs no other team.
  std::uint64_t const teams =
      tiles == 1
          ? 1
          : std::min(tiles + 1, backend::processors(context.exec()) * Kernel::teams_per_processor);
  auto* const messages =
      context.workspace().messages(context.label(), context.exec(), LookBack<Op>::words(tiles));
  LookBack<Op> const look_back(messages, tiles, teams, Op{}, Op::identity());
  launch_teams(context, teams, Kernel(n, is_kept, writer, look_back));
}

// --- on a CPU ---

/// kept_of_eight[mask] contains the numbers k, in ascending order, for which flag k is 1, if `mask` has flag k at the place of byte
/// k of a word. The rest of the row is 0.
inline constexpr auto kept_of_eight = [] {
  std::array<std::array<std::uint16_t, 8>, 256> rows{};
  for (unsigned mask = 0; mask < 256; ++mask) {
    int count = 0;
    for (std::uint16_t k = 0; k < 8; ++k) {
      int const place = std::endian::native == std::endian::little ? k : 7 - k;
      if (mask >> place & 1) rows[mask][count++] = k;
    }
  }
  return rows;
}();

/// The kept elements of tile `tile`, by their numbers within the tile. They are found without branches, because half of their
/// predictions could be wrong.
class KeptOfTile {
 public:
  template <class IsKept>
  KeptOfTile(std::uint64_t n, std::uint64_t tile, IsKept const& is_kept) : first_(tile * cpu_tile) {
    std::uint64_t const first = first_;
    std::uint64_t const size = std::min(cpu_tile, n - first);
    std::uint64_t count = 0;
    std::uint64_t begin = 0;
    if constexpr (keeps_first<IsKept>) {
      if (first == 0) numbers_[count++] = static_cast<std::uint16_t>(begin++);
    }
    for (; begin + block <= size; begin += block) {
      std::uint8_t flags[block];
      for (std::uint64_t k = 0; k < block; ++k) flags[k] = is_kept(first + begin + k) ? 1 : 0;
      for (std::uint64_t k = 0; k < block; k += 8) count += append(begin + k, flags + k, count);
    }
    for (; begin < size; ++begin) {
      numbers_[count] = static_cast<std::uint16_t>(begin);
      count += is_kept(first + begin) ? 1u : 0u;
    }
    count_ = count;
  }

  template <class Index>
  Kept<Index> total() const {
    if (count_ == 0) return {0, 0};
    return {static_cast<Index>(count_), static_cast<Index>(element(count_ - 1))};
  }

  /// Passes the kept elements to the writer. `before` is the total of all earlier tiles.
  template <class Index, class Writer>
  void write(Kept<Index> const& before, Writer const& writer) const {
    std::uint64_t previous = before.last;
    for (std::uint64_t k = 0; k < count_; ++k) {
      std::uint64_t const i = element(k);
      writer.store(before.count + k, i, Writer::needs_previous ? previous : 0, writer.load(i));
      previous = i;
    }
  }

 private:
  static constexpr std::uint64_t block = 64;

  /// Appends the numbers of the eight flags that are 1 to the `count` numbers of earlier elements. Returns how many it appends. The
  /// number of flags[0] is `begin`.
  std::uint64_t append(std::uint64_t begin, std::uint8_t const* flags, std::uint64_t count) {
    std::uint64_t bytes;
    std::memcpy(&bytes, flags, 8);
    // Bit 56 + p of the product is the flag in byte p: of all terms, only bit 8 p times 2^(56 - 7 p) has this place.
    auto const& kept = kept_of_eight[bytes * 0x0102040810204080u >> 56];
    std::uint64_t numbers[2];
    std::memcpy(numbers, kept.data(), 16);
    for (std::uint64_t& four : numbers) four += begin * 0x0001000100010001u;
    std::memcpy(numbers_ + count, numbers, 16);
    return bytes * 0x0101010101010101u >> 56;
  }

  std::uint64_t element(std::uint64_t k) const { return first_ + numbers_[k]; }

  std::uint64_t first_;
  std::uint64_t count_;
  // More than a tile has, because append() writes eight numbers.
  std::uint16_t numbers_[cpu_tile + 8];
};

template <class Index, class Exec, class IsKept, class Writer>
void select_on_cpu(Context<Exec> const& context, std::uint64_t n, IsKept const& is_kept,
                   Writer const& writer) {
  std::uint64_t const tiles = (n + cpu_tile - 1) / cpu_tile;
  JoinKept<Index> const join;
  if (tiles == 1 || context.exec().concurrency() == 1) {
    run_on_calling_thread(context, [&](std::uint64_t) {
      Kept<Index> all = join.identity();
      for (std::uint64_t tile = 0; tile < tiles; ++tile) {
        KeptOfTile const kept(n, tile, is_kept);
        kept.write(all, writer);
        all = join(all, kept.total<Index>());
      }
      writer.finish(all.count, all.last);
    });
    return;
  }
  using Messages = LookBack<JoinKept<Index>>;
  Messages const look_back(
      context.workspace().messages(context.label(), context.exec(), Messages::words(tiles)), tiles,
      tiles, join, join.identity());
  for_each_dynamic(context, tiles, [&](std::uint64_t) {
    Ticket const ticket = look_back.take_ticket();
    KeptOfTile const kept(n, ticket.number, is_kept);
    Kept<Index> const total = kept.total<Index>();
    look_back.send_tile_total(ticket.number, ticket.epoch, total);
    Kept<Index> before = total;
    look_back.replace_totals_by_prefixes(ticket.number, 1, ticket.epoch, &before);
    look_back.finish(ticket.epoch);
    kept.write(before, writer);
    if (ticket.number + 1 == tiles) {
      Kept<Index> const all = join(before, total);
      writer.finish(all.count, all.last);
    }
  });
}

/// Passes each element i < n for which is_kept(i) is true to the writer.
template <class Exec, class IsKept, class Writer>
void select(Context<Exec> const& context, std::uint64_t n, IsKept const& is_kept,
            Writer const& writer) {
  with_index_type(n + 1, [&]<class Index>(Index) {
    if constexpr (backend::is_cpu<Exec>) {
      select_on_cpu<Index>(context, n, is_kept, writer);
    } else {
      select_on_gpu<Index>(context, n, is_kept, writer);
    }
  });
}

template <class Exec, class In, class Out, class IsKept, class CountView>
void copy_kept(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
               IsKept const& is_kept, CountView const& count) {
  if (n == 0) return set_count(context, count, 0);
  select(context, n, is_kept, CopyRows<In, Out, CountView>{in, out, count});
}

template <class Exec, class In, class Values, class Lengths, class Equal, class CountView>
void encode_runs(Context<Exec> const& context, In const& in, Values const& values,
                 Lengths const& lengths, Equal const& equal, CountView const& count) {
  if (in.extent(0) == 0) return set_count(context, count, 0);
  select(context, in.extent(0), BeginsRun<In, Equal>{in, equal},
         WriteRuns<In, Values, Lengths, CountView>{in, values, lengths, count});
}

// --- arguments ---

/// Throws unless `rows`, the argument `name`, has n rows or more, and its Views share no element with the count.
template <class Rows, class CountView>
void check_written(char const* function, char const* name, Rows const& rows, std::uint64_t n,
                   CountView const& count) {
  std::uint64_t const size = check_row_set(function, rows);
  check(size >= n, function, name, ".extent(0) = ", size, ": must be at least in.extent(0) = ", n);
  check_rows_disjoint(function, name, rows, "count", count);
}

/// Throws unless rows of `in` can be copied to `out`. Returns the number of rows of `in`.
template <class In, class Out, class CountView>
std::uint64_t check_copy(char const* function, In const& in, Out const& out,
                         CountView const& count) {
  check_row_sets(function, in, out, 1);
  std::uint64_t const n = row_count(in);
  check_written(function, "out", out, n, count);
  check_count(function, n, in, count);
  return n;
}

template <class Flags, class Out, class CountView>
void check_flags(char const* function, std::uint64_t n, Flags const& flags, Out const& out,
                 CountView const& count) {
  check_flag_count(function, "in", n, flags);
  if constexpr (Kokkos::is_view_v<Flags>) {
    for_each_view(
        out, [&](auto const& target) { check_disjoint(function, "flags", flags, "out", target); });
    check_disjoint(function, "flags", flags, "count", count);
  }
}

template <class In, class Values, class Lengths, class CountView>
void check_runs(char const* function, In const& in, Values const& values, Lengths const& lengths,
                CountView const& count) {
  check_values<In, Values>();
  std::uint64_t const n = in.extent(0);
  check_written(function, "values", values, n, count);
  check_written(function, "lengths", lengths, n, count);
  check_can_be(function, "in.extent(0)", n, "lengths", lengths);
  check_count(function, n, in, count);
  check_disjoint(function, "in", in, "values", values);
  check_disjoint(function, "in", in, "lengths", lengths);
  check_disjoint(function, "values", values, "lengths", lengths);
}

}  // namespace riffle::detail::select
