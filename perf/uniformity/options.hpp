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

/// The n of the battery: small ones, powers of two and their neighbours, and 20, the last whose
/// permutations have a rank of 64 bits.
inline std::vector<std::uint64_t> default_battery_ns() {
  return {2,  3,   5,   8,   10,  16,   17,   20,   21,    32,
          64, 100, 128, 129, 256, 1000, 1024, 4096, 65536, 1048576};
}

/// What the command line asks for. Where a list is empty, the command has one of its own.
struct Options {
  enum class Command { battery, rounds };

  Command command = Command::battery;
  std::vector<std::string> generators;
  std::vector<std::uint64_t> ns;
  std::uint64_t samples = 0;  // 0: the command's own number
  std::vector<std::uint64_t> seeds = default_seeds();
  double alpha = 0;
  int rounds = 0;  // of generators that have a choice; 0: their usual ones
  bool fewest = false;
  std::string json;
};

/// Declares all options; `options` is filled in when the app parses.
void declare(CLI::App& app, Options& options);

}  // namespace perf::quality
