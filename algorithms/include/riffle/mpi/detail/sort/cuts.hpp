#pragma once

// The exact places at which the sorted runs of all ranks are cut, so that each rank gets as many elements as it is to
// have: all ranks' elements in order, of ties those of lower ranks first. Rank r looks for the cut before its own
// elements; each round all ranks send it samples of their runs, and learn what it makes of them. In a round a rank sends
// 64 KiB, or 16 keys to each other rank where that is more.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/all_to_all.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/mpi/detail/host_copies.hpp>
#include <riffle/mpi/detail/partition.hpp>
#include <riffle/mpi/detail/rank_call.hpp>
#include <riffle/mpi/detail/sort/brackets.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/argsort.hpp>

namespace riffle::detail::mpi {

/// Copies samples of each cut's bracket to its `most` slots.
template <class Key>
struct PackSamples {
  Key const* keys;
  Bracket const* brackets;
  std::uint64_t most;
  Key* to;

  KOKKOS_FUNCTION void operator()(std::uint64_t slot) const {
    BracketSamples const samples(brackets[slot / most], most);
    std::uint64_t const k = slot % most;
    if (k < samples.count()) to[slot] = keys[samples.place(k)];
  }
};

/// The cuts of this rank's run, found together with the other ranks.
template <class Exec, class Key>
class Cuts {
 public:
  /// `keys` are this rank's, sorted; `output` says how many each rank is to get.
  Cuts(RankCall<Exec> const& call, Scope<Exec>& scope, Partition const& input,
       Partition const& output, Key const* keys)
      : call_(call),
        most_(most_samples(call.comm.size())),
        keys_(keys),
        search_(search(input, output, call.comm.rank())),
        sent_(slots() * sizeof(Key)),
        received_(slots() * sizeof(Key)),
        brackets_(scope.template take<Bracket>(ranks())),
        samples_(scope.template take<Key>(slots())),
        indices_(scope.template take<std::uint32_t>(slots())) {
    for (int r = 0; r < call.comm.size(); ++r) {
      CutSearch const other = search(input, output, r);
      findings_.push_back({other.brackets()[own()], other.doubtful(), true});
    }
  }

  /// Collective. Where the comparison is no order, it may find that there are no cuts: false on all ranks, then.
  template <class Order>
  bool find(Order const& order) {
    while (any_of([](Finding const& f) { return f.doubtful > 0; })) {
      send_samples();
      call_.agree([&] { narrow(order); });
      share_findings();
      if (any_of([](Finding const& f) { return !f.is_order; })) return false;
    }
    return true;
  }

  /// How many elements of this rank's run are before the cut of each rank.
  std::vector<std::uint64_t> places() const {
    std::vector<std::uint64_t> result;
    for (auto const& finding : findings_) result.push_back(finding.bracket.low);
    return result;
  }

 private:
  /// What a rank knows of its cut: where it is in this rank's run.
  struct Finding {
    Bracket bracket;
    std::uint64_t doubtful;
    std::uint64_t is_order;
  };

  /// A round takes 64 KiB of samples, and enough of each run that brackets get smaller by a factor of 4 at least.
  static constexpr std::uint64_t fewest_samples = 16;
  static constexpr std::uint64_t sample_bytes = std::uint64_t{1} << 16;
  static constexpr std::uint64_t most_useful = 1024;

  static std::uint64_t most_samples(int ranks) {
    std::uint64_t const room = sample_bytes / (static_cast<std::uint64_t>(ranks) * sizeof(Key));
    return std::clamp(room, fewest_samples, most_useful);
  }

  static CutSearch search(Partition const& input, Partition const& output, int rank) {
    std::vector<Bracket> whole;
    for (int r = 0; r < input.ranks(); ++r) whole.push_back({0, input.count(r)});
    return CutSearch(output.first(rank), whole);
  }

  std::size_t ranks() const { return static_cast<std::size_t>(call_.comm.size()); }
  std::size_t own() const { return static_cast<std::size_t>(call_.comm.rank()); }
  std::uint64_t slots() const { return most_ * ranks(); }

  template <class Predicate>
  bool any_of(Predicate const& predicate) const {
    return std::any_of(findings_.begin(), findings_.end(), predicate);
  }

  void send_samples() {
    std::vector<Bracket> brackets;
    for (auto const& finding : findings_) brackets.push_back(finding.bracket);
    copy_to_kernels(call_.context, brackets, brackets_);
    call_.context.named("samples").for_each(slots(),
                                            PackSamples<Key>{keys_, brackets_, most_, samples_});
    using Space = typename Exec::memory_space;
    Kokkos::deep_copy(
        call_.context.exec(), Bytes<Kokkos::HostSpace>(sent_.data(), sent_.size()),
        ConstBytes<Space>(reinterpret_cast<std::byte const*>(samples_), sent_.size()));
    call_.context.exec().fence("riffle::mpi: samples are ready to be sent");
    all_to_all(call_.comm, sent_.data(), received_.data(), most_ * sizeof(Key));
  }

  /// Sorts the samples of this rank's cut.
  template <class Order>
  void narrow(Order const& order) {
    if (search_.doubtful() == 0) return;
    auto const samples = search_.samples(most_);
    std::vector<std::byte> packed;
    for (std::size_t r = 0; r < ranks(); ++r) {
      std::byte const* const from = received_.data() + r * most_ * sizeof(Key);
      packed.insert(packed.end(), from, from + samples[r].count() * sizeof(Key));
    }
    copy_to_kernels(call_.context, packed, reinterpret_cast<std::byte*>(samples_));
    std::uint64_t const count = packed.size() / sizeof(Key);
    using Space = typename Exec::memory_space;
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    riffle::argsort(call_.context, Kokkos::View<Key const*, Space, Unmanaged>(samples_, count),
                    Kokkos::View<std::uint32_t*, Space, Unmanaged>(indices_, count), order);
    is_order_ = search_.narrow(samples, to_host(call_.context, indices_, count));
  }

  void share_findings() {
    std::vector<Finding> own;
    for (auto const& bracket : search_.brackets()) {
      own.push_back({bracket, search_.doubtful(), is_order_});
    }
    all_to_all(call_.comm, own.data(), findings_.data(), sizeof(Finding));
  }

  RankCall<Exec> const& call_;
  std::uint64_t most_;
  Key const* keys_;
  CutSearch search_;
  bool is_order_ = true;
  std::vector<Finding> findings_;  // of each rank
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
  Bracket* brackets_;
  Key* samples_;
  std::uint32_t* indices_;
};

}  // namespace riffle::detail::mpi
