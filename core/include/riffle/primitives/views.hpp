#pragma once

// Requirements of algorithms on Views, and checks whether two Views share memory.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>

namespace riffle::detail {

// --- whether Views share a byte, determined from their addresses, extents and strides ---

/// Items at equal distances: item k starts k * pitch bytes after item 0.
struct StridedItems {
  std::uint64_t count = 1;
  std::uint64_t pitch = 0;

  std::uint64_t last() const { return (count - 1) * pitch; }
};

/// Runs of bytes, repeated in up to two dimensions. Run (i, j) consists of `length` bytes and starts at the address
/// begin + i * inner.pitch + j * outer.pitch. A row consists of the runs along the longer dimension; row k has the
/// index k in the shorter dimension.
class ByteRuns {
 public:
  ByteRuns(std::uint64_t begin, std::uint64_t length) : begin_(begin), length_(length) {}

  /// Repeats the runs in a further dimension. Called at most twice, first for the dimension with the smaller pitch.
  void repeat(StridedItems const& steps) {
    if (steps.count == 1 || steps.pitch == 0) return;
    if (inner_.count == 1 && steps.pitch <= length_) {
      length_ += steps.last();
    } else if (inner_.count == 1) {
      inner_ = steps;
    } else if (steps.pitch == inner_.count * inner_.pitch) {
      inner_.count *= steps.count;
    } else {
      outer_ = steps;
    }
  }

  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return begin_ + inner_.last() + outer_.last() + length_; }
  std::uint64_t length() const { return length_; }

  /// Returns a common divisor of all distances between runs; 0 if there is only one run.
  std::uint64_t common_pitch() const { return std::gcd(inner_.pitch, outer_.pitch); }

  /// The number of rows, the runs within each row, and the address of row k.
  std::uint64_t rows() const { return std::min(inner_.count, outer_.count); }
  StridedItems const& within_rows() const { return inner_.count < outer_.count ? outer_ : inner_; }
  std::uint64_t row(std::uint64_t k) const {
    return begin_ + k * (inner_.count < outer_.count ? inner_ : outer_).pitch;
  }

  /// Returns runs in one dimension, one for each index j of the outer dimension. Run j of the result covers the runs
  /// (i, j) for all i, and the bytes between them.
  ByteRuns hull() const {
    if (outer_.count == 1) return *this;
    ByteRuns runs(begin_, length_ + inner_.last());
    runs.inner_ = outer_;
    return runs;
  }

 private:
  std::uint64_t begin_;
  std::uint64_t length_;
  StridedItems inner_;
  StridedItems outer_;
};

/// Returns the sum of floor((a * i + b) / m) for i < n, modulo 2^64, in O(log m) steps. Requires that neither m + b nor
/// a * n overflows.
inline std::uint64_t sum_of_quotients(std::uint64_t n, std::uint64_t m, std::uint64_t a,
                                      std::uint64_t b) {
  std::uint64_t sum = 0;
  for (;;) {
    std::uint64_t const pairs = n % 2 == 0 ? n / 2 * (n - 1) : (n - 1) / 2 * n;
    sum += pairs * (a / m) + n * (b / m);
    a %= m;
    b %= m;
    std::uint64_t const last = a * n + b;
    if (last < m) return sum;
    n = last / m;
    b = last % m;
    std::swap(a, m);
  }
}

/// Whether any of the runs of `a_length` bytes that start at a + i * a_steps.pitch, for i < a_steps.count, shares a
/// byte with any of the runs of `b_length` bytes that start at b + j * b_steps.pitch, for j < b_steps.count.
inline bool rows_overlap(std::uint64_t a, std::uint64_t a_length, StridedItems const& a_steps,
                         std::uint64_t b, std::uint64_t b_length, StridedItems const& b_steps) {
  // The runs i = first, ..., last of a are those that end after the first run of b starts, and start before the last
  // run of b ends.
  std::uint64_t const b_end = b + b_steps.last() + b_length;
  if (a >= b_end || a + a_steps.last() + a_length <= b) return false;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (a_steps.count > 1) {
    std::uint64_t const pitch = a_steps.pitch;
    if (a + a_length <= b) first = (b - a - a_length) / pitch + 1;
    last = std::min(a_steps.count - 1, (b_end - 1 - a) / pitch);
  }
  if (first > last) return false;
  // Let m be the pitch of b, reach = a_length + b_length - 2, and offset = a + i * a_steps.pitch + a_length - 1 - b.
  // Run i of a overlaps run j of b if and only if j * m <= offset <= j * m + reach.
  std::uint64_t const reach = a_length + b_length - 2;
  std::uint64_t const m = b_steps.pitch;
  if (b_steps.count == 1 || reach + 1 >= m) return true;
  std::uint64_t const offset = a + first * a_steps.pitch + a_length - 1 - b;
  std::uint64_t const count = last - first + 1;
  // The two sums differ by the number of runs i of a that overlap a run j of b.
  return sum_of_quotients(count, m, a_steps.pitch, offset + m) !=
         sum_of_quotients(count, m, a_steps.pitch, offset + m - reach - 1);
}

