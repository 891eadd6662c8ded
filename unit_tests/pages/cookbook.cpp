// Calls every function of docs/cookbook.md, and compares the results with loops on the host.

#include "cookbook.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, char const* recipe) {
  if (holds) return;
  std::printf("docs/cookbook.md: wrong result: %s\n", recipe);
  ++failures;
}

template <class T>
Kokkos::View<T*> view_of(std::vector<T> const& values) {
  Kokkos::View<T*> view("data", values.size());
  auto const host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(view, host);
  return view;
}

template <class T>
std::vector<T> values_of(Kokkos::View<T*> const& view) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.extent(0)};
}

template <class T>
std::vector<T> first_values_of(Kokkos::View<T*> const& view, std::size_t count) {
  auto values = values_of(view);
  values.resize(std::min(count, values.size()));
  return values;
}

int value_of(Kokkos::View<int> const& view) {
  int value = -1;
  Kokkos::deep_copy(value, view);
  return value;
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<int> iota(int n) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::vector<double> doubles(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i * 37 % 101) - 40;
  return values;
}

bool is_shuffle_of(std::vector<int> const& shuffled, std::vector<int> const& values) {
  return shuffled != values && sorted(shuffled) == sorted(values);
}

/// n particles with ids 0, ..., n - 1, and positions (id, id + 0.25, id + 0.5).
Particles particles_of(int n) {
  auto const size = static_cast<std::size_t>(n);
  Particles const particles{view_of(iota(n)), Kokkos::View<double* [3]>("position", size)};
  auto const host = Kokkos::create_mirror_view(particles.position);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t d = 0; d < 3; ++d)
      host(i, d) = static_cast<double>(i) + 0.25 * static_cast<double>(d);
  }
  Kokkos::deep_copy(particles.position, host);
  return particles;
}

/// The ids of the particles, or an empty vector if a position does not belong to its id.
std::vector<int> ids_of(Particles const& particles) {
  auto const ids = values_of(particles.id);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), particles.position);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      if (host(i, d) != ids[i] + 0.25 * static_cast<double>(d)) return {};
    }
  }
  return ids;
}

void test_particles(Exec const& exec) {
  int const n = 1000, cells = 7;
  auto const in = particles_of(n), out = particles_of(n);
  std::vector<int> cell, expected, offsets{0};
  std::vector<double> totals;
  for (int i = 0; i < n; ++i) cell.push_back(i * i % cells);
  for (int c = 0; c < cells; ++c) {
    totals.push_back(0);
    for (int i = 0; i < n; ++i) {
      if (cell[static_cast<std::size_t>(i)] != c) continue;
      expected.push_back(i);
      totals.back() += i;
    }
    offsets.push_back(static_cast<int>(expected.size()));
  }
  Kokkos::View<int*> const first("offsets", offsets.size());
  group_by_cell(exec, in, view_of(cell), out, first);
  expect(ids_of(out) == expected && values_of(first) == offsets, "particles by cell");

  Kokkos::View<double*> const total("total", totals.size());
  sum_in_cells(exec, out.position, first, total);
  expect(values_of(total) == totals, "sums in cells");

  auto const keys = view_of(std::vector<std::uint64_t>(cell.begin(), cell.end()));
  sort_along_curve(exec, keys, in);
  expect(ids_of(in) == expected, "particles along a curve");

  auto const border =
      std::stable_partition(expected.begin(), expected.end(), [](int id) { return id < 300; });
  expect(split_particles(exec, in, 300) == 300 && border - expected.begin() == 300 &&
             ids_of(in) == expected,
         "particles that leave");
}

