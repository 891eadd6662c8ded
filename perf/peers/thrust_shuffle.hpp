#pragma once

// Only with CUDA: Thrust's shuffle, which is the bijective shuffle of the paper. It allocates temporary storage in every call.

#include <thrust/execution_policy.h>
#include <thrust/random.h>
#include <thrust/shuffle.h>

#include <cstdint>

#include "support/check_shuffle.hpp"

namespace perf {

/// A row: see shuffle.cpp.
class ThrustShuffleCopy {
 public:
  static constexpr char const* name = "ThrustShuffleCopy";
  static constexpr std::uint64_t scratch_bytes_per_item = 0;

  ThrustShuffleCopy(Exec const& exec, std::uint64_t) : exec_(exec) {}

  void operator()(Keys const& in, Keys const& out) const {
    thrust::default_random_engine generator(1);
    thrust::shuffle_copy(thrust::cuda::par_nosync.on(exec_.cuda_stream()), in.data(),
                         in.data() + in.extent(0), out.data(), generator);
  }

 private:
  Exec exec_;
};

}  // namespace perf
