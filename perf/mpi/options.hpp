#pragma once

// The options of perf_mpi, in addition to the options of Google Benchmark and Kokkos.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/mpi/communicator.hpp>

#include "support/exec.hpp"

namespace perf {

struct Options {
  std::string transport = "automatic";  ///< or direct, staged, nccl
  std::vector<std::int64_t> sizes;      ///< numbers of elements per rank
  std::int64_t iterations = runs_on_host ? 5 : 20;
};

/// Removes "--name=value" or "--name value" from the arguments; the last one counts.
inline std::optional<std::string> take_option(int& argc, char** argv, std::string const& name) {
  std::optional<std::string> value;
  int kept = 1;
  for (int a = 1; a < argc; ++a) {
    std::string const argument = argv[a];
    if (argument == name && a + 1 < argc) {
      value = argv[++a];
    } else if (argument.starts_with(name + "=")) {
      value = argument.substr(name.size() + 1);
    } else {
      argv[kept++] = argv[a];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  return value;
}

/// An integer from min to max; the text must have nothing else.
inline std::int64_t number_in(std::string const& name, std::string const& text, std::int64_t min,
                              std::int64_t max) {
  std::istringstream stream(text);
  std::int64_t number = 0;
  if (stream >> number && stream.eof() && min <= number && number <= max) return number;
  throw std::invalid_argument("perf_mpi: " + name + " takes integers from " + std::to_string(min) +
                              " to " + std::to_string(max) + ", not '" + text + "'");
}

/// Throws std::invalid_argument if a value is invalid.
inline Options take_options(int& argc, char** argv) {
  Options options;
  auto const log2_n = take_option(argc, argv, "--log2-n").value_or(runs_on_host ? "22" : "27");
  std::istringstream exponents(log2_n);
  for (std::string exponent; std::getline(exponents, exponent, ',');) {
    options.sizes.push_back(std::int64_t{1} << number_in("--log2-n", exponent, 8, 40));
  }
  if (auto const iterations = take_option(argc, argv, "--iterations")) {
    options.iterations = number_in("--iterations", *iterations, 1, 1000000);
  }
  if (auto const transport = take_option(argc, argv, "--transport")) options.transport = *transport;
  return options;
}

/// Throws std::invalid_argument if no transport has that name.
inline riffle::mpi::Transport transport_of(std::string const& name) {
  using riffle::mpi::Transport;
  if (name == "automatic") return Transport::automatic;
  if (name == "direct") return Transport::direct;
  if (name == "staged") return Transport::staged;
  if (name == "nccl") return Transport::nccl;
  throw std::invalid_argument(
      "perf_mpi: --transport takes automatic, direct, staged or nccl, not '" + name + "'");
}

}  // namespace perf
