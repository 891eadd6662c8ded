#pragma once

// The memory machine models: the Discrete (DMM), the Unified (UMM) and the Hierarchical Memory Machine (HMM).
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1]: sec. 2 (models) and sec. 3 (rounds, Lemma 1).
//
// A model receives the addresses of an algorithm, round by round, and returns the kind and the time of each round. An
// address function is any callable that returns the cell that a thread accesses. So the index functions of a kernel can
// be used directly:
//
//   riffle::HierarchicalMemoryMachine machine({.width = 32, .latency = 200, .dmms = 8});
//   // As a kernel of `blocks` teams of `threads` moves a tile through its scratch memory:
//   machine.read_global(blocks, threads, [&](auto block, auto thread) { return tile.source(block, thread); });
//   machine.write_shared(blocks, threads, [&](auto, auto thread) { return tile.stored_at(thread); });
//   machine.read_shared(blocks, threads, [&](auto, auto thread) { return tile.loaded_from(thread); });
//   machine.write_global(blocks, threads, [&](auto block, auto thread) {
//     return is_inside(block, thread) ? tile.target(block, thread) : riffle::no_address;
//   });
//   machine.counts().coalesced_reading;     // 1
//   machine.counts().conflict_free_reading; // 1, if no warp accesses a bank twice
//   machine.time();                         // 2 n/w + 2 n/(k w) + 2 L - 2 time units
//
// Host only. Kokkos is not needed.

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/published/offline_permutation/detail/memory_round.hpp>

namespace riffle {

/// The width w is the number of banks and the number of threads per warp. The latency L is the number of time units
/// from a request to its completion.
struct MemoryMachineParameters {
  std::uint64_t width = 32;
  std::uint64_t latency = 1;
};

namespace detail {

inline void check_machine(char const* function, std::uint64_t width, std::uint64_t latency) {
  check(width > 0, function, "width = 0: must be at least 1");
  check(latency > 0, function, "latency = 0: must be at least 1");
}

/// A machine with one memory.
template <MemoryKind Kind>
class FlatMemoryMachine : public RoundLog {
 public:
  /// Runs a round in which threads 0, ..., threads - 1 read address(thread).
  template <class Address>
  MemoryRound read(std::uint64_t threads, Address const& address) {
    return run(AccessKind::reading, threads, address);
  }

  template <class Address>
  MemoryRound write(std::uint64_t threads, Address const& address) {
    return run(AccessKind::writing, threads, address);
  }

 protected:
  FlatMemoryMachine(char const* function, MemoryMachineParameters const& parameters)
      : parameters_{Kind, parameters.width, parameters.latency, 1} {
    check_machine(function, parameters.width, parameters.latency);
  }

 private:
  template <class Address>
  MemoryRound run(AccessKind access, std::uint64_t threads, Address const& address) {
    return add(run_round(parameters_, access, 1, threads,
                         [&](std::uint64_t, std::uint64_t thread) { return address(thread); }));
  }

