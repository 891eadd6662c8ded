// Permutations that are planned once and applied many times.

#include <Kokkos_Core.hpp>
#include <riffle/permute.hpp>
#include <riffle/permute/planned_permutation.hpp>
#include <riffle/permute/schedule_file.hpp>
#include <riffle/permute/scheduled_permutation.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>
#include <sstream>
#include <string>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::plans_cases {
namespace {

/// 24 bytes, the largest element that schedules move in steps.
struct Place {
  double x;
  double y;
  double z;
};

std::vector<Place> places(std::uint64_t n) {
  std::vector<Place> values(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    values[i] = {special_number<double>(word(3 * i)), special_number<double>(word(3 * i + 1)),
                 special_number<double>(word(3 * i + 2))};
  }
  return values;
}

struct Scheduled {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const p = to_array<Exec>(permutation_of<std::int64_t>(n));
    ScheduledPermutation<Exec> const plan(Context(exec, "plan", workspace), p);
    auto const numbers = to_array<Exec>(special_numbers<double>(n));
    auto const moved = make_output<Exec, double>(n);
    plan(Context(exec, workspace), numbers, moved);
    results.add("numbers", moved);
    auto const in = to_array<Exec>(places(n));
    auto const out = make_output<Exec, Place>(n);
    plan.inverse()(Context(exec, "back"), pack(in, numbers), pack(out, moved));
    results.add("places, by the inverse", out);
    results.add("numbers, by the inverse", moved);
    auto const destinations = make_output<Exec, std::uint32_t>(n);
    plan.destinations(exec, destinations);
    results.add("destinations", destinations);
  }
};

struct InFiles {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const p = to_array<Exec>(permutation_of<std::uint32_t>(n));
    std::stringstream file;
    save_schedule(exec, ScheduledPermutation<Exec>(exec, p), file);
    results.add("file", file.str());
    auto const plan = load_schedule(exec, file);
    auto const destinations = make_output<Exec, std::uint32_t>(n);
    plan.destinations(exec, destinations);
    results.add("destinations", destinations);
  }
};

struct Planned {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const p = to_array<Exec>(permutation_of<std::int32_t>(n));
    // The chosen method may differ between spaces, but not the result.
    for (double const calls : {1.0, 1e9}) {
      PermutationUse use;
      use.calls = calls;
      PlannedPermutation<Exec> const plan(Context(exec, "plan", workspace), p, use);
      auto const in = to_array<Exec>(cards(n));
      auto const out = make_output<Exec, Card>(n);
      plan(exec, in, out);
      results.add("cards", out);
      permute(Context(exec, "back", workspace), out, plan.inverse(), in);
      results.add("back again", in);
    }
  }
};

Cases const cases{
    make_case<Scheduled>("scheduled_permutation", up_to(1 << 21)),
    make_case<InFiles>("schedule_in_files", sizes()),
    make_case<Planned>("planned_permutation", large_sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::plans_cases
