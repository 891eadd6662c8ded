#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "input_error.hpp"
#include "program_options.hpp"
#include "text.hpp"

namespace example {

inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

/// One thread reads this number of values in about 10 ms.
constexpr double numbers_for_one_thread = 1e7;

/// Initializes Kokkos, and finalizes it in the destructor. Kokkos takes arguments as main does: the program's name first, all
/// of them mutable. Throws InputError if the requested device does not exist.
///
/// If the user chose neither a number of threads nor a binding: work that reads few numbers runs on one thread, because several
/// threads would wait for each other at every barrier while other programs use the cores. Other work uses OpenMP's default,
/// threads that are not bound; OMP_PROC_BIND is set so that Kokkos does not warn about it.
class KokkosScope {
 public:
  KokkosScope(std::string const& program, std::vector<std::string> arguments,
              double numbers_read = std::numeric_limits<double>::infinity())
      : arguments_(std::move(arguments)) {
    check_device();
    if (!user_chose_threads() && numbers_read <= numbers_for_one_thread) {
      arguments_.emplace_back("--kokkos-num-threads=1");
    }
    limit_threads();
    setenv("OMP_PROC_BIND", "false", /*overwrite=*/0);
    arguments_.insert(arguments_.begin(), program);
    for (auto& argument : arguments_) argv_.push_back(argument.data());
    argv_.push_back(nullptr);
    int argc = static_cast<int>(arguments_.size());
    Kokkos::initialize(argc, argv_.data());
  }
  ~KokkosScope() { Kokkos::finalize(); }
  KokkosScope(KokkosScope const&) = delete;
  KokkosScope& operator=(KokkosScope const&) = delete;

 private:
  bool user_chose_threads() const {
    constexpr char const* variables[] = {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS", "OMP_PROC_BIND"};
    return std::any_of(std::begin(variables), std::end(variables),
                       [](char const* name) { return std::getenv(name) != nullptr; }) ||
           std::any_of(arguments_.begin(), arguments_.end(), [](std::string const& argument) {
             return argument.rfind("--kokkos-num-threads", 0) == 0;
           });
  }
  // The value of a Kokkos option or, if it is not given, of the environment variable.
  std::string value_of(std::string const& option, char const* variable) const {
    std::string value;
    if (char const* const text = std::getenv(variable)) value = text;
    for (auto const& argument : arguments_) {
      if (argument.rfind(option + "=", 0) == 0) value = argument.substr(option.size() + 1);
    }
    return value;
  }
  // Kokkos would abort the program for a device that does not exist.
  void check_device() const {
    auto const id = to_unsigned(value_of("--kokkos-device-id", "KOKKOS_DEVICE_ID"));
    int const devices = Kokkos::num_devices();  // -1 without a back end for GPUs
    if (id && devices >= 0 && *id >= static_cast<std::uint64_t>(devices)) {
      throw InputError("--kokkos-device-id " + std::to_string(*id) + ": the number of devices is " +
                       std::to_string(devices) + ", and they are numbered from 0");
    }
  }
  // A machine may have more hardware threads than Kokkos supports.
  void limit_threads() {
    if (std::getenv("OMP_NUM_THREADS") == nullptr &&
        value_of("--kokkos-num-threads", "KOKKOS_NUM_THREADS").empty() &&
        std::thread::hardware_concurrency() > max_threads) {
      arguments_.push_back("--kokkos-num-threads=" + std::to_string(max_threads));
    }
  }

  std::vector<std::string> arguments_;
  std::vector<char*> argv_;
};

}  // namespace example
