#include "support/emulated_gpu.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/race_detection.hpp"

namespace riffle::test {

/// The lanes of one or two warps. Successive operations of a warp alternate between two sets of slots, so that no lane overwrites
/// a slot that another one has yet to read. All functions take the caller's lane in the wavefront.
class EmulatedWavefront {
 public:
  /// Counts in `held_lanes` the lanes that wait for their turn.
  EmulatedWavefront(Fibers& fibers, int& held_lanes, Wavefront kind)
      : fibers_(fibers),
        held_lanes_(held_lanes),
        is_in_lockstep_(kind == Wavefront::of_64_lanes),
        barriers_(warps, FiberBarrier(backend::width)) {}

  void exchange(int lane, int parity, void const* value, std::size_t size, int source,
                void* result) {
    if (size > sizeof(Slot)) throw std::length_error("a lane passes too large a value");
    auto& slots = slots_[parity];
    std::memcpy(slots[lane].bytes, value, size);
    meet(lane);
    std::memcpy(result, slots[first_lane(lane) + source].bytes, size);
  }

  std::uint64_t ballot(int lane, int parity, bool predicate) {
    std::uint64_t const own = std::uint64_t{1} << lane;
    std::uint64_t& votes = votes_[parity];
    votes = predicate ? votes | own : votes & ~own;
    meet(lane);
    return votes;
  }

  void synchronize(int lane, int parity) {
    char* const id = &synchronize_ids_[parity][warp_of(lane)];
    races::release(id);
    meet(lane);
    races::acquire(id);
  }

  /// The lanes of a warp wait for each other.
  void meet(int lane) {
    leave_poll(lane);
    fibers_.arrive_and_wait(barriers_[warp_of(lane)]);
    wait_for_turn(lane);
  }

  /// The lanes of a warp wait for each other, and then the wavefront may continue with its other warp.
  void reconverge(int lane) {
    if (!is_in_lockstep_) return;
    leave_poll(lane);
    if (fibers_.arrive_and_wait(barriers_[warp_of(lane)])) {
      end_branch();
      fibers_.yield();
    }
    wait_for_turn(lane);
  }

  void poll(int lane) {
    polling_lane_ = lane;
    fibers_.yield();
  }

  /// Called when a lane begins, and when it leaves a barrier of the team.
  void begin(int lane) { wait_for_turn(lane); }

  /// Called when a lane ends, and when it arrives at a barrier of the team.
  void end(int lane) {
    leave_poll(lane);
    if (++ended_lanes_[warp_of(lane)] == backend::width) end_branch();
  }

  /// Called when a barrier of the team lets all lanes continue.
  void restart() { ended_lanes_[0] = ended_lanes_[1] = 0; }

  bool is_in_lockstep() const { return is_in_lockstep_; }

 private:
  static constexpr int warps = 2;
  static constexpr int max_lanes = warps * backend::width;
  static constexpr int none = -1;

  struct Slot {
    std::byte bytes[128];
  };

  static std::size_t warp_of(int lane) { return static_cast<std::size_t>(lane / backend::width); }
  static int first_lane(int lane) { return lane / backend::width * backend::width; }

  /// A wavefront in lockstep executes one branch at a time. Two rules are stricter than every GPU: its two warps are in different
  /// branches between two barriers of the team, unless they call reconverge(); and a lane that polls is alone in its branch.
  void wait_for_turn(int lane) {
    if (!is_in_lockstep_) return;
    int const warp = static_cast<int>(warp_of(lane));
    while ((running_warp_ != none && running_warp_ != warp) ||
           (polling_lane_ != none && polling_lane_ != lane)) {
      ++held_lanes_;
      fibers_.wait(held_);
      --held_lanes_;
    }
    running_warp_ = warp;
  }

  void leave_poll(int lane) {
    if (polling_lane_ != lane) return;
    polling_lane_ = none;
    fibers_.resume(held_);
  }

  void end_branch() {
    running_warp_ = none;
    fibers_.resume(held_);
  }

