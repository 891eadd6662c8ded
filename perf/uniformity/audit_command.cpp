#include <Kokkos_Core.hpp>

#include <bit>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/uniformity/uniformity_battery.hpp>

#include "support/exec.hpp"
#include "uniformity/commands.hpp"
#include "uniformity/table.hpp"

namespace perf::quality {
namespace {

static_assert(std::endian::native == std::endian::little);

using Words = std::vector<std::uint32_t>;
using riffle::uniformity::BatteryResult;

/// Permutation r is row r of an array.
struct StoredSampler {
  Kokkos::View<std::uint32_t const*, Exec> words;

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::uint64_t n, std::uint64_t r, Row const& row) const {
    for (std::uint64_t i = 0; i < n; ++i) row[i] = words(r * n + i);
  }
};

/// Reads to the end. Throws std::runtime_error unless there are whole permutations, and at least two.
Words read_words(std::istream& in, std::string const& name, std::uint64_t n) {
  constexpr std::size_t chunk = std::size_t{1} << 22;
  Words words;
  std::uint64_t bytes = 0;
  while (in) {
    words.resize(bytes / sizeof(std::uint32_t) + chunk);
    in.read(reinterpret_cast<char*>(words.data()) + bytes,
            static_cast<std::streamsize>(chunk * sizeof(std::uint32_t)));
    bytes += static_cast<std::uint64_t>(in.gcount());
  }
  std::uint64_t const size = n * sizeof(std::uint32_t);
  if (bytes % size != 0 || bytes < 2 * size) {
    throw std::runtime_error(name + " has " + std::to_string(bytes) +
                             " bytes; two or more permutations of " + std::to_string(n) +
                             " points have a multiple of " + std::to_string(size) + " bytes");
  }
  words.resize(bytes / sizeof(std::uint32_t));
  return words;
}

Words read_words(Options const& options) {
  if (options.from == "-") return read_words(std::cin, "standard input", options.points);
  std::ifstream in(options.from, std::ios::binary);
  if (!in) throw std::runtime_error(options.from + " cannot be read");
  return read_words(in, options.from, options.points);
}

BatteryResult test(Options const& options, Words const& words) {
  using namespace riffle::detail::uniformity;
  Kokkos::View<std::uint32_t const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> const host(
      words.data(), words.size());
  StoredSampler const sampler{Kokkos::create_mirror_view_and_copy(Exec(), host)};
  Draws const draws{options.points, words.size() / options.points};
  riffle::Context const context(Exec(), "perf::audit");
  auto const results_with = [&](auto const& plans) {
    return with_adjusted_p_values(results_of(context, sampler, draws, {}, plans));
  };
  return options.in_pairs ? results_with(avalanche_plans(draws.n, draws.samples))
                          : results_with(battery_plans(draws.n, draws.samples));
}

void print(BatteryResult const& battery, double alpha) {
  Table const table(
      std::cout,
      {{"test", 46}, {"statistic", 12, true}, {"p", 9, true}, {"adjusted", 9, true}, {"", 6}});
  for (auto const& [result, adjusted] : battery.rows) {
    table.print({result.test, rounded(result.statistic, 6), rounded(result.p_value),
                 rounded(adjusted), adjusted > alpha ? "passes" : "FAILS"});
  }
}

Json row_as_json(BatteryResult::Row const& row) {
  Json json = result_as_json(row.result);
  json["adjusted_p_value"] = row.adjusted_p_value;
  return json;
}

Json as_json(Options const& options, std::uint64_t samples, BatteryResult const& battery) {
  Json json{{"generator", options.name}, {"n", options.points}, {"samples", samples}};
  json["passes"] = battery.passes(options.alpha);
  json["worst"] = row_as_json(battery.worst());
  for (auto const& row : battery.rows) json["rows"].push_back(row_as_json(row));
  return json;
}

}  // namespace

int run_audit(Options const& options, Json const& context) {
  Words const words = read_words(options);
  auto const battery = test(options, words);
  std::uint64_t const samples = words.size() / options.points;
  std::cout << options.name << (options.name.empty() ? "" : ": ") << samples << " permutations of "
            << options.points << " points\n";
  print(battery, options.alpha);
  write_json(options.json, {{"context", context},
                            {"alpha", options.alpha},
                            {"battery", Json::array({as_json(options, samples, battery)})}});
  return battery.passes(options.alpha) ? 0 : 1;
}

}  // namespace perf::quality