void test_particles_in_a_time_loop(Exec const& exec) {
  int const n = 1000, side = 2;
  auto const particles = particles_of(n);
  // Every fifth particle is outside.
  auto const host = Kokkos::create_mirror_view(particles.position);
  std::vector<int> cell;
  for (int i = 0; i < n; ++i) {
    bool const is_outside = i % 5 == 0;
    cell.push_back(is_outside ? side * side * side : i * i % 8);
    auto const coordinate = [&](int bit) { return (cell.back() >> bit & 1) * 0.5 + 0.25; };
    auto const row = static_cast<std::size_t>(i);
    for (std::size_t d = 0; d < 3; ++d) host(row, d) = coordinate(2 - static_cast<int>(d));
    if (is_outside) host(row, 1) = i % 2 == 0 ? -0.25 : 1.0;
  }
  Kokkos::deep_copy(particles.position, host);
  auto expected = iota(n);
  std::stable_sort(expected.begin(), expected.end(), [&](int a, int b) {
    return cell[static_cast<std::size_t>(a)] < cell[static_cast<std::size_t>(b)];
  });
  riffle::Workspace<Exec> workspace(exec);
  Kokkos::View<int*> const offsets("offsets", side * side * side + 1);
  sort_particles(exec, workspace, particles, side, offsets);
  expect(values_of(particles.id) == expected && values_of(offsets).back() == n - n / 5,
         "particles in a time loop");
}

void test_strided_orders(Exec const& exec) {
  int const n = 1000, cells = 20, most = 100;
  for (int const cells_per_tile : {cells, 6}) {
    auto const particles = particles_of(n);
    std::vector<int> cell, rank, ranks_of(cells);
    for (int i = 0; i < n; ++i) {
      cell.push_back(i * i % cells);
      rank.push_back(ranks_of[static_cast<std::size_t>(cell.back())]++);
    }
    auto expected = iota(n);
    std::sort(expected.begin(), expected.end(), [&](int a, int b) {
      auto const key = [&](int i) {
        auto const own = static_cast<std::size_t>(i);
        return std::vector<int>{cell[own] / cells_per_tile, std::min(rank[own], most - 1),
                                cell[own], i};
      };
      return key(a) < key(b);
    });
    int const tile_count = (cells + cells_per_tile - 1) / cells_per_tile;
    Kokkos::View<int*> const offsets("offsets", cells + 1), tiles("tiles", tile_count * most + 1);
    sort_in_tiles(exec, particles, view_of(cell), offsets, cells_per_tile, most, tiles);
    expect(ids_of(particles) == expected && values_of(tiles).back() == n,
           "strided and tiled orders");
  }
}

void test_shuffles(Exec const& exec) {
  int const n = 1000;
  auto const particles = particles_of(n);
  auto const ids = iota(n);
  auto const mass = view_of(std::vector<double>(ids.begin(), ids.end()));
  Kokkos::View<double*> const out("out", mass.extent(0));
  Kokkos::View<int*> const order("order", mass.extent(0));
  shuffle_by_indices(exec, mass, order, out, 42);
  shuffle_together(exec, particles, mass, 42);
  auto const shuffled = ids_of(particles);
  expect(is_shuffle_of(shuffled, ids), "shuffle of a pack");
  expect(values_of(mass) == std::vector<double>(shuffled.begin(), shuffled.end()) &&
             values_of(out) == values_of(mass) && values_of(order) == shuffled,
         "one permutation for many Views");
}

void test_compaction(Exec const& exec, int n) {
  auto const values = doubles(n);
  Kokkos::View<double*> const out("out", values.size());
  Kokkos::View<int> const count("count");
  keep_positive(exec, view_of(values), out, count);
  std::vector<double> kept;
  for (double const x : values) {
    if (x > 0) kept.push_back(x);
  }
  expect(
      value_of(count) == static_cast<int>(kept.size()) && first_values_of(out, kept.size()) == kept,
      "compaction");
  int const heavy = n / 2;
  Kokkos::View<double*[3]> const position("position", values.size()),
      kept_position("kept", values.size());
  Kokkos::View<float*> const mass("mass", values.size()), kept_mass("kept", values.size());
  Kokkos::parallel_for(
      Kokkos::RangePolicy(exec, 0, n), KOKKOS_LAMBDA(int i) {
        position(i, 2) = i;
        mass(i) = i < heavy ? 2.0f : 0.5f;
      });
  keep_heavy(exec, position, mass, kept_position, kept_mass, count);
  expect(value_of(count) == heavy, "compaction of several Views");
}

