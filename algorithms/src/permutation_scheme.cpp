// Makes the layouts of permutation schemes, and computes their orbits and numbers of arrangements.

#include <riffle/monte_carlo/permutation_scheme.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/monte_carlo/detail/disjoint_sets.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/layout.hpp>
#include <riffle/monte_carlo/detail/permutation_scheme/plan.hpp>
#include <riffle/monte_carlo/detail/random_words.hpp>
#include <riffle/random/integers.hpp>

namespace riffle {
namespace detail {
namespace {

// --- one level of blocks ---
//
// Makes the layouts of schemes with one level of blocks. The caller gives the name of each observation's block.

/// Throws unless n < 2^31: positions are stored in 32 bits, and the bounds of random numbers must be less than 2^31.
std::uint32_t check_observations(char const* function, std::uint64_t n) {
  check(n < std::uint64_t{1} << 31, function, "n = ", n, " observations: must be less than 2^31");
  return static_cast<std::uint32_t>(n);
}

/// Blocks and their members, in the order in which blocks first occur.
struct Blocks {
  std::vector<int> names;
  std::vector<std::vector<std::uint32_t>> members;
  std::vector<std::uint32_t> block;  // block[i]: the index of the block of observation i

  explicit Blocks(std::vector<int> const& block_of) {
    std::unordered_map<int, std::uint32_t> number_of;
    block.reserve(block_of.size());
    for (std::size_t i = 0; i < block_of.size(); ++i) {
      auto const [found, is_new] =
          number_of.emplace(block_of[i], static_cast<std::uint32_t>(names.size()));
      if (is_new) {
        names.push_back(block_of[i]);
        members.emplace_back();
      }
      members[found->second].push_back(static_cast<std::uint32_t>(i));
      block.push_back(found->second);
    }
  }
};

SchemeLayout fixed_layout(std::uint32_t n) {
  SchemeLayout layout;
  layout.n = n;
  return layout;
}

SchemeLayout free_layout(std::uint32_t n) {
  auto layout = fixed_layout(n);
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  layout.add_set(n, all);
  return layout;
}

void add_whole_blocks(char const* function, Blocks const& blocks, SchemeLayout& layout) {
  std::vector<std::uint32_t> positions;
  for (std::size_t b = 0; b < blocks.names.size(); ++b) {
    check(blocks.members[b].size() == blocks.members[0].size(), function, "block ", blocks.names[0],
          " has ", blocks.members[0].size(), " observations and block ", blocks.names[b], " has ",
          blocks.members[b].size(), ": must be equal, as blocks are exchanged as wholes");
    positions.insert(positions.end(), blocks.members[b].begin(), blocks.members[b].end());
  }
  layout.add_set(static_cast<std::uint32_t>(blocks.names.size()), positions);
}

void add_inside_of_blocks(Blocks const& blocks, SchemeLayout& layout) {
  for (auto const& members : blocks.members) {
    layout.add_set(static_cast<std::uint32_t>(members.size()), members);
  }
}

void check_pairs(Blocks const& pairs) {
  for (std::size_t b = 0; b < pairs.names.size(); ++b) {
    check(pairs.members[b].size() == 2, "PermutationScheme::pairs", "pair ", pairs.names[b],
          " has ", pairs.members[b].size(), " observations: must have 2");
  }
}

// --- nested blocks ---
//
// Makes the layout of nested blocks:
//   [1] A. M. Winkler, M. A. Webster, D. Vidaurre, T. E. Nichols, S. M. Smith, "Multi-level block permutation",
//       NeuroImage 123 (2015), doi 10.1016/j.neuroimage.2015.05.092.

/// Traverses the tree of blocks in [1] depth-first from the outermost level, and finds the sets of the layout.
class NestedBlocks {
 public:
  using Levels = std::vector<std::vector<int>>;
  using Positions = std::vector<std::uint32_t>;

  explicit NestedBlocks(Levels const& levels) : levels_(levels), found_(levels.size()) {}

  SchemeLayout layout(std::uint32_t n) {
    Positions all(n);
    for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
    if (!levels_.empty()) add_members(0, all);
    SchemeLayout result;
    result.n = n;
    for (auto const& sets : found_) {
      for (auto const& [count, positions] : sets) result.add_set(count, positions);
    }
    return result;
  }

 private:
  /// The positions in a block, in order, and a number that identifies its structure. Equal structures have equal
  /// numbers.
  struct Contents {
    Positions positions;
    int structure;
  };
  struct Member {
    int name;
    Contents contents;
  };
  static constexpr int observation = 0;