  Fibers& fibers_;
  int& held_lanes_;
  bool is_in_lockstep_;
  std::vector<FiberBarrier> barriers_;  // of the warps
  Slot slots_[2][max_lanes];
  std::uint64_t votes_[2] = {};          // bit l: lane l passed true
  char synchronize_ids_[2][warps] = {};  // for races::release
  int running_warp_ = none;
  int polling_lane_ = none;
  int ended_lanes_[warps] = {};  // by warp
  FiberQueue held_;              // lanes that wait for their turn
};

/// The wavefronts, the barrier and the scratch memory of a team.
class EmulatedTeam {
 public:
  EmulatedTeam(Fibers& fibers, int& held_lanes, Wavefront kind, int threads,
               std::size_t scratch_bytes)
      : fibers_(fibers),
        lanes_(static_cast<int>(kind)),
        barrier_(threads),
        scratch_(scratch_bytes + alignment) {
    for (int first = 0; first < threads; first += lanes_) {
      wavefronts_.push_back(std::make_unique<EmulatedWavefront>(fibers, held_lanes, kind));
    }
  }

  /// The wavefront of a thread, and the thread's lane in it.
  EmulatedWavefront& wavefront(int thread) {
    return *wavefronts_[static_cast<std::size_t>(thread / lanes_)];
  }
  int lane(int thread) const { return thread % lanes_; }

  void begin(int thread) { wavefront(thread).begin(lane(thread)); }
  void end(int thread) { wavefront(thread).end(lane(thread)); }

  void wait_at_barrier(int thread) {
    char* const id = &barrier_ids_[passed_barriers_ % 2];
    races::release(id);
    end(thread);
    if (fibers_.arrive_and_wait(barrier_)) {
      ++passed_barriers_;
      for (auto const& wavefront : wavefronts_) wavefront->restart();
      if (wavefront(thread).is_in_lockstep()) fibers_.yield();
    }
    begin(thread);
    races::acquire(id);
  }

  /// The address of `size` bytes from `begin` on, or null if the team has fewer bytes.
  void* scratch(std::size_t begin, std::size_t size) {
    auto const address = reinterpret_cast<std::uintptr_t>(scratch_.data());
    std::size_t const skipped = (alignment - address % alignment) % alignment;
    return begin + size + alignment > scratch_.size() ? nullptr : scratch_.data() + skipped + begin;
  }

 private:
  static constexpr std::size_t alignment = 128;

