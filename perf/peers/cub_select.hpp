#pragma once

// Only with CUDA: CUB's compaction and run lengths, with temporary storage allocated in advance, and Thrust's, which allocates in
// every call and returns the number to the host.

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include <cstdint>

#include "peers/cub_temporary.hpp"
#include "support/select_problem.hpp"

namespace perf {

/// A row: see select.cpp.
template <class Algorithm>
class CubRow {
 public:
  explicit CubRow(SelectProblem const& data)
      : data_(data), temporary_(data.exec, [&](void* storage, std::size_t& bytes) {
          return Algorithm::run(storage, bytes, data_);
        }) {}

  void operator()() {
    temporary_.run(
        [&](void* storage, std::size_t& bytes) { return Algorithm::run(storage, bytes, data_); });
  }

 private:
  SelectProblem data_;
  CubTemporary temporary_;
};

struct CubSelectIf {
  static cudaError_t run(void* storage, std::size_t& bytes, SelectProblem const& data) {
    return cub::DeviceSelect::If(storage, bytes, data.in.data(), data.out.data(), data.count.data(),
                                 static_cast<std::int32_t>(data.in.extent(0)), data.is_kept,
                                 data.exec.cuda_stream());
  }
};

struct CubUnique {
  static cudaError_t run(void* storage, std::size_t& bytes, SelectProblem const& data) {
    return cub::DeviceSelect::Unique(
        storage, bytes, data.in.data(), data.out.data(), data.count.data(),
        static_cast<std::int32_t>(data.in.extent(0)), data.exec.cuda_stream());
  }
};

struct CubEncode {
  static cudaError_t run(void* storage, std::size_t& bytes, SelectProblem const& data) {
    return cub::DeviceRunLengthEncode::Encode(
        storage, bytes, data.in.data(), data.out.data(), data.lengths.data(), data.count.data(),
        static_cast<std::int32_t>(data.in.extent(0)), data.exec.cuda_stream());
  }
};

struct CubCopyIf : CubRow<CubSelectIf> {
  static constexpr char const* name = "CubCopyIf";
  using CubRow::CubRow;
};

struct CubUniqueCopy : CubRow<CubUnique> {
  static constexpr char const* name = "CubUniqueCopy";
  using CubRow::CubRow;
};

struct CubRunLengthEncode : CubRow<CubEncode> {
  static constexpr char const* name = "CubRunLengthEncode";
  static constexpr bool writes_lengths = true;
  using CubRow::CubRow;
};

/// A row: see select.cpp.
struct ThrustCopyIf {
  static constexpr char const* name = "ThrustCopyIf";

  explicit ThrustCopyIf(SelectProblem const& data_) : data(data_) {}

  void operator()() {
    auto* const end =
        thrust::copy_if(thrust::cuda::par.on(data.exec.cuda_stream()), data.in.data(),
                        data.in.data() + data.in.extent(0), data.out.data(), data.is_kept);
    Kokkos::deep_copy(data.exec, data.count, end - data.out.data());
  }

  SelectProblem data;
};

}  // namespace perf