  /// Returns the blocks of one level that the positions belong to, sorted by name.
  std::vector<Member> add_members(std::size_t level, Positions const& positions) {
    std::map<int, Positions> blocks;
    for (auto const i : positions) blocks[std::abs(levels_[level][i])].push_back(i);
    std::vector<Member> members;
    for (auto const& [name, inside] : blocks) {
      members.push_back({name, add_block(level, name, inside)});
    }
    return members;
  }

  Contents add_block(std::size_t level, int name, Positions const& positions) {
    bool const is_permuted = has_positive_sign(level, name, positions);
    auto const members = members_of(level, positions);
    // A single member keeps its place, whatever the sign of the block's name.
    std::vector<int> structure{is_permuted && members.size() > 1};
    Contents contents{{}, 0};
    for (auto const& member : members) {
      if (is_permuted) check_alike(level, name, members[0], member);
      structure.push_back(member.contents.structure);
      auto const& inside = member.contents.positions;
      contents.positions.insert(contents.positions.end(), inside.begin(), inside.end());
    }
    if (is_permuted) {
      found_[level].emplace_back(static_cast<std::uint32_t>(members.size()), contents.positions);
    }
    auto const next = static_cast<int>(structures_.size()) + 1;
    contents.structure = structures_.emplace(std::move(structure), next).first->second;
    return contents;
  }

  /// Returns the members of a block: the blocks of the next level, or for the last level the observations.
  std::vector<Member> members_of(std::size_t level, Positions const& positions) {
    if (level + 1 < levels_.size()) return add_members(level + 1, positions);
    std::vector<Member> members;
    for (auto const i : positions) members.push_back({static_cast<int>(i), {{i}, observation}});
    return members;
  }

  bool has_positive_sign(std::size_t level, int name, Positions const& positions) const {
    bool const is_positive = levels_[level][positions[0]] > 0;
    for (auto const i : positions) {
      check((levels_[level][i] > 0) == is_positive, "PermutationScheme::nested", "level ", level,
            ", block ", name, ": observation ", i,
            " has another sign than those before it: a block must have one sign");
    }
    return is_positive;
  }

  static void check_alike(std::size_t level, int name, Member const& a, Member const& b) {
    check(a.contents.structure == b.contents.structure, "PermutationScheme::nested", "level ",
          level, ", block ", name, ": its members ", a.name, " of ", a.contents.positions.size(),
          " observations and ", b.name, " of ", b.contents.positions.size(),
          " must have the same structure, as they are exchanged as wholes");
  }

  Levels const& levels_;
  std::vector<std::vector<std::pair<std::uint32_t, Positions>>> found_;  // the sets of each level
  std::map<std::vector<int>, int> structures_;
};

void check_levels(std::vector<std::vector<int>> const& levels) {
  std::uint64_t const names = levels.empty() ? 0 : std::uint64_t{levels.size()} * levels[0].size();
  check(names < std::uint64_t{1} << 32, "PermutationScheme::nested", "levels have ", names,
        " names of blocks in all: must be fewer than 2^32");
  for (std::size_t l = 0; l < levels.size(); ++l) {
    check(levels[l].size() == levels[0].size(), "PermutationScheme::nested", "level ", l, " has ",
          levels[l].size(), " observations and level 0 has ", levels[0].size(), ": must be equal");
    for (std::size_t i = 0; i < levels[l].size(); ++i) {
      // -INT32_MIN does not fit in an int.
      check(levels[l][i] != 0 && levels[l][i] != INT32_MIN, "PermutationScheme::nested", "level ",
            l, ", observation ", i, ": block ", levels[l][i], " has no sign that could be changed");
    }
  }
}

// --- orbits ---
//
// The orbit of an observation is the set of all positions to which permutations can move it. No permutation changes a
// column of values that is constant in each orbit.

/// Returns the orbit of each observation. Only swaps of neighbouring units are considered, because they generate all
/// permutations of a set.
std::vector<int> orbits_of(SchemeLayout const& layout) {
  DisjointSets orbits(layout.n);
  for (auto const& set : layout.sets) {
    for (std::uint32_t unit = 1; unit < set.count; ++unit) {
      for (std::uint32_t k = 0; k < set.size; ++k) {
        orbits.unite(layout.position(set, unit - 1, k), layout.position(set, unit, k));
      }
    }
  }
  return orbits.numbers();
}

// --- interchangeable units ---
//
// Two units of a set are interchangeable if permutations inside them can make their types equal, position by position.
// To test this, the units of all inner sets are sorted by their types, from the innermost set outwards. Sorting gives a
// canonical arrangement among all that inner permutations reach, so two units are interchangeable if and only if their
// types are then equal.

/// Stores the type at each position while sets are sorted from the innermost to the outermost.
class SortedTypes {
 public:
  explicit SortedTypes(SchemeLayout const& layout) : layout_(layout), type_(layout.types) {}

