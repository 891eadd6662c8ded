#pragma once

// Scans that begin anew at the head of each segment. The elements of a segment are consecutive. A scan combines each value with a
// flag, which says whether a head is among the elements that have been combined:
//   G. E. Blelloch, "Prefix sums and their applications", CMU-CS-90-190 (1990), section 1.5.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/counts.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/matrix_lines.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/random/integers.hpp>
#include <riffle/scan.hpp>
#include <riffle/scan/detail/operations.hpp>

namespace riffle::detail::segments {

// --- heads ---

/// Element i is a head if its key differs from the key before it.
template <class Keys>
struct HeadsByKey {
  Keys keys;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const {
    return i == 0 || !static_cast<bool>(keys(i) == keys(i - 1));
  }
};

/// Segments of one length.
struct HeadsOfLength {
  Divider<std::uint64_t> length;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return length.multiple(i) == i; }
};

/// Bit i of the words is 1 if element i is a head.
struct HeadsByBit {
  std::uint32_t const* words;

  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const {
    return (words[i / 32] >> i % 32 & 1) != 0;
  }
};

/// Sets the bits of the first elements of segments.
template <class Offsets>
struct MarkHeads {
  Offsets offsets;
  std::uint64_t n;
  std::uint32_t* words;

  KOKKOS_FUNCTION void operator()(std::uint64_t segment) const {
    auto const first = static_cast<std::uint64_t>(offsets(segment));
    if (first < n) Kokkos::atomic_or(&words[first / 32], std::uint32_t{1} << first % 32);
  }
};

template <class Exec, class Offsets>
HeadsByBit mark_heads(Context<Exec> const& context, Offsets const& offsets, std::uint64_t n,
                      Scope<Exec>& scope) {
  std::uint64_t const count = (n + 31) / 32;
  Kokkos::View<std::uint32_t*, typename Exec::memory_space, Kokkos::MemoryUnmanaged> const words(
      scope.template take<std::uint32_t>(count), count);
  Kokkos::deep_copy(context.exec(), words, 0u);
  context.named("heads").for_each(offsets.extent(0), MarkHeads<Offsets>{offsets, n, words.data()});
  return HeadsByBit{words.data()};
}

// --- the scan ---

/// A combination of consecutive elements: the value from the last head on, or, without a head, of all elements; and the number of
/// heads, or, if Heads is bool, whether there is one.
template <class Value, class Heads>
struct Segmented {
  Value value;
  Heads heads;
};

template <class Op, class Heads>
struct SegmentedOp {
  using value_type = Segmented<typename Op::value_type, Heads>;

  KOKKOS_FUNCTION value_type identity() const { return {op.identity(), Heads(0)}; }
  KOKKOS_FUNCTION value_type operator()(value_type const& left, value_type const& right) const {
    return {right.heads ? right.value : op(left.value, right.value),
            static_cast<Heads>(left.heads + right.heads)};
  }

  Op op;
};

/// The elements of `in`, which is a source, with their flags.
template <class Op, class Heads, class In, class IsHead>
struct SegmentedSource {
  In in;
  IsHead is_head;

  KOKKOS_FUNCTION Segmented<typename Op::value_type, Heads> operator()(std::uint64_t i) const {
    return {scan::to_value<Op>(in(i)), static_cast<Heads>(is_head(i) ? 1 : 0)};
  }
};

template <class Out>
struct WriteInclusive {
  Out out;

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& prefix) const {
    out(i, prefix.value);
  }
};

template <class Op, class Out>
struct WriteExclusive {
  using Value = typename Op::value_type;

  Out out;
  Op op;
  Value init;

  template <class Element>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Element const& before,
                                  Element const& own) const {
    out(i, own.heads ? init : op(init, before.value));
  }
};

/// Scans the elements of `source`, which reads In, into `sink`, which writes Out.
template <bool Inclusive, class In, class Out, class Exec, class IsHead, class Source, class Sink,
          class Op, class... Init>
