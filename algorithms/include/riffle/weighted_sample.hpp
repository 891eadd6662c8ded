#pragma once

// Samples without replacement, with probabilities that are proportional to weights.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/primitives/call.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/views.hpp>
#include <riffle/select/detail/smallest.hpp>
#include <riffle/select/detail/weights.hpp>

namespace riffle {

/// Draws k = out.extent(0) of the elements 0, ..., n - 1 without replacement, one after the other. The probability that an element is
/// drawn next is its weight divided by the sum of the weights of all elements that have not been drawn. Element i gets the key
/// e(i) / weights(i), where e(i) is an exponential random number, and the sample is the elements with the k smallest keys, in
/// ascending order of keys [1].
///
/// - exec: an execution space instance, or a Context of one.
/// - weights: a rank-1 View of n numbers, which are converted to double. An element whose weight is 0, or less than 2^-1022, is
///   never drawn.
/// - out: a rank-1 View of k integers, of a type that can represent n - 1.
/// - seed, stream: the random numbers depend on both. Different streams are independent samples.
///
/// The first k elements of a larger sample are the sample of k elements.
///
/// Throws std::invalid_argument if k > n, k > 0 and a weight is negative, infinite or NaN, fewer than k weights are positive, the
/// type of out cannot represent n - 1, or the Views overlap; nothing is written then. Blocking: fences. Complexity: one read of the
/// weights, one Philox block for each of them, and sorts of at most 2^16 keys, and of k + O(sqrt(n k)) keys. All keys are sorted if n
/// < 2^12, or if k is a large part of n. Memory: the memory of these sorts, and 16 bytes per sorted key. Reproducible: the keys have
/// the same bits on every back end.
///
/// [1] P. S. Efraimidis, P. G. Spirakis, "Weighted random sampling with a reservoir", Inf. Process. Lett. 97 (2006). Their keys are
///     exp(-e(i) / weights(i)), of which they take the k largest.
template <detail::InstanceOrContext Exec, detail::ArrayFrom<Exec> Weights,
          detail::WritableArrayFrom<Exec> Out>
void weighted_sample(Exec const& exec, Weights const& weights, Out const& out, std::uint64_t seed,
                     std::uint64_t stream = 0) {
  detail::Call const context(exec, "riffle::weighted_sample");
  char const* const function = "weighted_sample";
  detail::select::check_indices(function, "weights", weights, "out", out);
  std::uint64_t const k = out.extent(0);
  detail::select::WeightCodes<Weights> const codes{weights, seed, stream};
  detail::select::with_smallest(context, weights.extent(0), k, codes, [&](auto const& pairs) {
    auto const [code, i] = pairs.read(context, 0);
    detail::check(!codes.is_invalid(code), function, "weights(", i, ") = ", codes.invalid(code),
                  ": must be finite and not negative");
    detail::check(pairs.read(context, k - 1).first != codes.of_zero, function,
                  "out.extent(0) = ", k, ": must not exceed the number of positive weights");
    pairs.write_indices(context.named("write"), out);
  });
}

RIFFLE_CALL_DIAGNOSTICS(weighted_sample, weights<Array>, out<WrittenArray>, seed<WholeNumber>,
                        stream<Optional<WholeNumber>>)

}  // namespace riffle
