#pragma once

// The group of permutations that a permutation scheme allows, by brute force: all products of generators that a test
// lists, and all choices of signs.

#include <riffle/monte_carlo/permutation_scheme.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace riffle::test {

using Places = std::vector<int>;

/// Two lists of places: the observation at first[k] and the one at second[k] are swapped, for each k.
using PlaceSwap = std::pair<Places, Places>;

struct SchemeCase {
  std::string name;
  PermutationScheme scheme;
  int n;
  /// The generators of the group.
  std::vector<PlaceSwap> swaps;
  std::vector<int> sign_unit = {};  // empty: no sign changes
  std::vector<int> types = {};      // the type of each observation; empty: no two are equal
};

inline std::set<Places> group_of(int n, std::vector<PlaceSwap> const& swaps) {
  Places identity(static_cast<std::size_t>(n));
  std::iota(identity.begin(), identity.end(), 0);
  std::set<Places> group{identity};
  std::vector<Places> todo{identity};
  while (!todo.empty()) {
    Places const last = todo.back();
    todo.pop_back();
    for (auto const& [a, b] : swaps) {
      Places next = last;
      for (std::size_t k = 0; k < a.size(); ++k) {
        std::swap(next[static_cast<std::size_t>(a[k])], next[static_cast<std::size_t>(b[k])]);
      }
      if (group.insert(next).second) todo.push_back(next);
    }
  }
  return group;
}

/// The values that observations of each type get, sorted, for the data 1, 2, ..., n. A statistic that treats observations of
/// one type alike depends on nothing else.
using Arrangement = std::map<int, std::vector<int>>;

inline Arrangement arrangement_of(SchemeCase const& of, Places const& permutation,
                                  std::vector<int> const& signs) {
  Arrangement given;
  for (int i = 0; i < of.n; ++i) {
    auto const place = static_cast<std::size_t>(i);
    int const type = of.types.empty() ? i : of.types[place];
    given[type].push_back(signs[place] * (permutation[place] + 1));
  }
  for (auto& [type, values] : given) std::sort(values.begin(), values.end());
  return given;
}

/// The signs of the observations: unit u is negative if bit u of `choice` is set.
inline std::vector<int> signs_of_choice(SchemeCase const& of, unsigned choice) {
  std::vector<int> signs(static_cast<std::size_t>(of.n), 1);
  for (std::size_t i = 0; i < of.sign_unit.size(); ++i) {
    if ((choice >> of.sign_unit[i] & 1) != 0) signs[i] = -1;
  }
  return signs;
}

inline int sign_units(SchemeCase const& of) {
  return of.sign_unit.empty() ? 0 : *std::max_element(of.sign_unit.begin(), of.sign_unit.end()) + 1;
}

inline std::set<Arrangement> all_arrangements(SchemeCase const& of) {
  std::set<Arrangement> all;
  for (auto const& permutation : group_of(of.n, of.swaps)) {
    for (unsigned choice = 0; choice < 1u << sign_units(of); ++choice) {
      all.insert(arrangement_of(of, permutation, signs_of_choice(of, choice)));
    }
  }
  return all;
}

inline std::vector<PlaceSwap> all_swaps_of(std::vector<int> const& places) {
  std::vector<PlaceSwap> swaps;
  for (int const a : places) {
    for (int const b : places) swaps.push_back({{a}, {b}});
  }
  return swaps;
}

