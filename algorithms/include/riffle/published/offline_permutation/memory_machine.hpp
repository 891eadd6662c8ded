#pragma once

// The memory machine models: the Discrete (DMM), the Unified (UMM) and the Hierarchical Memory Machine (HMM).
//   A. Kasagi, K. Nakano, Y. Ito, "Offline permutation on the CUDA-enabled GPU", IEICE Trans. Inf. & Syst.
//   E97-D (2014), doi 10.1587/transinf.2014PAP0010 [1]: sec. 2 (models) and sec. 3 (rounds, Lemma 1).
//
// A model is given an algorithm's addresses, round by round, and reports the kind and the time of
// each round. An address function is any callable that returns the cell that a thread accesses, so
// that the index functions of a kernel can be used directly:
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
//   machine.counts().conflict_free_reading; // 1, if no warp meets a bank twice
//   machine.time();                         // 2 n/w + 2 n/(k w) + 2 L - 2 time units
//
// Host only. It does not need Kokkos.

#include <cstdint>

#include <riffle/errors.hpp>
#include <riffle/published/offline_permutation/detail/memory_round.hpp>

namespace riffle {

/// Width w: the number of banks, and of threads of a warp. Latency L: the time units from a request
/// to its completion.
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
  /// A round in which threads 0, ..., threads - 1 read address(thread).
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

/// The Discrete Memory Machine, a model of a multiprocessor's shared memory: cell a is in bank a
/// mod w, and in one time unit each bank serves one address. A warp occupies s pipeline stages if
/// the fullest bank has s different addresses of it; s = 1 if the round is conflict-free. Several
/// threads may read the same address. A round takes the stages of all warps and L - 1 time units.
///
/// read() and write() run a round and return its data; rounds(), counts() and time() are for all
/// rounds. The constructor throws std::invalid_argument if the width or the latency is 0.
class DiscreteMemoryMachine : public detail::FlatMemoryMachine<MemoryKind::shared> {
 public:
  explicit DiscreteMemoryMachine(MemoryMachineParameters const& parameters)
      : FlatMemoryMachine("DiscreteMemoryMachine", parameters) {}
};

/// The Unified Memory Machine, a model of a GPU's global memory: cell a is in address group a / w,
/// and in one time unit one group is served. A warp that accesses s groups occupies s pipeline
/// stages; s = 1 if the round is coalesced. Otherwise as for DiscreteMemoryMachine.
class UnifiedMemoryMachine : public detail::FlatMemoryMachine<MemoryKind::global> {
 public:
  explicit UnifiedMemoryMachine(MemoryMachineParameters const& parameters)
      : FlatMemoryMachine("UnifiedMemoryMachine", parameters) {}
};

/// Width w of all memories, latency L of the global memory, the number k of DMMs with a shared
/// memory each, and the latency of the shared memories.
struct HierarchicalMachineParameters {
  std::uint64_t width = 32;
  std::uint64_t latency = 1;
  std::uint64_t dmms = 1;
  std::uint64_t shared_latency = 1;
};

/// The Hierarchical Memory Machine, a model of a GPU: k DMMs, which work in parallel in shared
/// memories of their own, and one global memory, a UMM, for the threads of all.
///
/// Rounds have `blocks` blocks of `threads` threads; address(block, thread) is the cell, as an
/// integer or optional integer, or no_address if the thread does not take part. Warps are w
/// consecutive threads of one block; the last warp of a block may have fewer. Block b runs on DMM b
/// mod k. Shared addresses count from the beginning of the block's own memory, global addresses
/// from a multiple of w. A cell is what a thread accesses at once (see in_vectors() for several).
///
/// A round in global memory takes the stages of all warps and L - 1 time units: n/w + L - 1 if n
/// threads are coalesced (Lemma 1 of [1]). A round in shared memory takes the stages of the busiest
/// DMM: n/(k w) without conflicts, if blocks divide evenly. A round is classified by what it did:
/// the writes of a destination-designated permutation, casual in Table 1 of [1], are coalesced if
/// the permutation is the identity.
///
/// rounds(), counts() and time() are for all rounds. The constructor throws std::invalid_argument
/// if a parameter is 0.
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

  /// A round in which each thread reads global memory at address(block, thread).
  template <class Address>
  MemoryRound read_global(std::uint64_t blocks, std::uint64_t threads, Address const& address) {
    return add(detail::run_round(global_, AccessKind::reading, blocks, threads, address));
  }

  template <class Address>
  MemoryRound write_global(std::uint64_t blocks, std::uint64_t threads, Address const& address) {
    return add(detail::run_round(global_, AccessKind::writing, blocks, threads, address));
  }

  /// A round in which each thread reads its block's shared memory.
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

/// The address function of threads that access `count` consecutive cells at once, as vector
/// instructions do: it has `count` times the number of threads, one for each cell. So a warp's
/// request is served in `count` parts of w cells.
template <class Address>
auto in_vectors(std::uint64_t count, Address const& address) {
  return [count, address](std::uint64_t block, std::uint64_t cell) {
    std::uint64_t const first = detail::cell_of(address(block, cell / count));
    return first == no_address ? no_address : first + cell % count;
  };
}

}  // namespace riffle
