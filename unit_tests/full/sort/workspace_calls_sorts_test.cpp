// With a workspace, sorts and partitions do not allocate.

#include <Kokkos_Core.hpp>
#include <riffle/order.hpp>
#include <riffle/partition.hpp>
#include <riffle/sort.hpp>
#include <riffle/sort/argsort.hpp>
#include <riffle/sort/sort_by_key.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/execution_spaces.hpp"
#include "support/matrices.hpp"
#include "support/views.hpp"
#include "support/workspace_calls.hpp"

namespace riffle::test::workspace_calls_sorts_test {
namespace {

struct ByTens {
  KOKKOS_FUNCTION bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a / 10 < b / 10;
  }
};

struct IsOdd {
  KOKKOS_FUNCTION bool operator()(std::uint32_t value) const { return value % 2 == 1; }
};

/// Numbers below a million in random order.
template <class View>
struct Scramble {
  View view;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    view(i) = static_cast<typename View::value_type>((i * 0x9E3779B97F4A7C15u >> 33) % 1'000'000);
  }
};

template <class View>
struct Labels {
  View view;
  std::uint64_t count;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    view(i) = static_cast<typename View::value_type>((i * 0x9E3779B97F4A7C15u >> 33) % count);
  }
};

template <class Exec>
class WorkspaceCallsOfSorts : public ::testing::Test {
 protected:
  using Calls = WorkspaceCalls<Exec>;
  using Memory = riffle::Workspace<Exec>;
  using Space = typename Exec::memory_space;

  /// n elements each.
  struct Data {
    explicit Data(std::size_t n)
        : numbers(zeros<Exec, double>(n)),
          out(zeros<Exec, double>(n)),
          keys(zeros<Exec, std::uint32_t>(n)),
          values(zeros<Exec, std::uint32_t>(n)),
          few_labels(zeros<Exec, std::uint32_t>(n)),
          many_labels(zeros<Exec, std::uint32_t>(n)),
          few_offsets(zeros<Exec, std::uint64_t>(4)),
          many_offsets(zeros<Exec, std::uint64_t>(5001)),
          strided(make_strided<Exec, double>(n)),
          rows(make_matrix<Exec, int, Kokkos::LayoutLeft>(n, 2)),
          rows_out(make_matrix<Exec, int, Kokkos::LayoutLeft>(n, 2)) {
      label(few_labels, 3);
      label(many_labels, 5000);
    }

    template <class View>
    void label(View const& view, std::uint64_t count) const {
      Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(0, view.extent(0)), Labels<View>{view, count});
    }

    void prepare() const {
      auto const fill = [](auto const& view) {
        using View = std::decay_t<decltype(view)>;
        Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(0, view.extent(0)), Scramble<View>{view});
      };
      fill(numbers);
      fill(keys);
      fill(strided);
    }

    Kokkos::View<double*, Space> numbers, out;
    Kokkos::View<std::uint32_t*, Space> keys, values, few_labels, many_labels;
    Kokkos::View<std::uint64_t*, Space> few_offsets, many_offsets;
    Kokkos::View<double*, Kokkos::LayoutStride, Space> strided;
    Kokkos::View<int**, Kokkos::LayoutLeft, Space> rows, rows_out;
  };

  Calls sorts(Data const& d) const {
    riffle::Ascending const up;
    riffle::Descending const down;
    return {
        {"sort", [=, this](Memory& memory) { riffle::sort(Context(exec, memory), d.numbers, up); }},
        {"sort with gaps",
         [=, this](Memory& memory) { riffle::sort(Context(exec, memory), d.strided, down); }},
        {"sort by a comparison",
         [=, this](Memory& memory) { riffle::sort(Context(exec, memory), d.keys, ByTens{}); }},
        {"sort_copy",
         [=, this](Memory& memory) {
           riffle::sort_copy(Context(exec, memory), d.numbers, d.out, up);
         }},
        {"argsort",
         [=, this](Memory& memory) { argsort(Context(exec, memory), d.numbers, d.values, up); }},
        {"argsort by a comparison",
         [=, this](Memory& memory) { argsort(Context(exec, memory), d.keys, d.values, ByTens{}); }},
        {"sort_by_key",
         [=, this](Memory& memory) {
           riffle::sort_by_key(Context(exec, memory), d.keys, d.values, up);
         }},
        {"sort_by_key of rows",
         [=, this](Memory& memory) {
           riffle::sort_by_key(Context(exec, memory), d.keys, d.rows, up);
         }},
        {"sort_by_key of a pack",
         [=, this](Memory& memory) {
           riffle::sort_by_key(Context(exec, memory), d.keys, riffle::pack(d.values, d.rows),
                               ByTens{});
         }},
    };
  }

  Calls partitions(Data const& d) const {
    return {
        {"partition_copy",
         [=, this](Memory& memory) {
           riffle::partition_copy(Context(exec, memory), d.keys, d.values, IsOdd{});
         }},
        {"partition",
         [=, this](Memory& memory) { riffle::partition(Context(exec, memory), d.keys, IsOdd{}); }},
        {"partition_by_label, few",
         [=, this](Memory& memory) {
           riffle::partition_by_label(Context(exec, memory), d.rows, d.few_labels, d.rows_out,
                                      d.few_offsets);
         }},
        {"partition_by_label, many",
         [=, this](Memory& memory) {
           riffle::partition_by_label(Context(exec, memory), d.numbers, d.many_labels, d.out,
                                      d.many_offsets);
         }},
        {"sort_by_cell",
         [=, this](Memory& memory) {
           riffle::sort_by_cell(Context(exec, memory), riffle::pack(d.strided, d.rows, d.keys),
                                d.keys, d.many_offsets);
         }},
    };
  }

  Exec exec;
};
TYPED_TEST_SUITE(WorkspaceCallsOfSorts, ExecutionSpaces, SpaceNames);

TYPED_TEST(WorkspaceCallsOfSorts, SortsDoNotAllocate) {
  for (std::size_t const n : sizes_for_workspaces<TypeParam>()) {
    SCOPED_TRACE(n);
    typename TestFixture::Data const data(n);
    expect_no_allocations(this->exec, this->sorts(data), [&] { data.prepare(); });
  }
}

TYPED_TEST(WorkspaceCallsOfSorts, PartitionsDoNotAllocate) {
  for (std::size_t const n : sizes_for_workspaces<TypeParam>()) {
    SCOPED_TRACE(n);
    typename TestFixture::Data const data(n);
    expect_no_allocations(this->exec, this->partitions(data), [&] { data.prepare(); });
  }
}

}  // namespace
}  // namespace riffle::test::workspace_calls_sorts_test
