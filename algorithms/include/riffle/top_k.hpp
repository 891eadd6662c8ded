#pragma once

// The k smallest or largest of n keys, in order, with their indices.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/select/detail/smallest.hpp>
#include <riffle/sort/number_code.hpp>

namespace riffle {

namespace detail::select {

template <class Keys, class Code>
struct KeyCodes {
  using Word = typename Code::Word;

  Keys keys;

  KOKKOS_FUNCTION Word operator()(std::uint64_t i) const { return Code::encode(keys(i)); }
  KOKKOS_FUNCTION Word value(std::uint64_t i) const { return (*this)(i); }
  KOKKOS_FUNCTION bool may_be_below(CodedIndex<Word> const& threshold, Word code,
                                    std::uint64_t i) const {
    return CodedIndex<Word>(code, i) < threshold;
  }
  KeyCodes const& up_to(Word) const { return *this; }
};

/// Writes the first keys in the order.
template <class Order, class Exec, class Keys, class Values, class Indices>
void top_k(char const* function, Context<Exec> const& context, Keys const& keys,
           Values const& values, Indices const& indices) {
  using Key = typename Keys::non_const_value_type;
  static_assert(sort::has_number_code<Key, Order>,
                "riffle: keys are integers of at most 64 bits, float or double");
  check_values<Keys, Values>();
  using Code = sort::NumberCode<Key, Order>;
  std::uint64_t const k = values.extent(0);
  check(k == indices.extent(0), function, "values.extent(0) = ", k,
        " and indices.extent(0) = ", indices.extent(0), ": must be equal");
  check_indices(function, "keys", keys, "indices", indices);
  check_disjoint(function, "keys", keys, "values", values);
  check_disjoint(function, "values", values, "indices", indices);
  with_smallest(context, keys.extent(0), k, KeyCodes<Keys, Code>{keys}, [&](auto const& pairs) {
    pairs.write_indices(context.named("indices"), indices);
    gather_rows(context.named("values"), k, StoredIndices<Indices>{indices}, keys, values);
  });
}

}  // namespace detail::select

/// Finds the k smallest keys, in ascending order: values(p) and indices(p), for p < k, are the value and the index of element p of
/// the keys after a stable sort.
///
/// - exec: an execution space instance, or a Context of one.
/// - keys: a rank-1 View of n integers of at most 64 bits, float or double. They have the total order of sort(), in which NaNs
///   follow all numbers, and -0 is before 0. Equal keys are in the order of their indices, so the result is unique.
/// - values: a rank-1 View of k keys, of a type that can represent every key.
/// - indices: a rank-1 View of k integers, of a type that can represent n - 1.
///
/// Throws std::invalid_argument if values and indices have different extents, k > n, the indices' type cannot represent n - 1, or
/// Views overlap; nothing is written then. Blocking: fences. Complexity: one read of all keys, and sorts
/// of at most 2^16 keys, and of k + O(sqrt(n k)) keys. All keys are sorted if n < 2^12, or if k is a large part of n. Memory: the
/// memory of these sorts, and 16 bytes per sorted key (12 if keys have at most 4 bytes). Reproducible.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys,
          detail::WritableArrayFrom<Exec> Values, detail::WritableArrayFrom<Exec> Indices>
void bottom_k(Exec const& exec, Keys const& keys, Values const& values, Indices const& indices) {
  detail::Call const context(exec, "riffle::bottom_k");
  detail::select::top_k<Ascending>("bottom_k", context, keys, values, indices);
}

/// Finds the k largest keys, in the descending order of sort(): NaNs follow all numbers, and 0 is before -0. So NaNs are among the k
/// largest only if there are fewer than k numbers. Everything else is as for bottom_k.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Keys,
          detail::WritableArrayFrom<Exec> Values, detail::WritableArrayFrom<Exec> Indices>
void top_k(Exec const& exec, Keys const& keys, Values const& values, Indices const& indices) {
  detail::Call const context(exec, "riffle::top_k");
  detail::select::top_k<Descending>("top_k", context, keys, values, indices);
}

RIFFLE_CALL_DIAGNOSTICS(bottom_k, keys<Array>, values<WrittenArray>, indices<WrittenArray>)
RIFFLE_CALL_DIAGNOSTICS(top_k, keys<Array>, values<WrittenArray>, indices<WrittenArray>)

}  // namespace riffle
