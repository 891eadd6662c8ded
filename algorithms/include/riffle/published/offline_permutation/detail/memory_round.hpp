#pragma once

// Rounds of memory accesses in the memory machine models (used by memory_machine.hpp). Host only.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace riffle {

/// The value that an address function returns for a thread that does not take part in a round.
inline constexpr std::uint64_t no_address = ~std::uint64_t{0};

enum class MemoryKind { global, shared };
enum class AccessKind { reading, writing };
enum class RoundKind { coalesced, conflict_free, casual };

/// A round, in which each thread accesses one cell or does not take part.
struct MemoryRound {
  MemoryKind memory = MemoryKind::global;
  AccessKind access = AccessKind::reading;
  /// In global memory: coalesced or casual. In shared memory: conflict-free or casual.
  RoundKind kind = RoundKind::casual;
  /// The number of threads that take part, and the number of warps with at least one of these
  /// threads. All other warps are not dispatched.
  std::uint64_t requests = 0;
  std::uint64_t warps = 0;
  /// The total number of pipeline stages that warps occupy, and the largest number for one warp.
  std::uint64_t stages = 0;
  std::uint64_t max_stages = 0;
  /// The number of time units until the last request has been completed.
  std::uint64_t time = 0;

  bool operator==(MemoryRound const&) const = default;
};

/// The number of rounds of each kind. The members are the columns of the paper's Table 1, followed
/// by the rounds with bank conflicts.
struct RoundCounts {
  std::uint64_t casual_reading = 0;
  std::uint64_t casual_writing = 0;
  std::uint64_t coalesced_reading = 0;
  std::uint64_t coalesced_writing = 0;
  std::uint64_t conflict_free_reading = 0;
  std::uint64_t conflict_free_writing = 0;
  std::uint64_t conflicting_reading = 0;
  std::uint64_t conflicting_writing = 0;

  bool operator==(RoundCounts const&) const = default;

  void add(MemoryRound const& round) {
    bool const reads = round.access == AccessKind::reading;
    bool const casual = round.kind == RoundKind::casual;
    if (round.memory == MemoryKind::global) {
      ++(casual ? (reads ? casual_reading : casual_writing)
                : (reads ? coalesced_reading : coalesced_writing));
    } else {
      ++(casual ? (reads ? conflicting_reading : conflicting_writing)
                : (reads ? conflict_free_reading : conflict_free_writing));
    }
  }
};

namespace detail {

/// The rounds that a machine has run, one after the other.
class RoundLog {
 public:
  std::vector<MemoryRound> const& rounds() const { return rounds_; }

  RoundCounts counts() const {
    RoundCounts counts;
    for (auto const& round : rounds_) counts.add(round);
    return counts;
  }

  /// Returns the time units of all rounds. A thread makes an access only after its previous access
  /// has completed.
  std::uint64_t time() const {
    std::uint64_t time = 0;
    for (auto const& round : rounds_) time += round.time;
    return time;
  }

  /// Removes all rounds.
  void clear() { rounds_.clear(); }

 protected:
  MemoryRound add(MemoryRound const& round) {
    rounds_.push_back(round);
    return round;
  }

 private:
  std::vector<MemoryRound> rounds_;
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/// Returns the cell that an address function has returned as an integer or as an optional integer.
template <class Address>
std::uint64_t cell_of(Address const& address) {
  if constexpr (is_optional<Address>) {
    return address ? static_cast<std::uint64_t>(*address) : no_address;
  } else {
    static_assert(std::is_integral_v<Address>, "an address is an integer, or an optional one");
    return static_cast<std::uint64_t>(address);
  }
}

/// Returns the number of address groups that a warp accesses; address a is in group a / width. On
/// the UMM, each group takes one pipeline stage.
inline std::uint64_t count_address_groups(std::vector<std::uint64_t>& addresses,
                                          std::uint64_t width) {
  for (auto& address : addresses) address /= width;
  std::sort(addresses.begin(), addresses.end());
  return static_cast<std::uint64_t>(std::unique(addresses.begin(), addresses.end()) -
                                    addresses.begin());
}

/// Returns the maximum, over all banks, of the number of different addresses that a warp accesses
/// in the bank; address a is in bank a mod width. This is the number of pipeline stages on the DMM.
inline std::uint64_t count_bank_stages(std::vector<std::uint64_t>& addresses, std::uint64_t width) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  for (auto& address : addresses) address %= width;
  std::sort(addresses.begin(), addresses.end());
  std::uint64_t most = 0;
  for (auto bank = addresses.begin(); bank != addresses.end();) {
    auto const next = std::upper_bound(bank, addresses.end(), *bank);
    most = std::max(most, static_cast<std::uint64_t>(next - bank));
    bank = next;
  }
  return most;
}

/// The parameters of one memory of a machine.
struct MemoryParameters {
  MemoryKind memory;
  std::uint64_t width;
  std::uint64_t latency;
  /// The number of memories that work in parallel. Block b uses memory b mod units.
  std::uint64_t units;
};

/// Runs a round with `blocks` blocks of `threads` threads each. Each warp belongs to one block.
template <class Address>
MemoryRound run_round(MemoryParameters const& p, AccessKind access, std::uint64_t blocks,
                      std::uint64_t threads, Address const& address) {
  bool const is_global = p.memory == MemoryKind::global;
  MemoryRound round;
  round.memory = p.memory;
  round.access = access;
  std::vector<std::uint64_t> busy(static_cast<std::size_t>(p.units));
  std::vector<std::uint64_t> warp;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    for (std::uint64_t first = 0; first < threads; first += p.width) {
      warp.clear();
      for (std::uint64_t thread = first; thread < std::min(first + p.width, threads); ++thread) {
        std::uint64_t const accessed = cell_of(address(block, thread));
        if (accessed != no_address) warp.push_back(accessed);
      }
      if (warp.empty()) continue;
      round.requests += warp.size();
      ++round.warps;
      std::uint64_t const stages =
          is_global ? count_address_groups(warp, p.width) : count_bank_stages(warp, p.width);
      round.stages += stages;
      round.max_stages = std::max(round.max_stages, stages);
      busy[static_cast<std::size_t>(block % p.units)] += stages;
    }
  }
  if (round.max_stages <= 1) {
    round.kind = is_global ? RoundKind::coalesced : RoundKind::conflict_free;
  }
  if (round.warps > 0) round.time = *std::max_element(busy.begin(), busy.end()) + p.latency - 1;
  return round;
}

}  // namespace detail
}  // namespace riffle
