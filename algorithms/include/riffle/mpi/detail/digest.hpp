#pragma once

// Digests that ranks compare to check that data are equal on all ranks.
//
// A digest is a sum with one term per element, so the threads of a kernel may add the terms in any
// order. Each term mixes the element's bits with the element's index. If data differ, their digests
// are equal with a probability of about 2^-64.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>

namespace riffle::detail::mpi {

/// A bijection of 64-bit numbers in which each result bit depends on all bits of x. This is D.
/// Stafford's mix 13, which SplitMix64 uses, too (G. L. Steele, D. Lea, C. H. Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
KOKKOS_INLINE_FUNCTION std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Returns a number that identifies a value: the bits of the value if it has at most 64 bits.
template <class T>
KOKKOS_INLINE_FUNCTION std::uint64_t number_of_element(T const& value) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return Kokkos::bit_cast<std::uint32_t>(value);
  } else if constexpr (sizeof(T) > sizeof(double)) {
    auto const high = static_cast<double>(value);
    auto const low = static_cast<double>(value - static_cast<T>(high));
    return mixed(Kokkos::bit_cast<std::uint64_t>(high)) ^ Kokkos::bit_cast<std::uint64_t>(low);
  } else {
    return Kokkos::bit_cast<std::uint64_t>(static_cast<double>(value));
  }
}

KOKKOS_INLINE_FUNCTION std::uint64_t digest_of_element(std::uint64_t place, std::uint64_t number) {
  return mixed(mixed(place + 0x9e3779b97f4a7c15) + number);
}

/// Adds the term for one element of a View whose rank is 1 or 2.
template <class View>
struct DigestElement {
  View view;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    if constexpr (View::rank() == 1) {
      sum += digest_of_element(i, number_of_element(view(i)));
    } else {
      std::uint64_t const columns = view.extent(1);
      sum += digest_of_element(i, number_of_element(view(i / columns, i % columns)));
    }
  }
};

/// Returns the digest of a View's elements, which are numbered row by row. Fences.
template <class Exec, class View>
std::uint64_t digest_of(Context<Exec> const& context, View const& view) {
  std::uint64_t digest = 0;
  Kokkos::parallel_reduce(context.label() + "::digest", range(context.exec(), 0, view.size()),
                          DigestElement<View>{view}, digest);
  return digest;
}

/// A digest of a call's arguments that are not Views.
class Digest {
 public:
  void add(std::uint64_t number) { sum_ += digest_of_element(count_++, number); }

  template <class T>
  void add(std::vector<T> const& values) {
    add(values.size());
    for (auto const& value : values) add(number_of_element(value));
  }

  std::uint64_t value() const { return sum_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace riffle::detail::mpi
