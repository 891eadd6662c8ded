#pragma once

// Turns the operation that the caller passes to a scan into a monoid. The operation is one of
// - a monoid,
// - a function object of the standard library, such as std::plus<>,
// - a reducer of Kokkos,
// - a function of two values, which has no identity.
// Also converts elements and initial values to the value type of the operation.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

#include <riffle/backend/floating_point.hpp>
#include <riffle/errors.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/is_instance_of.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::scan {

// --- operations of the standard library ---

/// The monoid for a function object of <functional>, if values have the type Value.
template <class Op, class Value>
struct StandardMonoid {
  static constexpr bool exists = false;
};

template <template <class> class M, class T, class Value>
struct ExistingMonoid {
  static constexpr bool exists = true;
  using type = M<std::conditional_t<std::is_void_v<T>, Value, T>>;
};
template <class T, class Value>
struct StandardMonoid<std::plus<T>, Value> : ExistingMonoid<Sum, T, Value> {};
template <class T, class Value>
struct StandardMonoid<std::multiplies<T>, Value> : ExistingMonoid<Product, T, Value> {};
template <class T, class Value>
struct StandardMonoid<std::bit_and<T>, Value> : ExistingMonoid<BitAnd, T, Value> {};
template <class T, class Value>
struct StandardMonoid<std::bit_or<T>, Value> : ExistingMonoid<BitOr, T, Value> {};
template <class T, class Value>
struct StandardMonoid<std::bit_xor<T>, Value> : ExistingMonoid<BitXor, T, Value> {};

// --- reducers of Kokkos ---

// riffle::Min and riffle::Max replace Kokkos::Min and Kokkos::Max. If one argument of Kokkos's join is a NaN, the
// result depends on whether the NaN is the left or the right argument, and therefore on the order of combination.

template <class T>
concept HasLimits = std::numeric_limits<std::remove_cv_t<T>>::is_specialized;
template <HasLimits T, class Space, class Value>
struct StandardMonoid<Kokkos::Min<T, Space>, Value>
    : ExistingMonoid<Min, std::remove_cv_t<T>, Value> {};
template <HasLimits T, class Space, class Value>
struct StandardMonoid<Kokkos::Max<T, Space>, Value>
    : ExistingMonoid<Max, std::remove_cv_t<T>, Value> {};

/// Whether R is another reducer of Kokkos for a minimum, a maximum or both, with or without their locations.
template <class R>
inline constexpr bool is_extremum_reducer =
    is_instance_of<R, Kokkos::MinMax> || is_instance_of<R, Kokkos::MinLoc> ||
    is_instance_of<R, Kokkos::MaxLoc> || is_instance_of<R, Kokkos::MinMaxLoc> ||
    is_instance_of<R, Kokkos::MinFirstLoc> || is_instance_of<R, Kokkos::MaxFirstLoc> ||
    is_instance_of<R, Kokkos::MinMaxFirstLastLoc>;

/// Returns the value whose member `part` is a NaN, or the left value if this is true of both. Returns `joined` if
/// neither member is a NaN.
template <class Value, class T>
KOKKOS_FUNCTION Value const& propagate_nan(Value const& left, Value const& right,
                                           Value const& joined, T Value::*part) {
  if (detail::is_nan(left.*part)) return left;
  return detail::is_nan(right.*part) ? right : joined;
}

/// Returns `joined`, the join of two extremes, unless one extreme is a NaN. A NaN propagates together with its
/// location, as for riffle::Min.
template <class Value>
KOKKOS_FUNCTION Value propagate_nans(Value const& left, Value const& right, Value const& joined) {
  if constexpr (requires { joined.val; }) {
    return propagate_nan(left, right, joined, &Value::val);
  } else {
    Value const& low = propagate_nan(left, right, joined, &Value::min_val);
    Value const& high = propagate_nan(left, right, joined, &Value::max_val);
    Value result = low;
    result.max_val = high.max_val;
    if constexpr (requires { joined.max_loc; }) result.max_loc = high.max_loc;
    return result;
  }
}

/// A reducer of Kokkos, or a functor with the same init and join.
template <class R>
concept Reducer = requires(R const& reducer, std::remove_const_t<typename R::value_type>& x,
                           typename R::value_type const& y) {
  reducer.init(x);
  reducer.join(x, y);
};

template <class R>
class ReducerMonoid {
 public:
  using value_type = std::remove_const_t<typename R::value_type>;

  explicit ReducerMonoid(R const& reducer) : reducer_(reducer) {}

  KOKKOS_FUNCTION value_type identity() const {
    value_type x;
    reducer_.init(x);
    return x;
  }
  KOKKOS_FUNCTION value_type operator()(value_type left, value_type const& right) const {
    if constexpr (is_extremum_reducer<R>) {
      value_type joined = left;
      reducer_.join(joined, right);
      return propagate_nans(left, right, joined);
    } else {
      reducer_.join(left, right);
      return left;
    }
  }