void test_runs(Exec const& exec, int n) {
  std::vector<int> data, values, lengths;
  for (int i = 0; i < n; ++i) data.push_back((i / 7 + i / 11) / 2);
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (i == 0 || data[i] != data[i - 1]) {
      values.push_back(data[i]);
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  auto const in = view_of(data);
  Kokkos::View<int*> const out("out", data.size()), found("lengths", data.size());
  Kokkos::View<int> const count("count");
  unique_values(exec, in, out, count);
  expect(value_of(count) == static_cast<int>(values.size()) &&
             first_values_of(out, values.size()) == values,
         "unique values");
  Kokkos::deep_copy(out, -1);
  run_lengths(exec, in, out, found, count);
  expect(value_of(count) == static_cast<int>(values.size()) &&
             first_values_of(out, values.size()) == values &&
             first_values_of(found, values.size()) == lengths,
         "run lengths");
}

void test_segments(Exec const& exec) {
  int const n = 10000;
  auto const values = doubles(n);
  std::vector<double> expected;
  std::vector<int> offsets, keys;
  for (std::size_t i = 0; i < values.size(); ++i) {
    bool const is_head = i % 1000 == 3 || i % 7000 == 0;
    if (is_head) offsets.push_back(static_cast<int>(i));
    keys.push_back(static_cast<int>(offsets.size() % 2));
    expected.push_back(is_head ? values[i] : expected.back() + values[i]);
  }
  offsets.push_back(n);
  Kokkos::View<double*> const sums("sums", values.size());
  segmented_scan(exec, view_of(offsets), view_of(values), sums);
  expect(values_of(sums) == expected, "segmented scan");
  Kokkos::deep_copy(sums, 0);
  scan_by_key(exec, view_of(keys), view_of(values), sums);
  expect(values_of(sums) == expected, "scan by key");

  Kokkos::View<double**> const matrix("matrix", 70, 33), scanned("scanned", 70, 33);
  auto const in = Kokkos::create_mirror_view(matrix);
  for (std::size_t i = 0; i < in.extent(0); ++i) {
    for (std::size_t j = 0; j < in.extent(1); ++j) in(i, j) = values[33 * i + j];
  }
  Kokkos::deep_copy(matrix, in);
  scan_rows(exec, matrix, scanned);
  auto const out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), scanned);
  bool is_right = true;
  for (std::size_t i = 0; i < in.extent(0); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < in.extent(1); ++j)
      is_right = is_right && out(i, j) == (sum += in(i, j));
  }
  expect(is_right, "scan along rows");
}

void test_exclusive_scans(Exec const& exec) {
  int const n = 10000;
  std::vector<int> counts, offsets;
  std::vector<double> factors, expected{2.5};
  auto const summands = doubles(n);
  for (int i = 0; i < n; ++i) {
    counts.push_back(i * i % 11);
    offsets.push_back(i == 0 ? 0 : offsets.back() + counts[static_cast<std::size_t>(i) - 1]);
    factors.push_back(i % 3 - 1);  // all values are whole numbers or halves, and exact
    if (i + 1 < n)
      expected.push_back(factors.back() * expected.back() + summands[static_cast<std::size_t>(i)]);
  }
  Kokkos::View<int*> const found("offsets", counts.size());
  offsets_from_counts(exec, view_of(counts), found);
  expect(values_of(found) == offsets, "offsets from counts");
  Kokkos::View<std::size_t*> const wide("wide", counts.size());
  wide_offsets_from_counts(exec, view_of(counts), wide);
  expect(values_of(wide) == std::vector<std::size_t>(offsets.begin(), offsets.end()),
         "offsets of 64 bits");

  Kokkos::View<double*> const x("x", expected.size());
  linear_recurrence(exec, view_of(factors), view_of(summands), 2.5, x);
  expect(values_of(x) == expected, "linear recurrence");
}

