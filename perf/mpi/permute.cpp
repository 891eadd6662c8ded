// Plans of a random permutation of all ranks' elements: making and applying them. Also a gather of each rank's own elements.

#include <cstdint>
#include <optional>

#include <riffle/mpi/planned_permutation.hpp>
#include <riffle/mpi/shuffle.hpp>
#include <riffle/permute/gather.hpp>
#include <riffle/permute/scatter.hpp>
#include <riffle/shuffle.hpp>

#include "mpi/rows.hpp"
#include "mpi/time_row.hpp"

namespace perf {
namespace {

using Plan = riffle::mpi::PlannedPermutation<Exec>;

/// Counts elements that differ from first + p(i).
template <class Index>
struct CountWrongImages {
  Elements<double> out;
  Elements<Index> p;
  std::uint64_t first;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& wrong) const {
    wrong += out(i) == static_cast<double>(first + p(i)) ? 0 : 1;
  }
};

template <class Index>
std::uint64_t count_wrong_images(Exec const& exec, Elements<double> const& out,
                                 Elements<Index> const& p, std::uint64_t first) {
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce("perf::count_wrong_images", range(exec, p.extent(0)),
                          CountWrongImages<Index>{out, p, first}, wrong);
  return wrong;
}

/// out(i) = in(p(i)) within a rank's own elements. Indices have 32 bits, as in a plan.
class LocalGather : public ElementsRow {
 public:
  static constexpr char const* name = "LocalGather";
  static constexpr bool is_local = true;

  static std::uint64_t memory_of(std::uint64_t n) { return 40 * n; }
  static double bytes_sent_by(std::uint64_t, std::uint64_t) { return 0; }
  static std::optional<double> limit(Ranks&, std::uint64_t) { return std::nullopt; }

  LocalGather(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        p_(allocate<std::uint32_t>(exec_, "perf::p", n)),
        in_(elements_of<double>(exec_, first_, n, AsNumber{})),
        out_(allocate<double>(exec_, "perf::out", n)) {
    riffle::random_permutation(exec_, p_, seed);
  }

  void run() { riffle::gather(exec_, in_, p_, out_); }

  std::uint64_t errors() const { return count_wrong_images(exec_, out_, p_, first_); }

 private:
  Elements<std::uint32_t> p_;
  Elements<double> in_;
  Elements<double> out_;
};

/// Rows of this rank's part of a random permutation of all ranks' elements.
class PermutedRow : public ElementsRow {
 public:
  static constexpr bool is_local = false;

  /// Memory for the indices, the elements before and after, the plan, and making it.
  static std::uint64_t memory_of(std::uint64_t n) { return 72 * n; }

  PermutedRow(Ranks const& ranks, std::uint64_t n)
      : ElementsRow(ranks, n),
        p_(allocate<std::uint64_t>(exec_, "perf::p", n)),
        in_(elements_of<double>(exec_, first_, n, AsNumber{})),
        out_(allocate<double>(exec_, "perf::out", n)) {}

 protected:
  /// Collective, because all ranks draw p together.
  void draw_once() {
    if (is_drawn_) return;
    riffle::mpi::random_permutation(context(), ranks_->all(), p_, seed, riffle::BucketShuffle{});
    is_drawn_ = true;
  }

  Elements<std::uint64_t> p_;
  Elements<double> in_;
  Elements<double> out_;

 private:
  bool is_drawn_ = false;
};

class PlanPermutation : public PermutedRow {
 public:
  static constexpr char const* name = "PlanPermutation";

  /// A 32-bit index for each element.
  static double bytes_sent_by(std::uint64_t n, std::uint64_t ranks) {
    return bytes_to_others(n, ranks, sizeof(std::uint32_t));
  }
  /// This row has no limit: no other row checks indices and partitions them twice by owner.
  static std::optional<double> limit(Ranks&, std::uint64_t) { return std::nullopt; }

  using PermutedRow::PermutedRow;

  void prepare() {
    draw_once();
    plan_.reset();
  }

  void run() { plan_.emplace(context(), ranks_->all(), p_); }

  /// The row Permute checks the plan.
  std::uint64_t errors() const {
    plan_->inverse()(riffle::Context<Exec>(exec_), ranks_->all(), in_, out_);
    return count_wrong_images(exec_, out_, p_, 0);
  }

 private:
  std::optional<Plan> plan_;
};

enum class Direction { forward, inverse };

/// out(p(i)) = in(i), or with the inverse out(i) = in(p(i)).
template <Direction direction>
class Permute : public PermutedRow {
 public:
  static constexpr bool is_inverse = direction == Direction::inverse;
  static constexpr char const* name = is_inverse ? "PermuteInverse" : "Permute";

  static double bytes_sent_by(std::uint64_t n, std::uint64_t ranks) {
    return bytes_to_others(n, ranks, sizeof(double));
  }
  /// Reading and writing for packing is not in the limit. The inverse packs by random writes, which may be faster on a CPU than
  /// the random reads of the gather.
  static std::optional<double> limit(Ranks& ranks, std::uint64_t n) {
    return ranks.measured().seconds({"LocalGather", "Exchange"}, n);
  }

  using PermutedRow::PermutedRow;

  void prepare() {
    if (plan_) return;
    draw_once();
    Plan const plan(context(), ranks_->all(), p_);
    plan_ = is_inverse ? plan.inverse() : plan;
  }

  void run() { (*plan_)(context(), ranks_->all(), in_, out_); }

  /// Checks the forward direction by the inverse, which must restore the input.
  std::uint64_t errors() const {
    if (is_inverse) return count_wrong_images(exec_, out_, p_, 0);
    auto const returned = allocate<double>(exec_, "perf::returned", n_);
    plan_->inverse()(riffle::Context<Exec>(exec_), ranks_->all(), out_, returned);
    return count_differences(returned, in_, 0) + (hash_of(exec_, in_) - hash_of(exec_, out_));
  }

  Elements<double> output() const { return out_; }

  Elements<double> on_one_device(std::uint64_t n) const {
    auto const p = allocate<std::uint64_t>(exec_, "perf::p", n);
    riffle::random_permutation(exec_, p, seed, riffle::BucketShuffle{});
    auto const in = elements_of<double>(exec_, 0, n, AsNumber{});
    auto const out = allocate<double>(exec_, "perf::expected", n);
    if (is_inverse) {
      riffle::gather(exec_, in, p, out);
    } else {
      riffle::scatter(exec_, in, p, out);
    }
    return out;
  }

 private:
  std::optional<Plan> plan_;
};

}  // namespace

void register_permute(Ranks& ranks) {
  register_row<LocalGather>(ranks);
  register_row<PlanPermutation>(ranks);
  register_row<Permute<Direction::forward>>(ranks);
  register_row<Permute<Direction::inverse>>(ranks);
}

}  // namespace perf