/// The maximum number of pairs of rows that are compared.
inline constexpr std::uint64_t max_compared_rows = 256;

/// Whether two sets of runs share a byte. The result is exact if there are at most max_compared_rows pairs of rows.
/// Otherwise it may be true although no byte is shared. It is false only if a common divisor of all pitches, or the
/// hulls of the runs, show that the sets are disjoint.
inline bool overlap(ByteRuns const& a, ByteRuns const& b) {
  if (a.end() <= b.begin() || b.end() <= a.begin()) return false;
  std::uint64_t const pitch = std::gcd(a.common_pitch(), b.common_pitch());
  if (pitch == 0) return true;
  std::uint64_t const offset = b.begin() >= a.begin()
                                   ? (b.begin() - a.begin()) % pitch
                                   : pitch - 1 - (a.begin() - b.begin() - 1) % pitch;
  if (offset >= a.length() && offset + b.length() <= pitch) return false;
  if (a.rows() > max_compared_rows / b.rows()) {
    // Hulls have one row each.
    ByteRuns const hull_a = a.hull();
    ByteRuns const hull_b = b.hull();
    return rows_overlap(hull_a.begin(), hull_a.length(), hull_a.within_rows(), hull_b.begin(),
                        hull_b.length(), hull_b.within_rows());
  }
  for (std::uint64_t i = 0; i < a.rows(); ++i) {
    for (std::uint64_t j = 0; j < b.rows(); ++j) {
      if (rows_overlap(a.row(i), a.length(), a.within_rows(), b.row(j), b.length(),
                       b.within_rows())) {
        return true;
      }
    }
  }
  return false;
}

// --- requirements ---

template <class View, int Rank>
inline constexpr bool has_rank = View::rank() == Rank;

/// An option, such as an order. A View at the position of an option is an argument too many.
template <class T>
concept NotAView = !Kokkos::is_view_v<T>;

/// A View that kernels of `Exec` can read. Exec is an execution space or a Context.
template <class View, class Exec>
concept AccessibleFrom = Kokkos::is_view_v<View> && InstanceOrContext<Exec> && static_cast<bool>(
    Kokkos::SpaceAccessibility<SpaceOf<Exec>, typename View::memory_space>::accessible);

/// A View that kernels of `Exec` can read and write.
template <class View, class Exec>
concept WritableFrom = AccessibleFrom<View, Exec> && !std::is_const_v<typename View::value_type>;

/// A View of rows: rank 1 (values) or rank 2.
template <class View, class Exec>
concept RowsFrom = AccessibleFrom<View, Exec> &&(has_rank<View, 1> || has_rank<View, 2>);

template <class View, class Exec>
concept WritableRowsFrom = RowsFrom<View, Exec> && WritableFrom<View, Exec>;

/// A View of rank 1.
template <class View, class Exec>
concept ArrayFrom = AccessibleFrom<View, Exec> && has_rank<View, 1>;

template <class View, class Exec>
concept WritableArrayFrom = WritableFrom<View, Exec> && has_rank<View, 1>;

/// A View of rank 1 whose values are moved as bytes.
template <class View, class Exec>
concept MovedArrayFrom = WritableArrayFrom<View, Exec> &&
    std::is_trivially_copyable_v<typename View::non_const_value_type> &&
    !View::traits::memory_traits::is_atomic;

/// A View of rank 2.
template <class View, class Exec>
concept MatrixFrom = AccessibleFrom<View, Exec> && has_rank<View, 2>;

