#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <utility>
#include <vector>

namespace example {

inline std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

/// From Kokkos::initialize to Kokkos::finalize. Kokkos takes arguments as main has them: the program's name first, all of them mutable.
class KokkosScope {
 public:
  KokkosScope(std::string const& program, std::vector<std::string> arguments)
      : arguments_(std::move(arguments)) {
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
  std::vector<std::string> arguments_;
  std::vector<char*> argv_;
};

}  // namespace example