  Fibers& fibers_;
  int lanes_;  // per wavefront
  FiberBarrier barrier_;
  std::uint64_t passed_barriers_ = 0;
  char barrier_ids_[2] = {};  // for races::release
  std::vector<std::unique_ptr<EmulatedWavefront>> wavefronts_;
  std::vector<std::byte> scratch_;
};

void* EmulatedMember::Scratch::address(std::size_t begin, std::size_t bytes) const {
  races::InEmulator const in_emulator;
  return team_->scratch(begin, bytes);
}

void EmulatedMember::wait_at_barrier() const {
  races::InEmulator const in_emulator;
  team_->wait_at_barrier(rank_);
}

EmulatedWavefront& EmulatedMember::wavefront() { return team_->wavefront(rank_); }
int EmulatedMember::lane() const { return team_->lane(rank_); }

Wavefront next_wavefront() {
  static char const* const forced = std::getenv("RIFFLE_WAVEFRONT");
  static std::mt19937_64 random;
  bool const is_64 = forced != nullptr ? std::string(forced) == "64" : random() % 2 == 0;
  return is_64 ? Wavefront::of_64_lanes : Wavefront::of_32_lanes;
}

void EmulatedGpu::run(Launch const& launch) {
  races::InEmulator const in_emulator;
  for (int team = 0; team < launch.teams; ++team) waiting_.push_back(team);
  for (int team = 0; team < resident_ && !waiting_.empty(); ++team) start_team(launch);
  struct Emulation {
    backend::Emulator* before;
    ~Emulation() { backend::emulator() = before; }
  } const emulation{std::exchange(backend::emulator(), this)};
  try {
    fibers_.run();
  } catch (Deadlock const& deadlock) {
    if (held_lanes_ == 0) throw;
    throw Deadlock(std::string(deadlock.what()) + "; " + std::to_string(held_lanes_) +
                   " lanes are held back by other lanes of their wavefronts");
  }
  races::acquire(&end_id_);
}

/// The number of lanes that ThreadSanitizer regards as one thread: one lane if it can distinguish all lanes of a launch, otherwise
/// a warp or a team.
static int lanes_that_race_as_one(int teams, int threads) {
  int const lanes = teams * threads;
  if (lanes <= races::Thread::max_count) return 1;
  return lanes / backend::width <= races::Thread::max_count ? backend::width : threads;
}

/// Starts one of the waiting teams.
void EmulatedGpu::start_team(Launch const& launch) {
  std::swap(waiting_[random_() % waiting_.size()], waiting_.back());
  int const rank = waiting_.back();
  waiting_.pop_back();
  struct Running {
    EmulatedTeam team;
    std::vector<EmulatedMember> members;
    int threads;
  };
  auto const running = std::make_shared<Running>(
      Running{EmulatedTeam(fibers_, held_lanes_, wavefront_, launch.threads, launch.scratch_bytes),
              {},
              launch.threads});
  for (int thread = 0; thread < launch.threads; ++thread) {
    running->members.emplace_back(running->team, rank, thread, launch.threads, launch.teams);
  }
  int const lanes = lanes_that_race_as_one(launch.teams, launch.threads);
  std::shared_ptr<races::Thread> thread_of_lanes;
  for (EmulatedMember& member : running->members) {
    if (races::are_detected && member.team_rank() % lanes == 0) {
      thread_of_lanes = std::make_shared<races::Thread>();
    }
    fibers_.add(rank, thread_of_lanes, &member, [this, &launch, &member, running] {
      int const thread = member.team_rank();
      running->team.begin(thread);
      races::watch();
      launch.call(launch.kernel, member);
      races::ignore();
      running->team.end(thread);
      races::release(&end_id_);
      if (--running->threads == 0 && !waiting_.empty()) start_team(launch);
    });
  }
}

void EmulatedGpu::exchange(void const* value, std::size_t size, int source, void* result) {
  races::InEmulator const in_emulator;
  EmulatedMember& caller = member();
  caller.wavefront().exchange(caller.lane(), caller.next_parity(), value, size, source, result);
}

std::uint64_t EmulatedGpu::ballot(bool predicate) {
  races::InEmulator const in_emulator;
  EmulatedMember& caller = member();
  return caller.wavefront().ballot(caller.lane(), caller.next_parity(), predicate);
}

void EmulatedGpu::synchronize() {
  races::InEmulator const in_emulator;
  EmulatedMember& caller = member();
  caller.wavefront().synchronize(caller.lane(), caller.next_parity());
}

void EmulatedGpu::reconverge() {
  races::InEmulator const in_emulator;
  EmulatedMember& caller = member();
  caller.wavefront().reconverge(caller.lane());
}

unsigned EmulatedGpu::lane() {
  races::InEmulator const in_emulator;
  return static_cast<unsigned>(member().lane());
}

void EmulatedGpu::pause() {
  races::InEmulator const in_emulator;
  EmulatedMember& caller = member();
  caller.wavefront().poll(caller.lane());
}

// An acquire fence is ordered after all earlier release fences, as if the lane had loaded what the other lanes stored after them.

void EmulatedGpu::release_fence() {
  races::InEmulator const in_emulator;
  races::release(&fence_id_);
}

void EmulatedGpu::acquire_fence() {
  races::InEmulator const in_emulator;
  races::acquire(&fence_id_);
}

EmulatedMember& EmulatedGpu::member() { return *static_cast<EmulatedMember*>(fibers_.owner()); }

}  // namespace riffle::test
