#pragma once

// Counts that a call writes: how many elements of its output are written.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/primitives/indices.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail {

/// A rank-0 View of an integer, into which kernels write a number of rows.
template <class View, class Exec>
concept CountFrom =
    WritableFrom<View, Exec> && has_rank<View, 0> && is_index_type<typename View::value_type>;

template <class Exec, class CountView>
void set_count(Context<Exec> const& context, CountView const& count, std::uint64_t value) {
  Kokkos::deep_copy(context.exec(), count, static_cast<typename CountView::value_type>(value));
}

/// Throws unless the values of `numbers`, the argument `name`, can be n. name_of_n says what n is.
template <class View>
void check_can_be(char const* function, char const* name_of_n, std::uint64_t n, char const* name,
                  View const& /*numbers*/) {
  using Value = typename View::value_type;
  static_assert(is_index_type<Value>, "riffle: counts, lengths and offsets are integers");
  auto const largest = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
  check(n <= largest, function, name_of_n, " = ", n, ": the value type of ", name,
        " holds no number above ", largest);
}

/// Throws unless the count can be n, and is not in `in`.
template <class In, class CountView>
void check_count(char const* function, std::uint64_t n, In const& in, CountView const& count) {
  check_can_be(function, "in.extent(0)", n, "count", count);
  check_rows_disjoint(function, "in", in, "count", count);
}

/// Returns the element of a rank-0 View. Fences.
template <class Exec, class View>
auto read_element(Context<Exec> const& context, View const& element) {
  using Value = typename View::non_const_value_type;
  Value value{};
  Kokkos::deep_copy(context.exec(),
                    Kokkos::View<Value, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&value),
                    element);
  context.exec().fence(context.label() + ": a value that the host needs");
  return value;
}

/// Calls call(count) with a count in temporary memory, and returns the count. Fences.
template <class Exec, class Call>
std::uint64_t returned_count(Context<Exec> const& context, Call const& call) {
  Scope scope(context);
  Kokkos::View<std::uint64_t, typename Exec::memory_space, Kokkos::MemoryUnmanaged> const count(
      scope.template take<std::uint64_t>(1));
  call(count);
  return read_element(context, count);
}

}  // namespace riffle::detail
