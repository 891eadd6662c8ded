#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perf::quality {

/// Unrelated 64-bit numbers: the leading bits of the fractions of pi, e and sqrt(2).
inline std::vector<std::uint64_t> default_seeds() {
  return {0x243F6A8885A308D3u, 0xB7E151628AED2A6Au, 0x6A09E667F3BCC908u};
}

/// The n of the battery: small numbers, powers of two and their neighbours, and 20, the largest n whose permutations have a rank
/// of 64 bits.
inline std::vector<std::uint64_t> default_battery_ns() {
  return {2,  3,   5,   8,   10,  16,   17,   20,   21,    32,
          64, 100, 128, 129, 256, 1000, 1024, 4096, 65536, 1048576};
}

/// The options of the command line. For an empty list, the command has a default.
struct Options {
  enum class Command { battery, rounds, audit };

  Command command = Command::battery;
  std::vector<std::string> generators;
  std::vector<std::uint64_t> ns;
  std::uint64_t samples = 0;  // 0: the default of the command
  std::vector<std::uint64_t> seeds = default_seeds();
  double alpha = 0;
  int rounds = 0;  // for generators with a choice; 0: the default
  bool fewest = false;
  std::string json;
  std::string from;          // a file of permutations, or "-" for standard input
  std::uint64_t points = 0;  // of these permutations
  std::string name;          // of the generator that drew them
  bool in_pairs = false;     // whether only permutations 2 r and 2 r + 1 are compared
};

/// Declares all options; parsing fills in `options`.
void declare(CLI::App& app, Options& options);

}  // namespace perf::quality