template <class View, class Exec>
concept WritableMatrixFrom = WritableFrom<View, Exec> && has_rank<View, 2>;

/// Whether conversion to type To preserves the value of every number of type From.
template <class From, class To>
constexpr bool keeps_every_number() {
  using F = std::numeric_limits<From>;
  using T = std::numeric_limits<To>;
  if constexpr (std::is_same_v<To, bool> || (!F::is_integer && T::is_integer)) {
    return false;
  } else {
    bool const has_sign = T::is_signed || !F::is_signed;
    bool const has_range = F::is_integer || F::max_exponent <= T::max_exponent;
    return has_sign && has_range && F::digits <= T::digits;
  }
}

/// Whether values of From can be stored as values of To without change. This is true if
/// - the types are the same,
/// - To can represent all numbers of From, or
/// - at least one of the types is not arithmetic, and From can be assigned to To.
template <class From, class To>
inline constexpr bool converts_without_loss = std::is_assignable_v<To&, From const&>;
template <class From, class To>
requires(std::is_arithmetic_v<From>&&
             std::is_arithmetic_v<To>) inline constexpr bool converts_without_loss<From, To> =
    std::is_same_v<From, To> || keeps_every_number<From, To>();

template <class In, class Out>
inline constexpr bool can_hold_values_of =
    converts_without_loss<typename In::non_const_value_type, typename Out::non_const_value_type>;

template <class In, class Out>
inline constexpr bool has_value_type_of =
    std::is_same_v<typename In::non_const_value_type, typename Out::non_const_value_type>;

/// Returns the byte ranges of a View of rank 0, 1 or 2. Requires that the View is not empty.
template <class View>
ByteRuns bytes_of(View const& view) {
  std::uint64_t const size = sizeof(typename View::value_type);
  ByteRuns runs(reinterpret_cast<std::uintptr_t>(view.data()), size);
  if constexpr (View::rank() == 0) {
    // one element
  } else if constexpr (View::rank() == 1) {
    runs.repeat({view.extent(0), view.stride(0) * size});
  } else {
    StridedItems const rows{view.extent(0), view.stride(0) * size};
    StridedItems const columns{view.extent(1), view.stride(1) * size};
    bool const rows_first = rows.pitch < columns.pitch;
    runs.repeat(rows_first ? rows : columns);
    runs.repeat(rows_first ? columns : rows);
  }
  return runs;
}

/// Whether two Views of rank 0, 1 or 2 share an element, determined from their addresses, extents and strides. The result
/// is exact for two Views of rank 0 or 1; for others, see overlap() of ByteRuns.
template <class A, class B>
bool overlap(A const& a, B const& b) {
  return a.size() > 0 && b.size() > 0 && overlap(bytes_of(a), bytes_of(b));
}

/// Returns the name of a View for an error message: the caller's name of the argument, and the label of the View if it
/// has one.
template <class View>
std::string name_of(char const* argument, View const& view) {
  std::string const label = view.label();
  return label.empty() ? argument : concatenate(argument, " (\"", label, "\")");
}

/// Throws if two Views share an element. name_of_a and name_of_b are the names of the arguments.
template <class A, class B>
void check_disjoint(char const* function, char const* name_of_a, A const& a, char const* name_of_b,
                    B const& b) {
  if (!overlap(a, b)) return;
  check(false, function, name_of(name_of_a, a), " and ", name_of(name_of_b, b),
        " overlap: must share no element");
}

/// Throws if `in` and `out` share an element, unless `are_same` says that `in` and `out` have the same elements.
template <class In, class Out>
void check_same_or_disjoint(char const* function, bool are_same, In const& in, Out const& out) {
  if (are_same || !overlap(in, out)) return;
  check(false, function, name_of("in", in), " and ", name_of("out", out),
        " overlap: must be the same elements or share none");
}

/// Throws unless the value type of `out` can represent 0, ..., n - 1. `name` is the name of the argument `out`.
template <class Out>
void check_can_index(char const* function, char const* name, Out const&, std::uint64_t n) {
  using Value = typename Out::non_const_value_type;
  static_assert(std::is_integral_v<Value>,
                "riffle: indices are written: their value type is an integer");
  auto const largest = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
  check(n == 0 || n - 1 <= largest, function, "n = ", n, ": the value type of ", name,
        " holds no index above ", largest);
}

}  // namespace riffle::detail