  /// Writes the class index of each unit of a set, then sorts the units. Classes are numbered in the order of their
  /// first units.
  void sort_set(UnitSet const& set, std::uint32_t* classes) {
    std::vector<std::uint32_t> order(set.count);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return compare_units(set, a, b) < 0;
    });
    classify(set, order, classes);
    rearrange(set, order);
  }

 private:
  int compare_units(UnitSet const& set, std::uint32_t a, std::uint32_t b) const {
    for (std::uint32_t k = 0; k < set.size; ++k) {
      auto const of_a = type_[layout_.position(set, a, k)];
      auto const of_b = type_[layout_.position(set, b, k)];
      if (of_a != of_b) return of_a < of_b ? -1 : 1;
    }
    return 0;
  }

  void classify(UnitSet const& set, std::vector<std::uint32_t> const& order,
                std::uint32_t* classes) const {
    // Each unit is first labelled with the first unit of its class. This is the first one in `order`, because the sort
    // is stable.
    std::uint32_t like = order[0];
    for (auto const unit : order) {
      if (compare_units(set, like, unit) != 0) like = unit;
      classes[unit] = like;
    }
    std::uint32_t count = 0;
    for (std::uint32_t unit = 0; unit < set.count; ++unit) {
      classes[unit] = classes[unit] == unit ? count++ : classes[classes[unit]];
    }
  }

  void rearrange(UnitSet const& set, std::vector<std::uint32_t> const& order) {
    std::vector<std::uint32_t> sorted;
    for (auto const unit : order) {
      for (std::uint32_t k = 0; k < set.size; ++k) {
        sorted.push_back(type_[layout_.position(set, unit, k)]);
      }
    }
    for (std::uint32_t k = 0; k < sorted.size(); ++k) {
      type_[layout_.positions[set.first + k]] = sorted[k];
    }
  }

  SchemeLayout const& layout_;
  std::vector<std::uint32_t> type_;
};

/// Returns the classes of the units of all sets, one set after the other.
std::vector<std::uint32_t> classes_of_units(SchemeLayout const& layout) {
  std::vector<std::uint32_t> classes(layout.units);
  SortedTypes types(layout);
  for (auto set = layout.sets.rbegin(); set != layout.sets.rend(); ++set) {
    types.sort_set(*set, classes.data() + set->first_unit);
  }
  return classes;
}

// --- sign units ---
//
// A sign unit consists of the observations whose signs change together.

/// Checks that every permutation keeps the observations of each sign unit together. If so, the number of arrangements
/// is (number of distinct permutations) x (number of sign patterns), even if observations of one type are
/// interchangeable. Otherwise this product may be too large, because two different (permutation, sign pattern) pairs
/// may give the same arrangement.
///
/// Only swaps of neighbouring units are checked, because they generate all permutations.
class KeptSignUnits {
 public:
  explicit KeptSignUnits(SchemeLayout const& layout)
      : layout_(layout), size_(layout.sign_units), met_(size_.size()), image_(size_.size(), none) {
    for (auto const unit : layout.sign_unit) ++size_[unit];
  }

