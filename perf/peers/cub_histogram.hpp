#pragma once

// Only with CUDA: CUB's histogram in even bins, with temporary storage allocated in advance.

#include <cub/device/device_histogram.cuh>

#include <cstddef>
#include <cstdint>

#include "peers/cub_temporary.hpp"
#include "support/histogram_problem.hpp"

namespace perf {

/// A row: see histogram.cpp.
template <class T>
class CubHistogram {
 public:
  static constexpr char const* name = "CubHistogram";

  explicit CubHistogram(HistogramProblem<T> const& data)
      : data_(data), temporary_(data.exec, [&](void* storage, std::size_t& bytes) {
          return run(storage, bytes);
        }) {}

  void operator()() {
    temporary_.run([&](void* storage, std::size_t& bytes) { return run(storage, bytes); });
  }

 private:
  cudaError_t run(void* storage, std::size_t& bytes) const {
    auto const bins = static_cast<int>(data_.bins());
    return cub::DeviceHistogram::HistogramEven(
        storage, bytes, data_.in.data(), data_.counts.data(), bins + 1, T{0}, static_cast<T>(bins),
        static_cast<std::int32_t>(data_.in.extent(0)), data_.exec.cuda_stream());
  }

  HistogramProblem<T> data_;
  CubTemporary temporary_;
};

}  // namespace perf
