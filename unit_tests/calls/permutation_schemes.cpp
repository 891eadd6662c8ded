// Permutation schemes, in Views and in files.

#include <Kokkos_Core.hpp>
#include <riffle/context.hpp>
#include <riffle/monte_carlo/permutation_files.hpp>
#include <riffle/monte_carlo/permutation_scheme.hpp>
#include <riffle/monte_carlo/permutation_scheme_views.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::permutation_schemes_cases {
namespace {

/// 0, 0, ..., 1, 1, ...
std::vector<int> blocks_of(std::uint64_t n, std::uint64_t size) {
  std::vector<int> blocks(n);
  for (std::uint64_t i = 0; i < n; ++i) blocks[i] = static_cast<int>(i / size);
  return blocks;
}

std::vector<int> plus_one(std::vector<int> values) {
  for (int& value : values) ++value;
  return values;
}

struct FreeScheme {
  static PermutationScheme of(std::uint64_t n) {
    return PermutationScheme::free(n).with_sign_flips();
  }
};
struct BlockScheme {
  static PermutationScheme of(std::uint64_t n) {
    return PermutationScheme::within_blocks(blocks_of(n, 7)).with_block_sign_flips(blocks_of(n, 7));
  }
};
/// A nested scheme of 2 k observations, with k a multiple of 3.
struct NestedScheme {
  static PermutationScheme of(std::uint64_t n) {
    return PermutationScheme::nested(
        {std::vector<int>(n, 1), plus_one(blocks_of(n, 6)), plus_one(blocks_of(n, 2))});
  }
};

template <class Kind>
struct FillArrangements {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    PermutationScheme const scheme = Kind::of(n);
    auto const permutations = make_output<Exec, std::int32_t>(100, n);
    auto const signs = make_output<Exec, double>(100, n);
    fill_arrangements(exec, scheme, 23, 1000, permutations, signs);
    results.add("permutations", permutations);
    results.add("signs", signs);
    auto const words = make_output<Exec, std::uint64_t>(30, n);
    fill_permutations(Context(exec, "fill"), scheme, 24, 0, words);
    results.add("permutations alone", words);
    auto const bytes = make_output<Exec, std::int8_t>(30, n);
    fill_signs(Context(exec, "fill"), scheme, 24, 0, bytes);
    results.add("signs alone", bytes);
  }
};

/// Some of the 7! arrangements, and of several million arrangements of two samples.
struct EnumerateArrangements {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    std::vector<int> types(n);
    for (std::uint64_t i = 0; i < n; ++i)
      types[i] = n > 7 ? static_cast<int>(i % 2) : static_cast<int>(i);
    auto const scheme = PermutationScheme::free(n)
                            .with_block_sign_flips(std::vector<int>(n, 1))
                            .with_equal_observations(types);
    std::uint64_t const first = scheme.arrangements() / 3;
    std::uint64_t const rows =
        scheme.arrangements() - first < 500 ? scheme.arrangements() - first : 500;
    auto const permutations = make_output<Exec, std::int32_t>(rows, n);
    auto const signs = make_output<Exec, std::int8_t>(rows, n);
    enumerate_arrangements(exec, scheme, first, permutations, signs);
    results.add("permutations", permutations);
    results.add("signs", signs);
    enumerate_permutations(Context(exec, "enumerate"), scheme, 0, permutations);
    results.add("first permutations", permutations);
    enumerate_signs(Context(exec, "enumerate"), scheme, 0, signs);
    results.add("first signs", signs);
  }
};

/// Files are read and written on the host only.
struct PermutationFiles {
  template <class Exec>
  void operator()(Exec const&, std::uint64_t n, Results& results) const {
    Host const host;
    auto const permutations = make_output<Host, std::int32_t>(20, n);
    auto const signs = make_output<Host, std::int8_t>(20, n);
    fill_arrangements(host, PermutationScheme::free(n).with_sign_flips(), 1, 0, permutations,
                      signs);
    host.fence();
    auto const file = std::filesystem::temp_directory_path() /
                      ("riffle_calls_of_permutation_files_" + std::to_string(n) + ".txt");
    write_permutations(file, permutations);
    results.add("permutations", read_permutations(file));
    write_signs(file, signs);
    results.add("signs", read_signs(file));
    std::filesystem::remove(file);
  }
};

Cases const cases{
    make_case<FillArrangements<FreeScheme>>("fill_arrangements_free",
                                            {0, 1, 2, 38, 65, 1000, 5000}),
    make_case<FillArrangements<BlockScheme>>("fill_arrangements_in_blocks", {7, 38, 1000}),
    make_case<FillArrangements<NestedScheme>>("fill_arrangements_nested", {6, 36, 1200}),
    make_case<EnumerateArrangements>("enumerate_arrangements", {0, 1, 7, 24, 60}),
    make_case<PermutationFiles>("permutation_files", {1, 38, 300}),
};

}  // namespace
}  // namespace riffle::test::calls::permutation_schemes_cases