  MemoryParameters parameters_;
};

}  // namespace detail

/// The Discrete Memory Machine, a model of a multiprocessor's shared memory. Cell a is in bank a mod w, and in one time
/// unit each bank serves one address. A warp occupies s pipeline stages, where s is the maximum number of different
/// addresses that it accesses in one bank; s = 1 if the round is conflict-free. Several threads may read the same
/// address. The time of a round is the total number of stages of all warps, plus L - 1.
///
/// read() and write() run a round and return its data; rounds(), counts() and time() concern all rounds. The
/// constructor throws std::invalid_argument if the width or the latency is 0.
class DiscreteMemoryMachine : public detail::FlatMemoryMachine<MemoryKind::shared> {
 public:
  explicit DiscreteMemoryMachine(MemoryMachineParameters const& parameters)
      : FlatMemoryMachine("DiscreteMemoryMachine", parameters) {}
};

/// The Unified Memory Machine, a model of a GPU's global memory. Cell a is in address group a / w, and in one time unit
/// one group is served. A warp that accesses s groups occupies s pipeline stages; s = 1 if the round is coalesced.
/// Everything else is as for DiscreteMemoryMachine.
class UnifiedMemoryMachine : public detail::FlatMemoryMachine<MemoryKind::global> {
 public:
  explicit UnifiedMemoryMachine(MemoryMachineParameters const& parameters)
      : FlatMemoryMachine("UnifiedMemoryMachine", parameters) {}
};

/// `width` is the width w of all memories, `latency` the latency L of the global memory, `dmms` the number k of DMMs.
/// Each DMM has a shared memory, whose latency is `shared_latency`.
struct HierarchicalMachineParameters {
  std::uint64_t width = 32;
  std::uint64_t latency = 1;
  std::uint64_t dmms = 1;
  std::uint64_t shared_latency = 1;
};

/// The Hierarchical Memory Machine, a model of a GPU. It has k DMMs, which work in parallel, each with its own shared
/// memory, and one global memory, a UMM, for the threads of all DMMs.
///
/// A round has `blocks` blocks of `threads` threads. address(block, thread) returns the cell, as an integer or optional
/// integer, or no_address if the thread does not take part. A warp is w consecutive threads of one block; the last warp
/// of a block may have fewer. Block b runs on DMM b mod k. Shared addresses start at 0 in each block's own memory;
/// global address 0 is aligned to w cells. A thread accesses one cell at a time (see in_vectors() for several cells).
///
/// The time of a round in global memory is the number of stages of all warps plus L - 1: n/w + L - 1 if n threads have
/// coalesced accesses (Lemma 1 of [1]). The time of a round in shared memory is the number of stages of the busiest
/// DMM: n/(k w) without conflicts, if blocks are distributed evenly. A round is classified by its actual accesses. For
/// example, the writes of a destination-designated permutation, which are casual in Table 1 of [1], are coalesced if
/// the permutation is the identity.
///
/// rounds(), counts() and time() concern all rounds. The constructor throws std::invalid_argument if a parameter is 0.
class HierarchicalMemoryMachine : public detail::RoundLog {
 public:
  explicit HierarchicalMemoryMachine(HierarchicalMachineParameters const& p)
      : global_{MemoryKind::global, p.width, p.latency, 1},
        shared_{MemoryKind::shared, p.width, p.shared_latency, p.dmms} {
    char const* const function = "HierarchicalMemoryMachine";
    detail::check_machine(function, p.width, p.latency);
    detail::check(p.dmms > 0, function, "dmms = 0: must be at least 1");
    detail::check(p.shared_latency > 0, function, "shared_latency = 0: must be at least 1");
  }

  /// Runs a round in which each thread reads global memory at address(block, thread).
  template <class Address>
  MemoryRound read_global(std::uint64_t blocks, std::uint64_t threads, Address const& address) {
    return add(detail::run_round(global_, AccessKind::reading, blocks, threads, address));
  }

  template <class Address>
  MemoryRound write_global(std::uint64_t blocks, std::uint64_t threads, Address const& address) {
    return add(detail::run_round(global_, AccessKind::writing, blocks, threads, address));
  }

  /// Runs a round in which each thread reads its block's shared memory.
  template <class Address>
  MemoryRound read_shared(std::uint64_t blocks, std::uint64_t threads, Address const& address) {
    return add(detail::run_round(shared_, AccessKind::reading, blocks, threads, address));
  }

  template <class Address>
  MemoryRound write_shared(std::uint64_t blocks, std::uint64_t threads, Address const& address) {
    return add(detail::run_round(shared_, AccessKind::writing, blocks, threads, address));
  }

 private:
  detail::MemoryParameters global_;
  detail::MemoryParameters shared_;
};

/// Returns the address function of threads that access `count` consecutive cells at once, as vector instructions do.
/// The returned function has one thread for each cell, so a warp's request is served in `count` parts of w cells.
template <class Address>
auto in_vectors(std::uint64_t count, Address const& address) {
  return [count, address](std::uint64_t block, std::uint64_t cell) {
    std::uint64_t const first = detail::cell_of(address(block, cell / count));
    return first == no_address ? no_address : first + cell % count;
  };
}

}  // namespace riffle
