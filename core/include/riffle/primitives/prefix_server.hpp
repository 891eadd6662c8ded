#pragma once

// The prefix of each tile from one team, which finds those of all: it receives the totals of tiles, bundle by bundle, and
// sends each tile its prefix. A team that scans tiles then waits for one message a tile, for which it can look long
// after its total was sent, in place of the many that a look-back reads; and the order of combination is the same.
//
// Why it ends under every schedule. The server takes the first ticket, and serves once another team has taken one, which
// runs then, and stays until no ticket is left. It waits only for totals. A team waits only for the prefix of a tile
// whose total it has sent, as it has those of all its tiles before. So of all tiles whose totals are owed, the lowest
// belongs to a team that runs, or will be taken by one, and that waits for no prefix but those of lower tiles, whose
// totals have all come to the server.

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/primitives/detail/message.hpp>
#include <riffle/primitives/look_back.hpp>
#include <riffle/primitives/tile_tree.hpp>

namespace riffle::detail {

/// One warp's part of the service. Warp w has every bundle b with b % Warps == w, and is told by the warp before it what
/// comes before its bundle.
template <class Op, int Warps>
class PrefixServer {
 public:
  using Value = typename Op::value_type;

 private:
  using Mail = Message<Value>;

 public:
  /// The scratch memory through which the warps tell each other.
  struct State {
    std::uint64_t before[Warps][Mail::words];
  };

  KOKKOS_FUNCTION PrefixServer(LookBack<Op> const& look_back, std::uint32_t epoch, State& state,
                               int thread)
      : look_back_(look_back),
        epoch_(epoch),
        state_(state),
        warp_(thread / backend::width),
        lane_(thread % backend::width) {}

  /// Serves until each tile has been sent its prefix. The team meets.
  template <class Member>
  KOKKOS_FUNCTION void serve(Member const& team) const {
    if (lane_ < Mail::words) state_.before[warp_][lane_] = 0;
    team.team_barrier();
    std::uint64_t const bundles = (look_back_.tiles() + bundle_tiles - 1) / bundle_tiles;
    for (auto bundle = static_cast<std::uint64_t>(warp_); bundle < bundles; bundle += Warps) {
      serve_bundle(bundle);
    }
    team.team_barrier();
  }

 private:
  /// Sends prefixes as totals come, those of all tiles up to the first whose total is still owed.
  KOKKOS_FUNCTION void serve_bundle(std::uint64_t bundle) const {
    std::uint64_t const tile = bundle * bundle_tiles + static_cast<std::uint64_t>(lane_);
    bool const is_tile = tile < look_back_.tiles();
    bool has_come = !is_tile;
    bool is_known = bundle == 0;
    Value total = look_back_.op().identity();
    Value before = look_back_.init();
    Value up_to = total;
    int come = 0;
    for (int sent = 0; sent < bundle_tiles;) {
      if (come < bundle_tiles) {
        if (!has_come) has_come = receive_total(tile, total);
        come = count_from_first(has_come);
        if (come > sent) up_to = scan_lanes(look_back_.op(), lane_, total);
      }
      if (!is_known) is_known = receive_before(bundle, before);
      if (!is_known || come == sent) continue;
      if (come == bundle_tiles) send_before_next(bundle, before, up_to);
      bool const is_served = is_tile && sent <= lane_ && lane_ < come;
      send_prefix(tile, is_served, before, up_to);
      sent = come;
    }
  }

  /// Whether a tile's total has come. What its slot holds until then, a value of an earlier launch or half of one, may be
  /// none that the operation knows, and stays out of it.
  KOKKOS_FUNCTION bool receive_total(std::uint64_t tile, Value& total) const {
    Value seen = total;
    if (!look_back_.receive_tile_total(tile, epoch_, seen)) return false;
    total = seen;
    return true;
  }

  /// How many lanes, from the first on, say yes.
  KOKKOS_FUNCTION static int count_from_first(bool says_yes) {
    std::uint32_t const others = ~backend::ballot(says_yes);
    return others == 0 ? backend::width : backend::lowest_one(others);
  }

  KOKKOS_FUNCTION void send_prefix(std::uint64_t tile, bool is_served, Value const& before,
                                   Value const& up_to) const {
    Value const inside = backend::shuffle_up(up_to, lane_, 1);
    if (!is_served) return;
    Value const prefix = lane_ == 0 ? before : look_back_.op()(before, inside);
    look_back_.send_tile_prefix(tile, epoch_, prefix);
  }

  /// The last lane tells the next warp. Its message replaces one that the reader has read, since the reader had to
  /// before any later bundle could be known. Words of scratch memory that warps exchange between barriers are for atomic
  /// operations alone.
  KOKKOS_FUNCTION void send_before_next(std::uint64_t bundle, Value const& before,
                                        Value const& up_to) const {
    if (lane_ < backend::width - 1) return;
    auto const message =
        Mail::written(look_back_.op()(before, up_to), tag_of(bundle + 1), Status::prefix);
    std::uint64_t* const slot = slot_before(bundle + 1);
    for (int w = 0; w < Mail::words; ++w) Kokkos::atomic_exchange(slot + w, message.slot[w]);
  }

  /// Whether the warp has been told. The first lane looks for all.
  KOKKOS_FUNCTION bool receive_before(std::uint64_t bundle, Value& before) const {
    bool is_told = false;
    if (lane_ == 0) {
      typename Mail::Sight seen;
      std::uint64_t* const slot = slot_before(bundle);
      for (int w = 0; w < Mail::words; ++w) {
        seen.slot[w] = Kokkos::atomic_fetch_add(slot + w, std::uint64_t{0});
      }
      is_told = Mail::read(seen, before, tag_of(bundle)) == Status::prefix;
    }
    before = backend::from_lane(before, 0);
    return backend::ballot(is_told) != 0;
  }

  KOKKOS_FUNCTION std::uint64_t* slot_before(std::uint64_t bundle) const {
    return state_.before[bundle % Warps];
  }
  KOKKOS_FUNCTION static std::uint32_t tag_of(std::uint64_t bundle) {
    return static_cast<std::uint32_t>(bundle);
  }

  LookBack<Op> const& look_back_;
  std::uint32_t epoch_;
  State& state_;
  int warp_;
  int lane_;
};

}  // namespace riffle::detail
