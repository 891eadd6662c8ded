// The GPU's team kernels of shuffles and scans over ranks, on an emulated GPU, compared with the kernels of threads.

#include <Kokkos_Core.hpp>
#include <riffle/mpi/detail/scan/totals.hpp>
#include <riffle/mpi/detail/shuffle/place_tree.hpp>
#include <riffle/mpi/detail/shuffle/receives.hpp>
#include <riffle/mpi/detail/shuffle/run_shuffle.hpp>
#include <riffle/mpi/detail/shuffle/sends.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "support/emulated_gpu.hpp"

namespace riffle::test::mpi_team_kernels_test {
namespace {

namespace ranks = detail::mpi;
using detail::bucket_shuffle::buckets;
using Exec = Kokkos::DefaultHostExecutionSpace;

constexpr std::uint64_t seed = 11;
constexpr std::uint64_t tile = detail::bucket_shuffle::tile_places;

template <class Kernel>
void run_teams(std::uint64_t teams, Kernel const& kernel) {
  EmulatedGpu gpu(3, teams);
  gpu.run(static_cast<int>(teams), Kernel::threads, Kernel::scratch_bytes, kernel);
}

template <class Kernel>
void run_threads(std::uint64_t count, Kernel const& kernel) {
  for (std::uint64_t i = 0; i < count; ++i) kernel(i);
}

template <class T>
using Elements = Kokkos::View<T*, Kokkos::HostSpace>;
template <class T>
using Rows = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

// --- places of a node ---

/// Chunks with a partial tile at one end or both, one place, whole tiles, and no place.
std::vector<ranks::PlaceChunk> chunks_of_places() {
  std::vector<ranks::PlaceChunk> chunks;
  std::uint64_t at = 0;
  for (auto const& [first, last] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{5, 2 * tile + 17},
                                                            {2 * tile + 100, 2 * tile + 200},
                                                            {3 * tile, 5 * tile},
                                                            {6 * tile - 1, 6 * tile},
                                                            {6 * tile - 1, 6 * tile + 1},
                                                            {7 * tile + 9, 7 * tile + 9}}) {
    chunks.push_back({chunks.size() + 1, 0, first, last, at});
    at += last - first;
  }
  return chunks;
}

TEST(MpiTeamKernels, CountPlaces) {
  auto const chunks = chunks_of_places();
  std::vector<std::uint64_t> expected(chunks.size() * buckets);
  auto found = expected;
  run_threads(chunks.size(), ranks::CountChunk{seed, chunks.data(), expected.data()});
  run_teams(chunks.size(), ranks::CountByTeam{seed, chunks.data(), found.data()});
  EXPECT_EQ(found, expected);
}

template <class View>
void expect_riffled(View const& from, View const& expected, View const& found) {
  auto const chunks = chunks_of_places();
  // For each digit, the elements of a chunk follow the elements of earlier chunks.
  std::vector<std::uint64_t> before(chunks.size() * buckets);
  run_threads(chunks.size(), ranks::CountChunk{seed, chunks.data(), before.data()});
  std::vector<std::uint64_t> children(buckets);
  for (std::size_t k = 0; k < buckets; ++k) {
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      std::uint64_t const count = before[c * buckets + k];
      before[c * buckets + k] = children[k];
      children[k] += count;
    }
  }
  std::exclusive_scan(children.begin(), children.end(), children.begin(), std::uint64_t{0});
  using Move = ranks::MoveRow<View, View>;
  run_threads(chunks.size(), ranks::RiffleChunk<Move>{seed, chunks.data(), before.data(),
                                                      children.data(), Move{from, expected}});
  run_teams(chunks.size(), ranks::RiffleByTeam<Move>(seed, chunks.data(), before.data(),
                                                     children.data(), Move{from, found}));
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < expected.span(); ++i) wrong += found.data()[i] != expected.data()[i];
  EXPECT_EQ(wrong, 0u);
}

std::uint64_t places() {
  auto const last = chunks_of_places().back();
  return last.at + (last.last - last.first);
}

template <class T>
void expect_riffled_values() {
  Elements<T> const from("from", places());
  for (std::size_t i = 0; i < from.extent(0); ++i) from(i) = static_cast<T>(i * 7 + 1);
  expect_riffled(from, Elements<T>("expected", places()), Elements<T>("found", places()));
}

TEST(MpiTeamKernels, RiffleValues) {
  expect_riffled_values<std::uint16_t>();
  expect_riffled_values<double>();
  expect_riffled_values<long double>();
}

TEST(MpiTeamKernels, RiffleRows) {
  Rows<float> const from("from", places(), 3);
  for (std::size_t i = 0; i < from.span(); ++i) from.data()[i] = static_cast<float>(i);
  expect_riffled(from, Rows<float>("expected", places(), 3), Rows<float>("found", places(), 3));
}