  bool are_kept() {
    for (auto const& set : layout_.sets) {
      for (std::uint32_t u = 0; u + 1 < set.count; ++u) {
        if (!are_kept_by_change(set, u, u + 1)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  bool are_kept_by_change(UnitSet const& set, std::uint32_t a, std::uint32_t b) {
    bool kept = true;
    for_each_move(set, a, b, [&](std::uint32_t from, std::uint32_t to) {
      ++met_[from];
      if (image_[from] == none) image_[from] = to;
      kept = kept && image_[from] == to;
    });
    // If only a part of a sign unit moves, it must move within the sign unit, because the other part stays there.
    for_each_move(set, a, b, [&](std::uint32_t from, std::uint32_t to) {
      kept = kept && (met_[from] == size_[from] || from == to);
    });
    for_each_move(set, a, b, [&](std::uint32_t from, std::uint32_t) {
      met_[from] = 0;
      image_[from] = none;
    });
    return kept;
  }

  /// For each observation that moves, calls visit(from, to) with the sign units at its old and its new position.
  template <class Visit>
  void for_each_move(UnitSet const& set, std::uint32_t a, std::uint32_t b,
                     Visit const& visit) const {
    for (std::uint32_t k = 0; k < set.size; ++k) {
      auto const of_a = layout_.sign_unit[layout_.position(set, a, k)];
      auto const of_b = layout_.sign_unit[layout_.position(set, b, k)];
      visit(of_a, of_b);
      visit(of_b, of_a);
    }
  }

  SchemeLayout const& layout_;
  std::vector<std::uint32_t> size_;
  std::vector<std::uint32_t> met_;    // met_[u]: how many observations of sign unit u move
  std::vector<std::uint32_t> image_;  // image_[u]: the sign unit to which they move
};

bool keeps_sign_units(SchemeLayout const& layout) {
  return layout.sign_units == 0 || KeptSignUnits(layout).are_kept();
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  uint128 const product = static_cast<uint128>(a) * b;
  return product < saturated ? static_cast<std::uint64_t>(product) : saturated;
}

/// Returns n! / (n_1! n_2! ...) for classes of sizes n_1, n_2, ... with sum n, or `saturated` if it is not less.
std::uint64_t saturating_multinomial(std::vector<std::uint32_t> const& sizes) {
  uint128 count = 1;
  std::uint32_t n = 0;
  for (auto const size : sizes) {
    // Multiplies by binomial coefficients, from small factors to large ones, so that no partial product exceeds the
    // result.
    std::uint32_t const smaller = std::min(size, n);
    std::uint32_t const larger = size + n - smaller;
    for (std::uint32_t k = 1; k <= smaller; ++k) {
      count = count * (larger + k) / k;
      if (count >= saturated) return saturated;
    }
    n += size;
  }
  return static_cast<std::uint64_t>(count);
}

/// Returns the number of units in each class of a set. If no observations are interchangeable, each unit is a class.
std::vector<std::uint32_t> class_sizes(SchemeLayout const& layout, UnitSet const& set) {
  if (layout.unit_class.empty()) return std::vector<std::uint32_t>(set.count, 1);
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t u = 0; u < set.count; ++u) {
    auto const c = layout.unit_class[set.first_unit + u];
    if (c >= sizes.size()) sizes.resize(c + 1);
    ++sizes[c];
  }
  return sizes;
}

/// Returns the number of arrangements, (number of sign patterns) x (product over all sets of the number of distinct
/// sequences of classes). The factors of different sets can be multiplied because units of different classes can never
/// contain the same types.
std::uint64_t count_arrangements(SchemeLayout const& layout) {
  std::uint64_t count = layout.sign_units < 64 ? std::uint64_t{1} << layout.sign_units : saturated;
  for (auto const& set : layout.sets) {
    if (count == saturated) break;
    count = saturating_product(count, saturating_multinomial(class_sizes(layout, set)));
  }
  return count;
}

/// Returns the lexicographic rank of the observed sequence of classes in a set.
std::uint64_t rank_of_observed(SchemeLayout const& layout, UnitSet const& set,
                               std::vector<std::uint32_t> left, std::uint64_t arrangements) {
  if (layout.unit_class.empty()) return 0;
  std::uint64_t rank = 0;
  for (std::uint32_t u = 0; u < set.count; ++u) {
    auto const own = layout.unit_class[set.first_unit + u];
    for (std::uint32_t c = 0; c < own; ++c) rank += share_of(arrangements, left[c], set.count - u);
    arrangements = share_of(arrangements, left[own], set.count - u);
    --left[own];
  }
  return rank;
}

void add_ranked_set(SchemeLayout const& layout, UnitSet const& set, RankTables& tables) {
  auto const sizes = class_sizes(layout, set);
  auto const arrangements = saturating_multinomial(sizes);
  auto const classes = static_cast<std::uint32_t>(sizes.size());
  tables.sets.push_back({arrangements, rank_of_observed(layout, set, sizes, arrangements),
                         static_cast<std::uint32_t>(tables.class_begins.size()), classes});
  std::vector<std::uint32_t> next;
  std::uint32_t begin = 0;
  for (auto const size : sizes) {
    next.push_back(begin);
    tables.class_begins.push_back(begin);
    begin += size;
  }
  tables.class_begins.push_back(begin);
  for (std::uint32_t u = 0; u < set.count; ++u) {
    auto const c = layout.unit_class.empty() ? u : layout.unit_class[set.first_unit + u];
    tables.units_by_class[set.first_unit + next[c]++] = u;
  }
  if (set.count + classes > tables.scratch) tables.scratch = set.count + classes;
}

}  // namespace

RankTables rank_tables(SchemeLayout const& layout) {
  RankTables tables;
  if (layout.arrangements == saturated) return tables;
  tables.units_by_class.resize(layout.units);
  for (auto const& set : layout.sets) add_ranked_set(layout, set, tables);
  return tables;
}

std::vector<WordDraws> words_of_draws(SchemeLayout const& layout) {
  std::vector<WordDraws> words;
  for (auto const& set : layout.sets) {
    for (std::uint32_t bound = set.count; bound >= 2; --bound) {
      bool const is_full =
          words.empty() || std::uint64_t{words.back().product} * bound > max_product_of_bounds;
      if (is_full) words.push_back({0, 1});
      ++words.back().draws;
      words.back().product *= bound;
    }
  }
  return words;
}

}  // namespace detail

// --- PermutationScheme ---

PermutationScheme PermutationScheme::free(std::uint64_t n) {
  return detail::free_layout(detail::check_observations("PermutationScheme::free", n));
}

PermutationScheme PermutationScheme::within_blocks(std::vector<int> const& block_of) {
  auto layout = fixed("PermutationScheme::within_blocks", block_of.size());
  detail::add_inside_of_blocks(detail::Blocks(block_of), layout);
  return layout;
}

PermutationScheme PermutationScheme::whole_blocks(std::vector<int> const& block_of) {
  char const* const function = "PermutationScheme::whole_blocks";
  auto layout = fixed(function, block_of.size());
  detail::add_whole_blocks(function, detail::Blocks(block_of), layout);
  return layout;
}

PermutationScheme PermutationScheme::within_and_whole_blocks(std::vector<int> const& block_of) {
  char const* const function = "PermutationScheme::within_and_whole_blocks";
  auto layout = fixed(function, block_of.size());
  detail::Blocks const blocks(block_of);
  detail::add_whole_blocks(function, blocks, layout);
  detail::add_inside_of_blocks(blocks, layout);
  return layout;
}

PermutationScheme PermutationScheme::pairs(std::vector<int> const& pair_of) {
  auto layout = fixed("PermutationScheme::pairs", pair_of.size());
  detail::Blocks const pairs(pair_of);
  detail::check_pairs(pairs);
  detail::add_inside_of_blocks(pairs, layout);
  return layout;
}

PermutationScheme PermutationScheme::sign_flips(std::uint64_t n) {
  return PermutationScheme(fixed("PermutationScheme::sign_flips", n)).with_sign_flips();
}

PermutationScheme PermutationScheme::nested(std::vector<std::vector<int>> const& levels) {
  detail::check_levels(levels);
  auto const n = detail::check_observations("PermutationScheme::nested",
                                            levels.empty() ? 0 : levels[0].size());
  return detail::NestedBlocks(levels).layout(n);
}

PermutationScheme PermutationScheme::with_sign_flips() const {
  auto layout = *layout_;
  layout.sign_unit.resize(layout.n);
  std::iota(layout.sign_unit.begin(), layout.sign_unit.end(), 0u);
  layout.sign_units = layout.n;
  return layout;
}

PermutationScheme PermutationScheme::with_block_sign_flips(std::vector<int> const& block_of) const {
  check_size("PermutationScheme::with_block_sign_flips", "block_of", block_of);
  auto layout = *layout_;
  detail::Blocks blocks(block_of);
  layout.sign_unit = std::move(blocks.block);
  layout.sign_units = static_cast<std::uint32_t>(blocks.names.size());
  check_kept_sign_units("PermutationScheme::with_block_sign_flips", layout);
  return layout;
}

PermutationScheme PermutationScheme::with_equal_observations(
    std::vector<int> const& type_of) const {
  check_size("PermutationScheme::with_equal_observations", "type_of", type_of);
  auto layout = *layout_;
  layout.types = detail::Blocks(type_of).block;
  layout.unit_class = detail::classes_of_units(layout);
  check_kept_sign_units("PermutationScheme::with_equal_observations", layout);
  return layout;
}

std::vector<int> PermutationScheme::orbits() const { return detail::orbits_of(*layout_); }

PermutationScheme::PermutationScheme(detail::SchemeLayout layout) {
  layout.arrangements = detail::count_arrangements(layout);
  layout_ = std::make_shared<detail::SchemeLayout const>(std::move(layout));
}

detail::SchemeLayout PermutationScheme::fixed(char const* function, std::uint64_t n) {
  return detail::fixed_layout(detail::check_observations(function, n));
}

void PermutationScheme::check_size(char const* function, char const* name,
                                   std::vector<int> const& values) const {
  detail::check(values.size() == size(), function, name, ".size() = ", values.size(),
                ": must be the number of observations, ", size());
}

void PermutationScheme::check_kept_sign_units(char const* function,
                                              detail::SchemeLayout const& layout) {
  detail::check(layout.types.empty() || detail::keeps_sign_units(layout), function,
                "permutations part observations whose signs change together: must not, where "
                "observations of one type are alike");
}

}  // namespace riffle