void scan_segments(char const* function, Context<Exec> const& context, std::uint64_t n,
                   IsHead const& is_head, Source const& source, Sink const& sink, Op const& op,
                   Init const&... init) {
  with_monoid<Inclusive, In, Out>(
      function, op,
      [&](auto const& monoid, auto const& first) {
        using Monoid = std::decay_t<decltype(monoid)>;
        SegmentedSource<Monoid, bool, Source, IsHead> const elements{source, is_head};
        SegmentedOp<Monoid, bool> const segmented{monoid};
        if constexpr (Inclusive) {
          inclusive_scan(context, n, elements, WriteInclusive<Sink>{sink}, segmented);
        } else {
          exclusive_scan(context, n, elements, WriteExclusive<Monoid, Sink>{sink, monoid, first},
                         segmented, segmented.identity());
        }
      },
      init...);
}

// --- sums of segments ---

/// The last element of a segment writes the segment's key and value; the last element of all also writes the number of segments.
template <class Keys, class KeysOut, class Values, class CountView>
struct WriteSegments {
  Keys keys;
  KeysOut keys_out;
  Values values;
  CountView count;
  std::uint64_t n;

  template <class Value>
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Value const& prefix) const {
    bool const is_last = i + 1 == n;
    if (!is_last && static_cast<bool>(keys(i) == keys(i + 1))) return;
    keys_out(prefix.heads - 1) = keys(i);
    values(prefix.heads - 1) = static_cast<typename Values::value_type>(prefix.value);
    if (is_last) count() = static_cast<typename CountView::value_type>(prefix.heads);
  }
};

/// Writes the key and the reduced value of each run of equal keys.
template <class Exec, class Keys, class Source, class KeysOut, class Values, class CountView,
          class Op>
void reduce_runs(Context<Exec> const& context, Keys const& keys, Source const& source,
                 KeysOut const& keys_out, Values const& values, CountView const& count,
                 Op const& op) {
  std::uint64_t const n = keys.extent(0);
  with_index_type(n + 1, [&]<class Index>(Index) {
    using IsHead = HeadsByKey<Keys>;
    inclusive_scan(
        context, n, SegmentedSource<Op, Index, Source, IsHead>{source, IsHead{keys}},
        WriteSegments<Keys, KeysOut, Values, CountView>{keys, keys_out, values, count, n},
        SegmentedOp<Op, Index>{op});
  });
}

// --- arguments ---

/// Throws unless `in`, a View or a function, has n elements, and no element of `out`.
template <class In, class Out>
void check_input(char const* function, std::uint64_t n, In const& in, char const* name,
                 Out const& out) {
  if constexpr (Kokkos::is_view_v<In>) {
    check(in.extent(0) == n, function, "in.extent(0) = ", in.extent(0),
          ": must be the number of keys or elements, ", n);
    check_disjoint(function, "in", in, name, out);
  }
}

template <class Keys, class In, class Out>
std::uint64_t check_by_key(char const* function, Keys const& keys, In const& in, Out const& out) {
  std::uint64_t const n = keys.extent(0);
  check(out.extent(0) == n, function, "keys.extent(0) = ", n,
        " and out.extent(0) = ", out.extent(0), ": must be equal");
  check_input(function, n, in, "out", out);
  check_disjoint(function, "keys", keys, "out", out);
  return n;
}

template <class Keys, class In, class KeysOut, class Out, class CountView>
std::uint64_t check_reduction(char const* function, Keys const& keys, In const& in,
                              KeysOut const& keys_out, Out const& out, CountView const& count) {
  check_values<Keys, KeysOut>();
  std::uint64_t const n = keys.extent(0);
  check_can_be(function, "keys.extent(0)", n, "count", count);
  auto const check_output = [&](char const* name, auto const& view) {
    check(view.extent(0) >= n, function, name, ".extent(0) = ", view.extent(0),
          ": must be at least keys.extent(0) = ", n);
    check_input(function, n, in, name, view);
    check_disjoint(function, "keys", keys, name, view);
    check_disjoint(function, name, view, "count", count);
  };
  check_output("keys_out", keys_out);
  check_output("out", out);
  check_input(function, n, in, "count", count);
  check_disjoint(function, "keys", keys, "count", count);
  check_disjoint(function, "keys_out", keys_out, "out", out);
  return n;
}

template <class In, class Offsets, class Out>
std::uint64_t check_segments(char const* function, In const& in, Offsets const& offsets,
                             Out const& out) {
  std::uint64_t const n = out.extent(0);
  check_input(function, n, in, "out", out);
  check_offsets(function, offsets, n, "out", out);
  return n;
}

}  // namespace riffle::detail::segments