void test_histograms(Exec const& exec) {
  int const n = 10000;
  std::vector<int> labels, expected(7), of_speeds(5);
  Kokkos::View<float* [3]> const velocity("velocity", n);
  auto const host = Kokkos::create_mirror_view(velocity);
  for (int i = 0; i < n; ++i) {
    labels.push_back(i * i % 7);
    ++expected[static_cast<std::size_t>(labels.back())];
    host(i, i % 3) = static_cast<float>(i % 6);  // 5 is the upper bound
    ++of_speeds[static_cast<std::size_t>(std::min(i % 6, 4))];
  }
  Kokkos::deep_copy(velocity, host);
  Kokkos::View<int*> const counts("counts", 7), in_bins("in bins", 5);
  count_labels(exec, view_of(labels), counts);
  count_speeds(exec, velocity, 5, in_bins);
  expect(values_of(counts) == expected && values_of(in_bins) == of_speeds, "histograms");
}

void test_sorted_segments(Exec const& exec) {
  auto const values = doubles(10'000);
  std::vector<int> const offsets{0, 0, 1, 4, 2000, 9000, 10'000};
  std::vector<double> expected = values;
  std::vector<std::vector<int>> largest(offsets.size() - 1);
  for (std::size_t s = 0; s < largest.size(); ++s) {
    std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1]);
    for (int i = offsets[s]; i < offsets[s + 1]; ++i) largest[s].push_back(i);
    std::stable_sort(largest[s].begin(), largest[s].end(), [&](int i, int j) {
      return values[static_cast<std::size_t>(i)] > values[static_cast<std::size_t>(j)];
    });
    largest[s].resize(5, -1);
  }
  Kokkos::View<int*> const order("order", values.size());
  Kokkos::View<int**> const found("largest", largest.size(), 5);
  auto const x = view_of(values);
  largest_of_each_segment(exec, x, view_of(offsets), order, found);
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  bool are_largest = true;
  for (std::size_t s = 0; s < largest.size(); ++s) {
    for (std::size_t k = 0; k < 5; ++k) are_largest = are_largest && host(s, k) == largest[s][k];
  }
  expect(are_largest, "largest values of each segment");
  sort_each_segment(exec, x, view_of(offsets));
  expect(values_of(x) == expected, "sorted segments");

  Kokkos::View<double**, Kokkos::LayoutRight> const rows("rows", 40, 250);
  Kokkos::View<double*> const all(rows.data(), rows.size());
  Kokkos::deep_copy(all, view_of(values));
  expected = values;
  for (auto row = expected.begin(); row != expected.end(); row += 250) std::sort(row, row + 250);
  sort_each_row(exec, rows);
  expect(values_of(all) == expected, "sorted rows");
}

void test_sums_by_key(Exec const& exec) {
  auto const values = doubles(5000);
  std::vector<int> keys, distinct;
  std::vector<double> expected;
  std::map<int, double> sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    keys.push_back(static_cast<int>(i * i % 97) - 5);
    sums[keys.back()] += values[i];
  }
  for (auto const& [key, sum] : sums) {
    distinct.push_back(key);
    expected.push_back(sum);
  }
  Kokkos::View<int*> const found("distinct", values.size());
  Kokkos::View<double*> const out("sums", values.size());
  Kokkos::View<int> const count("count");
  sum_by_key(exec, view_of(keys), view_of(values), found, out, count);
  expect(value_of(count) == static_cast<int>(distinct.size()) &&
             first_values_of(found, distinct.size()) == distinct &&
             first_values_of(out, distinct.size()) == expected,
         "sums by key");
}

