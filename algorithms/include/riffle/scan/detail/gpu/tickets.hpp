#pragma once

// Which tiles a team takes.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/look_back.hpp>

namespace riffle::detail::scan {

inline constexpr std::uint32_t no_tile = ~std::uint32_t{0};

/// A team's tile, and the one after it, which is taken early, so that it is read while this one is scanned.
struct Tickets {
  std::uint32_t now;
  std::uint32_t next;
};

/// Tickets in memory that the team shares. One thread takes them, and all threads meet before they look.
template <class Op>
class TicketBox {
 public:
  struct State {
    Ticket first;
    std::uint32_t second;
  };

  KOKKOS_FUNCTION TicketBox(LookBack<Op> const& look_back, State& state, int thread)
      : look_back_(look_back), state_(state), takes_(thread == 0) {}

  /// Takes the first tickets, two where there are more tiles than teams. The team meets twice.
  template <class Member>
  KOKKOS_FUNCTION Tickets begin(Member const& team, std::uint32_t& epoch) const {
    if (takes_) {
      state_.first = look_back_.take_ticket();
      state_.second = no_tile;
      bool const are_many = look_back_.tiles() > static_cast<std::uint64_t>(team.league_size());
      if (are_many) state_.second = look_back_.take_ticket().number;
    }
    team.team_barrier();
    Tickets const tickets{state_.first.number, state_.second};
    epoch = state_.first.epoch;
    team.team_barrier();
    return tickets;
  }

  /// Asks for a ticket, which is on its way until put() waits for it. Returns no_tile where none is wanted.
  KOKKOS_FUNCTION std::uint32_t ask(bool is_wanted) const {
    return takes_ && is_wanted ? look_back_.take_ticket().number : no_tile;
  }
  KOKKOS_FUNCTION void put(std::uint32_t ticket) const {
    if (takes_) state_.first.number = ticket;
  }
  /// The ticket that was put, after a barrier.
  KOKKOS_FUNCTION std::uint32_t get() const { return state_.first.number; }

  /// Goes on to the next ticket.
  template <class Member>
  KOKKOS_FUNCTION void advance(Member const& team, Tickets& tickets) const {
    tickets.now = tickets.next;
    if (tickets.next >= look_back_.tiles()) return;
    team.team_barrier();
    put(ask(true));
    team.team_barrier();
    tickets.next = get();
  }

 private:
  LookBack<Op> const& look_back_;
  State& state_;
  bool takes_;
};

/// Tickets of teams that are served (riffle/primitives/prefix_server.hpp): ticket 0 is the server's, and ticket t + 1 is for
/// tile t. They are put and got in turns, so that one is read while the next one comes.
template <class Op>
class ServedTicketBox {
 public:
  struct State {
    Ticket first;
    std::uint32_t tiles[2];
    bool is_taken;
  };

  KOKKOS_FUNCTION ServedTicketBox(LookBack<Op> const& look_back, State& state, int thread)
      : look_back_(look_back), state_(state), takes_(thread == 0) {}

  KOKKOS_FUNCTION static std::uint32_t tile_of(std::uint32_t ticket) { return ticket - 1; }

  /// Takes the team's first ticket. The team meets.
  template <class Member>
  KOKKOS_FUNCTION Ticket begin(Member const& team) const {
    if (takes_) state_.first = look_back_.take_ticket();
    team.team_barrier();
    return state_.first;
  }

  /// Takes the ticket after `last`, if no other team comes for a while and takes it. The team meets.
  template <class Member>
  KOKKOS_FUNCTION bool takes_alone(Member const& team, Ticket const& last) const {
    if (takes_) {
      // Teams that come at all come soon after the first one. Later ones take tickets while a tile is scanned.
      for (int look = 0; last.number == 0 && look < 64 && look_back_.is_last(last); ++look) {
        backend::wait();
      }
      state_.is_taken = look_back_.take_ticket_after(last);
    }
    team.team_barrier();
    return state_.is_taken;
  }

  /// Asks for a tile, which is on its way until put() waits for it. Returns no_tile where none is wanted.
  KOKKOS_FUNCTION std::uint32_t ask(bool is_wanted) const {
    return takes_ && is_wanted ? tile_of(look_back_.take_ticket().number) : no_tile;
  }
  KOKKOS_FUNCTION void put(std::uint32_t tile, int turn) const {
    if (takes_) state_.tiles[turn] = tile;
  }
  /// The tile that was put in that turn, after a barrier.
  KOKKOS_FUNCTION std::uint32_t get(int turn) const { return state_.tiles[turn]; }

 private:
  LookBack<Op> const& look_back_;
  State& state_;
  bool takes_;
};

}  // namespace riffle::detail::scan