inline std::vector<PlaceSwap> operator+(std::vector<PlaceSwap> a, std::vector<PlaceSwap> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Two families of two pairs of twins. The members of a pair, the pairs of a family, and the families can be swapped.
inline PermutationScheme scheme_of_twins() {
  return PermutationScheme::nested(
      {{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 2, 2, 2, 2}, {1, 1, 2, 2, 3, 3, 4, 4}});
}
inline std::vector<PlaceSwap> swaps_of_twins() {
  return {{{0, 1, 2, 3}, {4, 5, 6, 7}},
          {{0, 1}, {2, 3}},
          {{4, 5}, {6, 7}},
          {{0}, {1}},
          {{2}, {3}},
          {{4}, {5}},
          {{6}, {7}}};
}

/// The type of observation i is bit i of `code`.
inline SchemeCase twins_of_types(int code) {
  std::vector<int> types;
  for (int i = 0; i < 8; ++i) types.push_back(code >> i & 1);
  return {"twins_of_types_" + std::to_string(code),
          scheme_of_twins().with_equal_observations(types),
          8,
          swaps_of_twins(),
          {},
          types};
}

/// Small permutation schemes of every kind.
inline std::vector<SchemeCase> scheme_cases() {
  std::vector<int> const litters{7, -2, 7, 7, -2, 5};
  auto const of_litters = all_swaps_of({0, 2, 3}) + all_swaps_of({1, 4});
  std::vector<int> const blocks{3, 1, 3, 1, 0, 0};
  std::vector<PlaceSwap> const wholes{{{0, 2}, {1, 3}}, {{1, 3}, {4, 5}}};
  auto const inside = all_swaps_of({0, 2}) + all_swaps_of({1, 3}) + all_swaps_of({4, 5});
  auto const of_twins = swaps_of_twins();
  // Pairs cannot be swapped within a family; the members of one pair in each family can.
  std::vector<std::vector<int>> const mixed{
      {1, 1, 1, 1, 1, 1, 1, 1}, {-4, -4, -4, -4, -9, -9, -9, -9}, {8, 8, -6, -6, -1, -1, 2, 2}};
  std::vector<PlaceSwap> const of_mixed{{{2, 3, 0, 1}, {4, 5, 6, 7}}, {{0}, {1}}, {{6}, {7}}};
  std::vector<SchemeCase> cases{
      {"nothing", PermutationScheme::free(0), 0, {}},
      {"one", PermutationScheme::free(1), 1, {}},
      {"free", PermutationScheme::free(5), 5, all_swaps_of({0, 1, 2, 3, 4})},
      {"free_of_two_samples",
       PermutationScheme::free(6).with_equal_observations({4, 9, 4, 4, 9, 4}),
       6,
       all_swaps_of({0, 1, 2, 3, 4, 5}),
       {},
       {4, 9, 4, 4, 9, 4}},
      {"free_all_alike",
       PermutationScheme::free(5).with_equal_observations({1, 1, 1, 1, 1}),
       5,
       all_swaps_of({0, 1, 2, 3, 4}),
       {},
       {1, 1, 1, 1, 1}},
      {"free_with_signs",
       PermutationScheme::free(4).with_sign_flips(),
       4,
       all_swaps_of({0, 1, 2, 3}),
       {0, 1, 2, 3}},
      {"free_with_signs_of_two_samples",
       PermutationScheme::free(4).with_sign_flips().with_equal_observations({0, 1, 1, 0}),
       4,
       all_swaps_of({0, 1, 2, 3}),
       {0, 1, 2, 3},
       {0, 1, 1, 0}},
      {"free_with_signs_of_blocks",
       PermutationScheme::free(4).with_block_sign_flips({6, 5, 5, 6}),
       4,
       all_swaps_of({0, 1, 2, 3}),
       {0, 1, 1, 0}},
      {"signs", PermutationScheme::sign_flips(5), 5, {}, {0, 1, 2, 3, 4}},
      {"signs_of_one_sample",
       PermutationScheme::sign_flips(3).with_equal_observations({1, 1, 1}),
       3,
       {},
       {0, 1, 2},
       {1, 1, 1}},
      {"within", PermutationScheme::within_blocks(litters), 6, of_litters},
      {"within_of_types",
       PermutationScheme::within_blocks(litters).with_equal_observations({0, 1, 1, 0, 1, 0}),
       6,
       of_litters,
       {},
       {0, 1, 1, 0, 1, 0}},
      {"within_with_signs_of_blocks",
       PermutationScheme::within_blocks(litters)
           .with_equal_observations({0, 1, 1, 0, 0, 0})
           .with_block_sign_flips(litters),
       6,
       of_litters,
       {0, 1, 0, 0, 1, 2},
       {0, 1, 1, 0, 0, 0}},
      {"whole", PermutationScheme::whole_blocks(blocks), 6, wholes},
      {"whole_of_types",
       PermutationScheme::whole_blocks(blocks).with_equal_observations({0, 0, 1, 1, 1, 0}),
       6,
       wholes,
       {},
       {0, 0, 1, 1, 1, 0}},
      {"whole_with_signs_of_blocks",
       PermutationScheme::whole_blocks(blocks)
           .with_block_sign_flips(blocks)
           .with_equal_observations({0, 0, 1, 1, 1, 0}),
       6,
       wholes,
       {0, 1, 0, 1, 2, 2},
       {0, 0, 1, 1, 1, 0}},
      {"within_and_whole", PermutationScheme::within_and_whole_blocks(blocks), 6, wholes + inside},
      {"within_and_whole_of_types",
       PermutationScheme::within_and_whole_blocks(blocks).with_equal_observations(
           {0, 1, 1, 0, 1, 1}),
       6,
       wholes + inside,
       {},
       {0, 1, 1, 0, 1, 1}},
      {"pairs",
       PermutationScheme::pairs({1, 2, 1, 3, 3, 2}),
       6,
       {{{0}, {2}}, {{1}, {5}}, {{3}, {4}}}},
      {"pairs_alike",
       PermutationScheme::pairs({1, 2, 1, 3, 3, 2}).with_equal_observations({0, 1, 0, 1, 0, 2}),
       6,
       {{{0}, {2}}, {{1}, {5}}, {{3}, {4}}},
       {},
       {0, 1, 0, 1, 0, 2}},
      {"nested", scheme_of_twins(), 8, of_twins},
      {"nested_of_types",
       scheme_of_twins().with_equal_observations({0, 1, 0, 0, 0, 0, 1, 0}),
       8,
       of_twins,
       {},
       {0, 1, 0, 0, 0, 0, 1, 0}},
      {"nested_of_three_types",
       scheme_of_twins().with_equal_observations({0, 1, 2, 1, 2, 1, 0, 0}),
       8,
       of_twins,
       {},
       {0, 1, 2, 1, 2, 1, 0, 0}},
      {"nested_with_signs_of_twins",
       scheme_of_twins()
           .with_block_sign_flips({0, 0, 1, 1, 2, 2, 3, 3})
           .with_equal_observations({0, 1, 0, 0, 0, 0, 1, 0}),
       8,
       of_twins,
       {0, 0, 1, 1, 2, 2, 3, 3},
       {0, 1, 0, 0, 0, 0, 1, 0}},
      {"nested_mixed", PermutationScheme::nested(mixed), 8, of_mixed},
      {"nested_mixed_of_types",
       PermutationScheme::nested(mixed).with_equal_observations({0, 1, 1, 1, 1, 1, 1, 0}),
       8,
       of_mixed,
       {},
       {0, 1, 1, 1, 1, 1, 1, 0}},
  };
  return cases;
}

}  // namespace riffle::test