void test_ranks(Exec const& exec) {
  std::vector<double> const data{3, 1, NAN, 3, 2};
  Kokkos::View<double*> const average("average", 5), without_nans("without NaNs", 5);
  Kokkos::View<int*> const minimum("minimum", 5);
  ranks(exec, view_of(data), average, minimum, without_nans);
  auto const omitted = values_of(without_nans);
  expect(values_of(average) == std::vector<double>{3.5, 1, 5, 3.5, 2} &&
             values_of(minimum) == std::vector<int>{3, 1, 5, 3, 2} && omitted[0] == 3.5 &&
             omitted[1] == 1 && std::isnan(omitted[2]) && omitted[3] == 3.5 && omitted[4] == 2,
         "ranks as in SciPy");

  Kokkos::View<double**> const rows("rows", 2, 3), of_rows("ranks", 2, 3);
  auto const in = Kokkos::create_mirror_view(rows);
  double const numbers[2][3] = {{2, 9, 2}, {30, 20, 10}},
               expected[2][3] = {{1.5, 3, 1.5}, {3, 2, 1}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) in(i, j) = numbers[i][j];
  }
  Kokkos::deep_copy(rows, in);
  ranks_of_rows(exec, rows, of_rows);
  auto const out = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), of_rows);
  bool is_right = true;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) is_right = is_right && out(i, j) == expected[i][j];
  }
  expect(is_right, "ranks of rows");
}

/// Whether each count among `draws` is within six standard deviations of its expectation.
bool are_counts(std::vector<int> const& draws, std::vector<double> const& probability) {
  std::vector<int> counts(probability.size());
  for (int const draw : draws) {
    if (draw < 0 || draw >= static_cast<int>(counts.size())) return false;
    ++counts[static_cast<std::size_t>(draw)];
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    double const p = probability[i], n = static_cast<double>(draws.size());
    if (std::abs(counts[i] - n * p) > 6 * std::sqrt(n * p * (1 - p))) return false;
  }
  return true;
}

void test_samples(Exec const& exec) {
  Kokkos::View<int*> const index("index", 20001), other("other", 20001);
  resample(exec, 10, index, 1, 0);
  resample(exec, 10, other, 1, 1);
  std::vector<double> const tenth(10, 0.1);
  expect(are_counts(values_of(index), tenth) && are_counts(values_of(other), tenth) &&
             values_of(index) != values_of(other),
         "bootstrap indices");

  std::vector<double> const weights{1, 0, 3, 4, 2};
  std::vector<double> probability;
  for (double const w : weights) probability.push_back(w / 10);
  Kokkos::View<double*> const cumulative("cumulative", 5);
  draw_again(exec, view_of(weights), cumulative, index, 1);
  expect(are_counts(values_of(index), probability), "weighted sample with replacement");

  // The first element has the probabilities of the weights, and each element occurs once.
  std::vector<int> firsts;
  bool are_orders = true;
  Kokkos::View<int*> const order("order", 4);
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    draw(exec, view_of(weights), order, seed);
    auto const elements = values_of(order);
    firsts.push_back(elements[0]);
    are_orders = are_orders && sorted(elements) == std::vector<int>{0, 2, 3, 4};
  }
  expect(are_orders && are_counts(firsts, probability), "weighted sample without replacement");

  Kokkos::View<float*> const score("score", 3);
  Kokkos::View<int*> const best_index("best", 3), drawn("drawn", 3);
  best(exec, view_of(std::vector<float>{2, 7, 1, 7, 5}), score, best_index);
  expect(values_of(score) == std::vector<float>{7, 7, 5} &&
             values_of(best_index) == std::vector<int>{1, 3, 4},
         "the largest keys");
  draw_from_each(exec, view_of(std::vector<int>{0, 4, 4, 5}), view_of(std::vector<int>{2, 0, 1}),
                 drawn, 1);
  auto const from_each = values_of(drawn);
  expect(from_each[0] != from_each[1] && from_each[0] < 4 && from_each[1] < 4 && from_each[2] == 4,
         "samples of segments");

  auto const x = view_of(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  shuffle_strata(exec, x, view_of(std::vector<int>{0, 5, 5, 9}), 2, 1);
  Kokkos::View<float**, Kokkos::LayoutRight> const matrix("matrix", 1, 9);
  auto const row = Kokkos::create_mirror_view(matrix);
  for (int i = 0; i < 9; ++i) row(0, i) = static_cast<float>(i + 1);
  Kokkos::deep_copy(matrix, row);
  shuffle_within_rows(exec, matrix, 2);
  Kokkos::deep_copy(row, matrix);
  auto shuffled = values_of(x);
  std::vector<float> in_row(row.data(), row.data() + 9);
  expect(shuffled != std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}, "segments are shuffled");
  std::sort(shuffled.begin(), shuffled.begin() + 5);
  std::sort(shuffled.begin() + 5, shuffled.end());
  std::sort(in_row.begin(), in_row.end());
  expect(shuffled == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9} &&
             in_row == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9},
         "shuffles of segments and rows");
}