 private:
  R reducer_;
};

// --- operations that have no identity ---

/// A value, or no value. For an operation that has no identity, a Maybe without a value is the identity.
template <class T>
struct Maybe {
  Maybe() = default;
  template <class U>
  KOKKOS_FUNCTION constexpr explicit Maybe(U const& x) : value(static_cast<T>(x)), exists(true) {}

  KOKKOS_FUNCTION constexpr operator T() const { return value; }

  T value{};
  bool exists = false;
};

/// Turns an associative operation without an identity into a monoid on Maybe<T>. The identity is a Maybe without a
/// value.
template <class Op, class T>
class SemigroupMonoid {
 public:
  using value_type = Maybe<T>;

  explicit SemigroupMonoid(Op const& op) : op_(op) {}

  KOKKOS_FUNCTION value_type identity() const { return {}; }
  KOKKOS_FUNCTION value_type operator()(value_type const& left, value_type const& right) const {
    if (!left.exists) return right;
    if (!right.exists) return left;
    return value_type(op_(left.value, right.value));
  }

 private:
  Op op_;
};

template <class M>
inline constexpr bool is_semigroup = is_instance_of<M, SemigroupMonoid>;

/// The value type of the caller's operation: M::value_type, or T for a SemigroupMonoid<Op, T>.
template <class M>
struct ValueOf {
  using type = typename M::value_type;
};
template <class Op, class T>
struct ValueOf<SemigroupMonoid<Op, T>> {
  using type = T;
};

// --- all kinds of operations ---

/// An operation for scans of values of type Value: a Monoid, a function object of <functional>, a reducer of Kokkos, or
/// a function that combines two values.
template <class Op, class Value>
concept OperationOn = Monoid<Op> || StandardMonoid<Op, Value>::exists || Reducer<Op> ||
    std::is_invocable_r_v<Value, Op const&, Value const&, Value const&>;

/// Returns the monoid for an operation on values of type Value.
template <class Value, class Op>
auto monoid_of(Op const& op) {
  if constexpr (Monoid<Op>) {
    return op;
  } else if constexpr (StandardMonoid<Op, Value>::exists) {
    return typename StandardMonoid<Op, Value>::type();
  } else if constexpr (Reducer<Op>) {
    return ReducerMonoid<Op>(op);
  } else {
    return SemigroupMonoid<Op, Value>(op);
  }
}

/// Converts an element to the operation's value type.
template <class Op, class Item>
KOKKOS_INLINE_FUNCTION typename Op::value_type to_value(Item const& item) {
  if constexpr (is_instance_of<Op, Count>) {
    return typename Op::value_type(static_cast<bool>(item));
  } else {
    return static_cast<typename Op::value_type>(item);
  }
}

}  // namespace riffle::detail::scan

namespace riffle::detail {

// --- the initial value of a scan; it is an error if the value type of the scan cannot represent it ---

/// Whether an Init can be the initial value of a scan whose values have type T. If it cannot, one static_assert says
/// so.
template <class T, class Init>
constexpr bool can_begin_with() {
  constexpr bool can = !(std::is_integral_v<T> && std::is_floating_point_v<Init>);
  static_assert(can,
                "riffle: argument init: an integer belongs here, since the scan combines integers: "
                "it would lose a fraction; an operation on other values is named, as in "
                "riffle::Sum<double>{}");
  return can;
}

template <class T>
constexpr bool is_negative([[maybe_unused]] T number) {
  if constexpr (std::is_signed_v<T>) {
    return number < 0;
  } else {
    return false;
  }
}

/// Whether T can represent a number: an integer exactly, a floating-point number up to rounding.
template <class T, class Init>
bool holds_number(Init init) {
  if constexpr (std::is_floating_point_v<Init>) {
    // Every floating-point type can represent infinities and NaNs.
    return !is_finite(init) || is_finite(static_cast<T>(init));
  } else if constexpr (std::is_floating_point_v<T>) {
    auto magnitude = static_cast<std::uint64_t>(init);
    if (is_negative(init)) magnitude = ~magnitude + 1;
    while (magnitude != 0 && magnitude % 2 == 0) magnitude /= 2;
    return std::numeric_limits<T>::digits >= 64 || magnitude >> std::numeric_limits<T>::digits == 0;
  } else {
    auto const value = static_cast<T>(init);
    return static_cast<Init>(value) == init && is_negative(value) == is_negative(init);
  }
}

/// Converts init to T. Throws std::invalid_argument if T cannot represent its value.
template <class T, class Init>
T init_value(char const* function, Init const& init) {
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<Init> &&
                !converts_without_loss<Init, T>) {
    check(holds_number<T>(init), function, "init = ", +init,
          ": must be a number that the type of the scan's values holds");
  }
  return static_cast<T>(init);
}

}  // namespace riffle::detail