// --- images of leaves ---

/// Consecutive leaves of these sizes, in the kernels' format, and places in them.
class Leaves {
 public:
  explicit Leaves(std::vector<std::uint64_t> const& sizes) {
    leaves.seed_of_leaves = detail::bucket_shuffle::leaf_seed(seed);
    leaves.first = sizes.size();
    keys_.resize(sizes.size());
    for (std::size_t l = 0; l < sizes.size(); ++l) {
      ranks::DrawLeafKeys{leaves.seed_of_leaves, leaves.first, keys_.data()}(l);
      // All places but the first two and the last one, if there are more than four.
      std::uint64_t const first = sizes[l] > 4 ? 2 : 0;
      std::uint64_t const count = sizes[l] - first - (sizes[l] > 4 ? 1 : 0);
      places_.push_back({l, elements, sizes[l], first, count, at_});
      before_.push_back(before_.back() + ranks::count_chunks(count, max_places));
      elements += sizes[l];
      at_ += count;
    }
    leaves.keys = keys_.data();
  }

  ranks::LeafChunks chunks() const {
    return {before_.back(), max_places, places_.data(), before_.data(), places_.size()};
  }
  std::uint64_t places() const { return at_; }

  ranks::TreeLeaves leaves{};
  std::uint64_t elements = 0;

 private:
  static constexpr std::uint64_t max_places = ranks::images_per_thread * ranks::chunk_threads;

  std::vector<detail::bucket_shuffle::LeafKeys> keys_;
  std::vector<ranks::LeafChunk> places_;
  std::vector<std::uint64_t> before_{0};
  std::uint64_t at_ = 0;
};

Leaves some_leaves() { return Leaves({1, 2, 0, 3, 1024, 5000, 1, 1025, 17}); }

TEST(MpiTeamKernels, PackWholeLeaves) {
  auto const leaves = some_leaves();
  Elements<double> const in("in", leaves.elements);
  for (std::size_t i = 0; i < in.extent(0); ++i) in(i) = static_cast<double>(i);
  Elements<float> const expected("expected", leaves.places());
  Elements<float> const found("found", leaves.places());
  ranks::OwnElements const own{0, leaves.elements};
  auto const pack = [&](auto const& from, auto const& to) {
    return ranks::PackWhole<true, ranks::TreeLeaves, std::decay_t<decltype(from)>,
                            std::decay_t<decltype(to)>>{leaves.leaves, own, leaves.chunks(), from,
                                                        to};
  };
  run_threads(leaves.chunks().count, pack(in, expected));
  auto const by_team = pack(in, found);
  run_teams(leaves.chunks().count, ranks::TakeByTeam<decltype(by_team)>{by_team});
  for (std::size_t i = 0; i < leaves.places(); ++i) ASSERT_EQ(found(i), expected(i)) << i;
  Rows<double> const rows("rows", leaves.elements, 2);
  for (std::size_t i = 0; i < rows.span(); ++i) rows.data()[i] = static_cast<double>(i);
  Rows<double> const expected_rows("expected", leaves.places(), 2);
  Rows<double> const found_rows("found", leaves.places(), 2);
  run_threads(leaves.chunks().count, pack(rows, expected_rows));
  auto const rows_by_team = pack(rows, found_rows);
  run_teams(leaves.chunks().count, ranks::TakeByTeam<decltype(rows_by_team)>{rows_by_team});
  for (std::size_t i = 0; i < found_rows.span(); ++i) {
    ASSERT_EQ(found_rows.data()[i], expected_rows.data()[i]) << i;
  }
}

TEST(MpiTeamKernels, PackTheShareOfARank) {
  auto const leaves = some_leaves();
  Elements<double> const in("in", leaves.elements);
  for (std::size_t i = 0; i < in.extent(0); ++i) in(i) = static_cast<double>(i);
  ranks::ByOwnership<ranks::TreeLeaves> const of{
      leaves.leaves, {leaves.elements / 3, leaves.elements / 2}, leaves.chunks()};
  std::uint64_t const count = leaves.chunks().count;
  std::vector<std::uint64_t> expected_counts(count);
  auto found_counts = expected_counts;
  using Count = ranks::CountOwn<ranks::TreeLeaves>;
  run_threads(count, Count{of, expected_counts.data()});
  run_teams(count, ranks::RankByTeam<Count>{{of, found_counts.data()}});
  EXPECT_EQ(found_counts, expected_counts);
  auto at = found_counts;
  std::exclusive_scan(at.begin(), at.end(), at.begin(), std::uint64_t{0});
  Elements<double> const expected("expected", leaves.places());
  Elements<double> const found("found", leaves.places());
  using Pack = ranks::PackOwn<ranks::TreeLeaves, Elements<double>, Elements<double>>;
  run_threads(count, Pack{of, at.data(), in, expected});
  run_teams(count, ranks::RankByTeam<Pack>{{of, at.data(), in, found}});
  for (std::size_t i = 0; i < leaves.places(); ++i) ASSERT_EQ(found(i), expected(i)) << i;
}