void test_strata_and_sets(Exec const& exec) {
  int const n = 300, strata = 3;
  std::vector<int> stratum;
  std::vector<double> data;
  for (int i = 0; i < n; ++i) {
    stratum.push_back(i % strata);
    data.push_back(i);
  }
  Kokkos::View<double*> const mixed("mixed", data.size()), out("out", data.size());
  Kokkos::View<int*> const mixed_stratum("mixed stratum", data.size()), offsets("offsets", 4);
  stratified_shuffle(exec, view_of(data), view_of(stratum), mixed, mixed_stratum, out, offsets, 7);
  auto const shuffled = values_of(out);
  bool is_right = values_of(offsets) == std::vector<int>{0, 100, 200, 300};
  for (int s = 0; s < strata; ++s) {
    std::vector<double> const part(shuffled.begin() + 100 * s, shuffled.begin() + 100 * (s + 1));
    std::vector<double> members;
    for (int i = s; i < n; i += strata) members.push_back(i);
    is_right = is_right && part != members && sorted(part) == members;
  }
  expect(is_right, "stratified shuffle");

  Rows const rows("rows", data.size(), 2), shuffled_rows("shuffled rows", data.size(), 2);
  auto const labels = view_of(iota(n));
  Kokkos::View<int*> const shuffled_labels("shuffled labels", data.size());
  Kokkos::parallel_for(
      "rows", Kokkos::RangePolicy(exec, 0, n),
      KOKKOS_LAMBDA(int i) { rows(i, 0) = rows(i, 1) = static_cast<float>(i); });
  split(exec, rows, labels, shuffled_rows, shuffled_labels, 2026);
  auto const moved = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), shuffled_rows);
  auto const found = values_of(shuffled_labels);
  is_right = is_shuffle_of(found, iota(n));
  for (std::size_t i = 0; i < found.size(); ++i)
    is_right = is_right && moved(i, 1) == static_cast<float>(found[i]);
  expect(is_right, "training and test sets");
  Kokkos::View<bool*> const is_test("is test", data.size());
  mark_tests(exec, 60, is_test, 2026);
  auto const marks = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), is_test);
  is_right = true;
  for (std::size_t k = 0; k < found.size(); ++k)
    is_right = is_right && marks(static_cast<std::size_t>(found[k])) == (k < 60);
  expect(is_right, "marks of the test set");
}

