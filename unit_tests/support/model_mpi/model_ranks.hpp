#pragma once

// Any number of MPI ranks in one process, with counts of their communication. ModelRanks plays the part of an MPI
// library, as riffle::ModelProcessors plays the part of processors. Riffle's calls over ranks are compiled unchanged with the
// <mpi.h> of this folder.
//
// Each rank is a fiber. The order of their turns follows from a seed, so that messages arrive in any order and some ranks run
// far ahead of others. Deadlocks, and collective calls that do not match, are errors.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/fibers.hpp"

namespace riffle::test {

/// The traffic of a rank. Data that a rank keeps are not counted as a message.
struct RankTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t rounds = 0;  // waits for messages
  std::uint64_t collectives = 0;
  std::uint64_t collective_bytes = 0;  // of this rank's contribution
};

/// The arguments of a rank in a collective call.
struct Contribution {
  std::byte const* from = nullptr;
  std::byte* to = nullptr;
};

class ModelRanks {
 public:
  using Combine = std::function<void(std::vector<Contribution> const&)>;
  static constexpr int world = 1;

  explicit ModelRanks(int ranks, std::uint64_t seed = 1)
      : size_(ranks), fibers_(seed, 2'000'000'000), states_(static_cast<std::size_t>(ranks)) {
    comms_.try_emplace(world, ranks);
  }
  ModelRanks(ModelRanks const&) = delete;
  ModelRanks& operator=(ModelRanks const&) = delete;

  /// Runs program(rank) for all ranks. Rethrows an exception of a rank.
  template <class Program>
  void run(Program const& program) {
    constexpr int crews = 8;
    running() = this;
    for (int r = 0; r < size_; ++r) {
      fibers_.add(r % crews, &states_[static_cast<std::size_t>(r)], [&program, r] { program(r); });
    }
    fibers_.run();
    running() = nullptr;
    for (auto const& state : states_) {
      if (state.begun > 0) throw std::logic_error("a message was never received");
    }
  }

  int size() const { return size_; }
  RankTraffic const& traffic(int rank) const {
    return states_[static_cast<std::size_t>(rank)].traffic;
  }
  void clear_traffic() {
    for (auto& state : states_) state.traffic = {};
  }

  // --- for <mpi.h> ---

  /// The ranks of the model that is running.
  static ModelRanks& of_call() {
    if (running() == nullptr) throw std::logic_error("MPI is called by no rank of a model");
    return *running();
  }

  /// The number of the calling rank.
  int rank() { return static_cast<int>(&own() - states_.data()); }

  /// Waits for all ranks; the last one to arrive combines their contributions. `call` must be the same on all ranks.
  void collective(int comm, std::string const& call, std::uint64_t bytes,
                  Contribution const& brought, Combine const& combine) {
    Comm& c = comms_.at(comm);
    auto const r = static_cast<std::size_t>(rank());
    own().traffic.collectives += 1;
    own().traffic.collective_bytes += bytes;
    if (c.come == 0) c.call = call;
    if (c.call != call) throw std::logic_error("ranks call " + c.call + " and " + call);
    c.brought[r] = brought;
    if (++c.come == c.brought.size()) {
      combine(c.brought);
      c.come = 0;
    }
    fibers_.arrive_and_wait(c.barrier);
  }

  /// Collective: returns the number of a new communicator of all ranks.
  int duplicate(int comm) {
    // All ranks duplicate communicators in the same order, so the number of duplicates identifies one.
    int const made = world + ++own().duplicates;
    comms_.try_emplace(made, size_);
    collective(comm, "MPI_Comm_dup", 0, {}, [](auto const&) {});
    return made;
  }

  /// Begins to send. Only the address is stored: the data must not change until wait_for_all() returns, which also waits for
  /// the receiver.
  void send(int comm, int to, int tag, std::byte const* from, std::size_t bytes) {
    State& state = own();
    state.traffic.messages += 1;
    state.traffic.bytes_sent += bytes;
    State& there = states_.at(static_cast<std::size_t>(to));
    Message& expected = message_of(there.expected, rank());
    Message const sent{from, static_cast<std::uint32_t>(bytes), channel_of(comm, tag)};
    if (expected.data != nullptr) {
      deliver(sent, expected, there);
      expected = {};
      there.begun -= 1;
      let_go_on(there);
      return;
    }
    Message& mail = message_of(there.mail, rank());
    if (mail.data != nullptr) throw std::logic_error("a message is begun before the last is there");
    mail = sent;
    state.begun += 1;
  }

  void receive(int comm, int from, int tag, std::byte* to, std::size_t bytes) {
    State& state = own();
    State& there = states_.at(static_cast<std::size_t>(from));
    Message& mail = message_of(state.mail, from);
    Message const expected{to, static_cast<std::uint32_t>(bytes), channel_of(comm, tag)};
    if (mail.data != nullptr) {
      deliver(mail, expected, state);
      mail = {};
      there.begun -= 1;
      let_go_on(there);
    } else {
      message_of(state.expected, from) = expected;
      state.begun += 1;
    }
    state.receives += 1;
  }

  /// Waits until all sends and receives that this rank has begun are complete.
  void wait_for_all() {
    State& state = own();
    if (state.receives > 0) state.traffic.rounds += 1;
    state.receives = 0;
    if (state.begun == 0) return;
    state.waits = true;
    fibers_.arrive_and_wait(state.arrival);
  }

 private:
  /// A message that is sent, or a buffer that is expected to receive one.
  struct Message {
    std::byte const* data = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t channel = 0;
  };

  struct Comm {
    explicit Comm(int ranks) : brought(static_cast<std::size_t>(ranks)), barrier(ranks) {}

    std::vector<Contribution> brought;
    std::size_t come = 0;
    std::string call;
    FiberBarrier barrier;
  };

  struct State {
    RankTraffic traffic;
    // Indexed by sender; from the first message on.
    std::vector<Message> mail;
    std::vector<Message> expected;
    std::uint64_t begun = 0;  // number of sends and receives that are not complete
    std::uint64_t receives = 0;
    bool waits = false;
    FiberBarrier arrival{2};  // of the waiting rank and the last rank that it waits for
    int duplicates = 0;
  };

  static ModelRanks*& running() {
    static ModelRanks* ranks = nullptr;
    return ranks;
  }

  State& own() { return *static_cast<State*>(fibers_.owner()); }

  static std::uint32_t channel_of(int comm, int tag) {
    return (static_cast<std::uint32_t>(comm) << 16) + static_cast<std::uint32_t>(tag);
  }

  Message& message_of(std::vector<Message>& messages, int from) {
    if (messages.empty()) messages.resize(static_cast<std::size_t>(size_));
    return messages[static_cast<std::size_t>(from)];
  }

  static void deliver(Message const& sent, Message const& expected, State& to) {
    if (sent.bytes != expected.bytes || sent.channel != expected.channel) {
      throw std::logic_error("a message of " + std::to_string(sent.bytes) +
                             " bytes is received where one of " + std::to_string(expected.bytes) +
                             " is expected");
    }
    std::memcpy(const_cast<std::byte*>(expected.data), sent.data, sent.bytes);
    to.traffic.bytes_received += sent.bytes;
  }

  void let_go_on(State& state) {
    if (!state.waits || state.begun > 0) return;
    state.waits = false;
    fibers_.arrive_and_wait(state.arrival);
  }

  int size_;
  Fibers fibers_;
  std::vector<State> states_;
  std::map<int, Comm> comms_;
};

}  // namespace riffle::test
