#pragma once

// An emulated GPU on one thread of a CPU: teams of warps of 32 lanes, of which several are resident at a time. A seed
// determines how the threads' turns interleave, and in which order the teams start.
//
// A wavefront has 32 lanes, which make progress independently, as on NVIDIA's GPUs, or 64 lanes in lockstep, as on AMD's. In
// lockstep, a lane that polls holds back the other lanes of its wavefront, and between two barriers of a team the two warps of a
// wavefront run one after the other, unless they call backend::reconverge(). A lane that waits for a lane that it holds back is
// found as a deadlock.
//
// A write is visible to all threads at once. Missing barriers and fences are found by ThreadSanitizer (preset sanitize-thread):
// only backend::synchronize(), team barriers and fences order the accesses of different lanes. In a launch of more than
// 250 lanes it distinguishes only warps, and in one of more than 250 warps only teams. Its call stacks then contain the calls of
// several lanes; their first lines belong to the access.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <riffle/backend/backend.hpp>

#include "support/fibers.hpp"

namespace riffle::test {

class EmulatedTeam;
class EmulatedWavefront;

/// The team member that kernels are called with; it has the members of Kokkos's that Riffle's kernels use. They are marked
/// as device functions, since nvcc otherwise rejects kernels that are compiled for this member; no device runs them.
class EmulatedMember {
 public:
  /// A copy allocates from where the copied object was.
  class Scratch {
   public:
    explicit Scratch(EmulatedTeam& team) : team_(&team) {}

    KOKKOS_FUNCTION void* get_shmem_aligned(std::size_t bytes, std::ptrdiff_t alignment) const {
      auto const step = static_cast<std::size_t>(alignment);
      std::size_t const begin = (used_ + step - 1) / step * step;
      used_ = begin + bytes;
      void* memory = nullptr;
      KOKKOS_IF_ON_HOST((memory = address(begin, bytes);))
      return memory;
    }

   private:
    /// Null if the team has less scratch memory.
    void* address(std::size_t begin, std::size_t bytes) const;

    EmulatedTeam* team_;
    mutable std::size_t used_ = 0;
  };

  /// The team outlives its members.
  EmulatedMember(EmulatedTeam& team, int league_rank, int rank, int threads, int teams)
      : team_(&team),
        scratch_(team),
        league_rank_(league_rank),
        rank_(rank),
        threads_(threads),
        teams_(teams) {}

  KOKKOS_FUNCTION int team_rank() const { return rank_; }
  KOKKOS_FUNCTION int team_size() const { return threads_; }
  KOKKOS_FUNCTION int league_rank() const { return league_rank_; }
  KOKKOS_FUNCTION int league_size() const { return teams_; }
  KOKKOS_FUNCTION Scratch const& team_scratch(int) const { return scratch_; }
  KOKKOS_FUNCTION void team_barrier() const { KOKKOS_IF_ON_HOST((wait_at_barrier();)) }

  EmulatedWavefront& wavefront();
  /// The number of this thread in its wavefront.
  int lane() const;
  int next_parity() { return parity_ ^= 1; }

 private:
  void wait_at_barrier() const;

  EmulatedTeam* team_;
  Scratch scratch_;
  int league_rank_;
  int rank_;
  int threads_;
  int teams_;
  int parity_ = 0;
};

enum class Wavefront { of_32_lanes = 32, of_64_lanes = 64 };

/// The kind of wavefront that RIFFLE_WAVEFRONT in the environment selects: 32 or 64. If it is not set, the kinds follow each other
/// in a random order, which is the same in every run.
Wavefront next_wavefront();

class EmulatedGpu final : public backend::Emulator {
 public:
  /// `resident` teams run at a time. The seed determines which team starts next and which thread runs next.
  EmulatedGpu(int resident, std::uint64_t seed, Wavefront wavefront = next_wavefront(),
              std::uint64_t max_turns = Fibers::default_max_turns)
      : resident_(resident), wavefront_(wavefront), fibers_(seed, max_turns), random_(seed) {}

  /// Calls kernel(member) for every thread of the teams. Throws Deadlock if threads wait for what never happens.
  template <class Kernel>
  void run(int teams, int threads, std::size_t scratch_bytes, Kernel const& kernel) {
    auto const call = [](void const* called, EmulatedMember const& member) {
      (*static_cast<Kernel const*>(called))(member);
    };
    run({teams, threads, scratch_bytes, &kernel, call});
  }

  void exchange(void const* value, std::size_t size, int source, void* result) override;
  std::uint64_t ballot(bool predicate) override;
  void synchronize() override;
  void reconverge() override;
  unsigned lane() override;
  void pause() override;
  void release_fence() override;
  void acquire_fence() override;

 private:
  struct Launch {
    int teams;
    int threads;
    std::size_t scratch_bytes;
    void const* kernel;
    void (*call)(void const* kernel, EmulatedMember const& member);
  };

  void run(Launch const& launch);
  void start_team(Launch const& launch);
  EmulatedMember& member();

  int resident_;
  Wavefront wavefront_;
  Fibers fibers_;
  std::mt19937_64 random_;
  std::vector<int> waiting_;
  int held_lanes_ = 0;
  char fence_id_ = 0;  // for races::release
  char end_id_ = 0;
};

/// Runs a kernel that declares its threads and its scratch memory, two teams at a time.
template <class Kernel>
void run_on_emulated_gpu(std::uint64_t teams, Kernel const& kernel) {
  EmulatedGpu(2, teams).run(static_cast<int>(teams), Kernel::threads, Kernel::scratch_bytes + 256,
                            kernel);
}

}  // namespace riffle::test
