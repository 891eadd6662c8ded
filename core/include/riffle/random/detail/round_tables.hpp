#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/byte_lookup.hpp>

namespace riffle::detail {

/// The rounds of a network whose halves are bytes, as tables. A round adds a function of one half of a point to the
/// other half, and there are fewer halves than points: so the functions are worked out once for each half. Host only.
class RoundTables {
 public:
  static constexpr int max_rounds = 32;

  /// Whether tables are faster than the rounds themselves for `count` points of a network with this radix.
  static bool suit(std::uint64_t radix, int low_bits, std::size_t count) {
    auto const most = static_cast<std::uint64_t>(backend::most_entries_looked_up());
    std::uint64_t const low = std::uint64_t{1} << low_bits;
    return radix <= most && low <= most && radix + low <= count;
  }

  /// `network` is FeistelRounds of 32-bit words; keys[r], r < rounds, are its widened keys.
  template <class Network, class Keys>
  RoundTables(Network const& network, Keys const& keys, int rounds) : rounds_(rounds) {
    backend::call_with_words(Fill<Network, Keys>{*this, network, keys});
  }

  /// Replaces the points high[k], low[k], k < count, by what the rounds make of them. Up to backend::room_behind bytes
  /// behind are overwritten.
  template <class Lookup>
  KOKKOS_FORCEINLINE_FUNCTION void apply(std::uint8_t* high, std::uint8_t* low,
                                         std::size_t count) const {
    Lookup::add_alternately(tables_, rounds_, low, high, count);
  }

 private:
  template <class Network, class Keys>
  struct Fill {
    RoundTables& tables;
    Network const& network;
    Keys const& keys;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      int const low = 1 << network.low_bits();
      int const high = static_cast<int>(network.radix());
      for (int round = 0; round < tables.rounds_; ++round) {
        bool const is_even = round % 2 == 0;
        backend::ByteTable& table = tables.tables_[round];
        table.entries = is_even ? high : low;
        table.modulus = is_even ? low : high;
        for (int e = 0; e < table.entries; e += Words::width) {
          auto const half = Words::iota(static_cast<std::uint32_t>(e));
          Words const added = is_even ? network.added_to_low(half, keys[round])
                                      : network.added_to_high(half, keys[round]);
          store(added, table.values + e);
        }
      }
    }

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION static void store(Words const& added, std::uint8_t* to) {
      std::uint32_t values[Words::width];
      added.store(values);
      for (int w = 0; w < Words::width; ++w) to[w] = static_cast<std::uint8_t>(values[w]);
    }
  };

  int rounds_;
  backend::ByteTable tables_[max_rounds];
};

}  // namespace riffle::detail
