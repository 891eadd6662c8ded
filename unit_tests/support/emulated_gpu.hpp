#pragma once

// A GPU for tests, on one thread of a CPU: teams of warps of 32 lanes, of which some are resident at a
// time, in turns that a seed decides. It knows nothing of a GPU's memory model: what a kernel writes, all
// see at once.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <riffle/backend/backend.hpp>

#include "support/fibers.hpp"

namespace riffle::test {

/// 32 lanes. Their exchanges alternate between two sets of slots: one is read while the other is
/// written.
class EmulatedWarp {
 public:
  explicit EmulatedWarp(Fibers& fibers) : fibers_(fibers), meeting_(backend::width) {}

  void exchange(int lane, int parity, void const* value, std::size_t size, int source,
                void* result) {
    if (size > sizeof(Slot)) throw std::length_error("a lane passes too large a value");
    auto& slots = slots_[parity];
    std::memcpy(slots[lane].bytes, value, size);
    fibers_.meet(meeting_);
    std::memcpy(result, slots[source].bytes, size);
  }

  std::uint32_t ballot(int lane, int parity, bool predicate) {
    votes_[parity][lane] = predicate;
    fibers_.meet(meeting_);
    return backend::ballot(votes_[parity]);
  }

 private:
  struct Slot {
    std::byte bytes[128];
  };

  Fibers& fibers_;
  Meeting meeting_;
  Slot slots_[2][backend::width];
  bool votes_[2][backend::width] = {};
};

/// What the threads of a team share.
class EmulatedTeam {
 public:
  EmulatedTeam(Fibers& fibers, int rank, int threads, std::size_t scratch_bytes)
      : rank_(rank), fibers_(fibers), barrier_(threads), scratch_(scratch_bytes + alignment) {
    for (int warp = 0; warp < threads / backend::width; ++warp) {
      warps_.push_back(std::make_unique<EmulatedWarp>(fibers));
    }
  }

  int rank() const { return rank_; }
  EmulatedWarp& warp(int number) { return *warps_[static_cast<std::size_t>(number)]; }
  void meet() { fibers_.meet(barrier_); }

  /// `size` bytes from `begin` on, or null where the team has not as many.
  void* scratch(std::size_t begin, std::size_t size) {
    auto const address = reinterpret_cast<std::uintptr_t>(scratch_.data());
    std::size_t const skipped = (alignment - address % alignment) % alignment;
    return begin + size + alignment > scratch_.size() ? nullptr : scratch_.data() + skipped + begin;
  }

 private:
  static constexpr std::size_t alignment = 128;

  int rank_;
  Fibers& fibers_;
  Meeting barrier_;
  std::vector<std::unique_ptr<EmulatedWarp>> warps_;
  std::vector<std::byte> scratch_;
};

/// A thread of a team: the member of Kokkos that a kernel is called with, as far as Riffle's kernels ask. What kernels call
/// is marked for devices, as in Kokkos's members, so that nvcc, too, compiles them for this one; no device ever runs it.
class EmulatedMember {
 public:
  /// Each copy gives the memory out from where the copied one was.
  class Scratch {
   public:
    explicit Scratch(EmulatedTeam& team) : team_(&team) {}

    KOKKOS_FUNCTION void* get_shmem_aligned(std::size_t bytes, std::ptrdiff_t alignment) const {
      auto const step = static_cast<std::size_t>(alignment);
      std::size_t const begin = (used_ + step - 1) / step * step;
      used_ = begin + bytes;
      void* memory = nullptr;
      KOKKOS_IF_ON_HOST((memory = team_->scratch(begin, bytes);))
      return memory;
    }

   private:
    EmulatedTeam* team_;
    mutable std::size_t used_ = 0;
  };

  /// The team outlives its members.
  EmulatedMember(EmulatedTeam& team, int rank, int threads, int teams)
      : team_(&team),
        scratch_(team),
        league_rank_(team.rank()),
        rank_(rank),
        threads_(threads),
        teams_(teams) {}

  KOKKOS_FUNCTION int team_rank() const { return rank_; }
  KOKKOS_FUNCTION int team_size() const { return threads_; }
  KOKKOS_FUNCTION int league_rank() const { return league_rank_; }
  KOKKOS_FUNCTION int league_size() const { return teams_; }
  KOKKOS_FUNCTION Scratch const& team_scratch(int) const { return scratch_; }
  KOKKOS_FUNCTION void team_barrier() const { KOKKOS_IF_ON_HOST((team_->meet();)) }

  EmulatedWarp& warp() { return team_->warp(rank_ / backend::width); }
  int lane() const { return rank_ % backend::width; }
  int next_parity() { return parity_ ^= 1; }

 private:
  EmulatedTeam* team_;
  Scratch scratch_;
  int league_rank_;
  int rank_;
  int threads_;
  int teams_;
  int parity_ = 0;
};

class EmulatedGpu final : public backend::Emulator {
 public:
  /// `resident` teams run at a time; which one comes next, and whose turn it is, follows from the seed.
  EmulatedGpu(int resident, std::uint64_t seed)
      : resident_(resident), fibers_(seed), random_(seed) {}

  /// kernel(member) for every thread of the teams.
  template <class Kernel>
  void run(int teams, int threads, std::size_t scratch_bytes, Kernel const& kernel) {
    for (int team = 0; team < teams; ++team) waiting_.push_back(team);
    start_team_ = [&, teams, threads, scratch_bytes] {
      start_team(take_waiting(), teams, threads, scratch_bytes, kernel);
    };
    for (int team = 0; team < resident_ && !waiting_.empty(); ++team) start_team_();
    backend::Emulator* const before = std::exchange(backend::emulator(), this);
    try {
      fibers_.run();
    } catch (...) {
      backend::emulator() = before;
      throw;
    }
    backend::emulator() = before;
  }

  void exchange(void const* value, std::size_t size, int source, void* result) override {
    EmulatedMember& caller = member();
    caller.warp().exchange(caller.lane(), caller.next_parity(), value, size, source, result);
  }

  std::uint32_t ballot(bool predicate) override {
    EmulatedMember& caller = member();
    return caller.warp().ballot(caller.lane(), caller.next_parity(), predicate);
  }

  void synchronize() override { ballot(true); }
  void pause() override { fibers_.yield(); }

 private:
  EmulatedMember& member() { return *static_cast<EmulatedMember*>(fibers_.owner()); }

  int take_waiting() {
    std::swap(waiting_[random_() % waiting_.size()], waiting_.back());
    int const team = waiting_.back();
    waiting_.pop_back();
    return team;
  }

  template <class Kernel>
  void start_team(int rank, int teams, int threads, std::size_t scratch_bytes,
                  Kernel const& kernel) {
    auto const team = std::make_shared<EmulatedTeam>(fibers_, rank, threads, scratch_bytes);
    auto const running = std::make_shared<int>(threads);
    for (int thread = 0; thread < threads; ++thread) {
      auto const member = std::make_shared<EmulatedMember>(*team, thread, threads, teams);
      fibers_.add(rank, member.get(), [this, team, member, running, &kernel] {
        kernel(static_cast<EmulatedMember const&>(*member));
        if (--*running == 0 && !waiting_.empty()) start_team_();
      });
    }
  }

  int resident_;
  Fibers fibers_;
  std::mt19937_64 random_;
  std::vector<int> waiting_;
  std::function<void()> start_team_;
};

}  // namespace riffle::test
