#pragma once

// A struct, and a comparison whose order is chosen at run time, so that algorithms are compiled for one comparison.

#include <Kokkos_Core.hpp>

#include <riffle/sort/key_value.hpp>

#include <atomic>
#include <cstdint>

namespace riffle::test {

using Tagged = KeyValue<std::int32_t, std::uint32_t>;

/// The orders of a TaggedOrder. The last four are not strict weak orderings.
enum class Answers {
  ascending,
  descending,
  as_doubles,  // compares the doubles with the same bits, which may be NaN
  always,
  hashed,
  coin  // answers change with each call and differ between ranks
};

struct TaggedOrder {
  Answers answers = Answers::ascending;

  KOKKOS_FUNCTION bool operator()(Tagged const& a, Tagged const& b) const {
    switch (answers) {
      case Answers::ascending: return a.key < b.key;
      case Answers::descending: return b.key < a.key;
      case Answers::as_doubles: return Kokkos::bit_cast<double>(a) < Kokkos::bit_cast<double>(b);
      case Answers::always: return true;
      case Answers::hashed: return is_before_by_hash(a, b);
      default: break;
    }
    KOKKOS_IF_ON_HOST((return toss();))
    KOKKOS_IF_ON_DEVICE((return false;))
  }

  static inline std::atomic<std::uint32_t> tosses = 0;

 private:
  KOKKOS_FUNCTION static bool is_before_by_hash(Tagged const& a, Tagged const& b) {
    return ((Kokkos::bit_cast<std::uint64_t>(a) * 0x9E3779B97F4A7C15u ^
             Kokkos::bit_cast<std::uint64_t>(b) * 0xD1B54A32D192ED03u) >>
                17 &
            1) != 0;
  }

  static bool toss() {
    std::uint32_t x = tosses++ * 0x9E37'79B9u;
    x = (x ^ x >> 16) * 0x85EB'CA6Bu;
    return (x >> 15 & 1u) != 0;
  }
};

}  // namespace riffle::test