void expect_slots(int owners) {
  Leaves const leaves({5000});
  std::vector<std::uint64_t> bounds;
  for (int k = 0; k <= owners; ++k) {
    bounds.push_back(5000 * static_cast<std::uint64_t>(k) / static_cast<std::uint64_t>(owners));
  }
  std::vector<ranks::SharedLeaf> const shared{{0, owners, 0, 0}};
  ranks::SharedChunks const chunks{leaves.chunks(), shared.data(), bounds.data()};
  ranks::ByOwner<ranks::TreeLeaves> const of{leaves.leaves, chunks};
  std::vector<std::uint64_t> expected_counters(chunks.count * static_cast<std::uint64_t>(owners));
  auto counters = expected_counters;
  using Count = ranks::CountOwners<ranks::TreeLeaves>;
  run_threads(chunks.count, Count{of, expected_counters.data()});
  run_teams(chunks.count, ranks::RankByTeam<Count>{{of, counters.data()}});
  EXPECT_EQ(counters, expected_counters);
  std::vector<std::uint64_t> expected(leaves.places());
  auto found = expected;
  using Find = ranks::FindSlots<ranks::TreeLeaves>;
  run_teams(chunks.count, ranks::RankByTeam<Find>{{of, counters.data(), found.data()}});
  run_threads(chunks.count, Find{of, counters.data(), expected.data()});
  EXPECT_EQ(found, expected) << owners;
}

TEST(MpiTeamKernels, FindTheSlotsOfOwners) {
  for (int const owners : {1, 2, 3, 40}) expect_slots(owners);
}

TEST(MpiTeamKernels, VisitPlacesOfChunks) {
  auto const leaves = some_leaves();
  std::vector<int> visits(leaves.places());
  struct Visit {
    ranks::LeafChunks chunks;
    int* visits;
    KOKKOS_FUNCTION void operator()(ranks::LeafChunk const& chunk, std::uint64_t t) const {
      ++visits[chunk.at + t];
    }
  };
  run_teams(leaves.chunks().count, ranks::PlacesByTeam<Visit>{{leaves.chunks(), visits.data()}});
  EXPECT_EQ(visits, std::vector<int>(leaves.places(), 1));
}

// --- totals of bundles ---

/// The numbers begin, ..., end - 1; only adjacent intervals can be combined.
struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(Interval const&, Interval const&) = default;
};

struct Join {
  using value_type = Interval;

  KOKKOS_FUNCTION Interval operator()(Interval const& a, Interval const& b) const {
    KOKKOS_IF_ON_HOST((if (a.end != b.begin) throw std::logic_error("not neighbours");))
    return {a.begin, b.end};
  }
};

struct Single {
  KOKKOS_FUNCTION Interval operator()(std::uint64_t i) const { return {i, i + 1}; }
};

TEST(MpiTeamKernels, TotalTiles) {
  std::vector<Interval> totals(5);
  run_teams(totals.size(), ranks::TotalTileByTeam<Single, Join>{Single(), Join(), totals.data()});
  for (std::uint64_t t = 0; t < totals.size(); ++t) {
    EXPECT_EQ(totals[t], (Interval{t * detail::tile_size, (t + 1) * detail::tile_size}));
  }
}

TEST(MpiTeamKernels, CombineBundles) {
  std::vector<Interval> totals;
  for (std::uint64_t b = 0; b < 1000; ++b) totals.push_back({b + 1, b + 2});
  for (std::uint64_t const last : {0, 1, 127, 128, 129, 999}) {
    for (std::uint64_t const first : {std::uint64_t{0}, last / 2, last}) {
      std::vector<Interval> expected(2);
      std::vector<Interval> found(2);
      using Combine = ranks::CombineBundles<Join>;
      Combine{Join(), {0, 1}, first, last, totals.data(), expected.data()}(0);
      run_teams(1, ranks::CombineByTeam<Join>{
                       Combine{Join(), {0, 1}, first, last, totals.data(), found.data()}});
      EXPECT_EQ(found, expected);
      EXPECT_EQ(found[0], (Interval{0, first + 1}));
      EXPECT_EQ(found[1], (Interval{0, last + 1}));
    }
  }
}

}  // namespace
}  // namespace riffle::test::mpi_team_kernels_test
