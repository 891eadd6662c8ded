#pragma once

// Only with CUDA.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

#include "support/exec.hpp"

namespace perf {

inline void check_cuda(cudaError_t status, char const* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// The temporary storage of a CUB algorithm, whose size CUB returns from a first call without storage.
class CubTemporary {
 public:
  /// algorithm(storage, bytes) calls CUB.
  template <class Algorithm>
  CubTemporary(Exec const& exec, Algorithm const& algorithm) {
    check_cuda(algorithm(nullptr, bytes_), "CUB's query of its temporary storage");
    storage_ = allocate<std::byte>(exec, "perf::cub_temporary", bytes_);
  }

  template <class Algorithm>
  void run(Algorithm const& algorithm) {
    check_cuda(algorithm(storage_.data(), bytes_), "CUB");
  }

 private:
  std::size_t bytes_ = 0;
  Kokkos::View<std::byte*, Exec> storage_;
};

}  // namespace perf