void test_kernels(Exec const& exec) {
  Kokkos::View<int*> const first("first", 10000);
  visit_neighbours(exec, first, 3);
  expect(are_counts(values_of(first), std::vector<double>(4, 0.25)), "visit of neighbours");

  auto const ids = iota(100);
  auto const data = view_of(std::vector<double>(ids.begin(), ids.end()));
  shuffle_segments(exec, view_of(std::vector<int>{0, 50, 50, 100}), data, 3);
  auto const all = values_of(data);
  std::vector<int> const left(all.begin(), all.begin() + 50), right(all.begin() + 50, all.end());
  expect(is_shuffle_of(left, {ids.begin(), ids.begin() + 50}) &&
             is_shuffle_of(right, {ids.begin() + 50, ids.end()}),
         "shuffle of segments");

  auto const by_teams = view_of(std::vector<double>(ids.begin(), ids.end()));
  shuffle_long_segments(exec, view_of(std::vector<int>{0, 50, 50, 100}), by_teams, 50, 3);
  expect(values_of(by_teams) == values_of(data), "shuffle of segments by teams");

  auto const electrons = view_of(doubles(100)), ions = view_of(doubles(100)),
             again = view_of(doubles(100));
  shuffle_species(exec, electrons, ions, 1, 2);
  riffle::shuffle(exec, again, 1, 5);
  expect(sorted(values_of(electrons)) == sorted(doubles(100)) &&
             values_of(electrons) != values_of(ions) && values_of(ions) == values_of(again) &&
             values_of(ions) != doubles(100),
         "streams of species");

  auto const cell = view_of(std::vector<int>(100, 1));
  Kokkos::View<int*> const particles_in("particles in", 2), turn("turn", 100), other("other", 100);
  visit_in_random_order(exec, cell, particles_in, turn, 5, 0);
  visit_in_random_order(exec, cell, particles_in, other, 5, 1);
  expect(values_of(particles_in) == std::vector<int>{0, 200} &&
             is_shuffle_of(values_of(turn), ids) && is_shuffle_of(values_of(other), ids) &&
             values_of(turn) != values_of(other),
         "visits in random order");
}

void test_plans_and_memory(Exec const& exec) {
  int const n = 1000, steps = 3;
  std::vector<int> destination;
  std::vector<double> expected = doubles(n);
  for (int i = 0; i < n; ++i) {
    destination.push_back(i * 7 % n);
    expected[static_cast<std::size_t>(i)] += steps * destination.back();
  }
  auto const x = view_of(doubles(n));
  Kokkos::View<double*> const y("y", expected.size());
  work_in_other_order(exec, view_of(destination), x, y, steps);
  expect(values_of(x) == expected, "plans");

  auto const a = view_of(doubles(n)), b = view_of(doubles(500));
  sort_two(a, b);
  expect(values_of(a) == sorted(doubles(n)) && values_of(b) == sorted(doubles(500)),
         "two instances");

  auto const mixed = view_of(doubles(n));
  expect(mix_and_sort(exec, mixed, steps) > 0 && values_of(mixed) == sorted(doubles(n)),
         "workspaces");
}

#if defined(RIFFLE_PAGES_HAVE_MPI)
void test_mpi(Exec const& exec) {
  riffle::mpi::Communicator const comm(MPI_COMM_WORLD);
  std::uint64_t const n = 1001;
  auto const mine = my_block(exec, comm, n);
  auto const block = values_of(mine);
  shuffle_and_sort(exec, comm, mine, 42);
  auto const first = riffle::mpi::block_of(n, comm.rank(), comm.size()).first;
  bool is_right = !block.empty() && values_of(mine) == block;
  for (std::size_t i = 0; i < block.size(); ++i) is_right = is_right && block[i] == first + i;
  expect(is_right, "MPI");
}
#endif

void test_all() {
  Exec const exec;
  test_particles(exec);
  test_particles_in_a_time_loop(exec);
  test_strided_orders(exec);
  test_shuffles(exec);
  for (int const n : {0, 1, 10000}) {
    test_compaction(exec, n);
    test_runs(exec, n);
  }
  test_segments(exec);
  test_exclusive_scans(exec);
  test_histograms(exec);
  test_sorted_segments(exec);
  test_sums_by_key(exec);
  test_ranks(exec);
  test_samples(exec);
  test_strata_and_sets(exec);
  test_kernels(exec);
  test_plans_and_memory(exec);
#if defined(RIFFLE_PAGES_HAVE_MPI)
  test_mpi(exec);
#endif
}

}  // namespace

int main(int argc, char** argv) {
#if defined(RIFFLE_PAGES_HAVE_MPI)
  MPI_Init(&argc, &argv);
#endif
  {
    Kokkos::ScopeGuard guard(argc, argv);
    test_all();
  }
#if defined(RIFFLE_PAGES_HAVE_MPI)
  MPI_Finalize();
#endif
  return failures == 0 ? 0 : 1;
}
