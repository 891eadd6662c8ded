#pragma once

// Calls in which an allocation of one rank fails; all ranks must throw.

#include <mpi.h>

#include <Kokkos_Core.hpp>

#include <riffle/mpi.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mpi/faulty_ranks.hpp"
#include "mpi/partitioned_data.hpp"
#include "support/thrown_message.hpp"

namespace riffle::test {

/// During its lifetime the k-th of Riffle's allocations throws; none for k = 0.
class FailingAllocation {
 public:
  explicit FailingAllocation(int k) {
    left_ = k;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const* label, void const*, std::uint64_t) {
          // Kokkos does not recover from failures of its own allocations.
          bool const is_own = std::string_view(label).starts_with("riffle::");
          if (is_own && --left_ == 0) throw std::bad_alloc();
        });
  }
  ~FailingAllocation() { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }
  FailingAllocation(FailingAllocation const&) = delete;
  FailingAllocation& operator=(FailingAllocation const&) = delete;

 private:
  static inline int left_ = 0;
};

/// Lets each allocation of each rank fail in turn, in a call on `count` keys of each rank. Expects that the call throws on all
/// ranks and has written nothing. `changes_keys` says whether a successful call changes the keys.
template <class Call>
void expect_all_or_nothing(std::uint64_t count, Call const& call, bool changes_keys = true) {
  mpi::Communicator const comm(MPI_COMM_WORLD);
  auto const value = [&](std::uint64_t i) { return static_cast<int>(i * 40503 % 65537); };
  for (int faulty_rank = 0; faulty_rank < comm.size(); ++faulty_rank) {
    int failures = 0;
    for (int k = 1, has_failed = 1; has_failed != 0; ++k) {
      Array<int> const keys("keys", count);
      Array<double> const values("values", count);
      for (std::uint64_t i = 0; i < count; ++i) keys(i) = value(i);
      std::string text;
      {
        FailingAllocation const failing(comm.rank() == faulty_rank ? k : 0);
        text = thrown_message<std::runtime_error>([&] { call(comm, keys, values); });
      }
      has_failed = text == "nothing was thrown" ? 0 : 1;
      failures += has_failed;
      auto const expected = "std::bad_alloc (found on rank " + std::to_string(faulty_rank) + ")";
      if (has_failed != 0) {
        EXPECT_EQ(text, expected);
      }
      std::uint64_t changed = 0;
      for (std::uint64_t i = 0; i < count; ++i) changed += keys(i) != value(i);
      EXPECT_EQ(changed == 0, has_failed != 0 || !changes_keys) << "allocation " << k;
      for (auto const& of_rank : of_all_ranks(text, MPI_COMM_WORLD)) {
        EXPECT_EQ(of_rank.find(text), 0u) << of_rank << "\nis not\n" << text;
      }
    }
    // A single rank calls the algorithm of one device, which may not allocate.
    EXPECT_TRUE(failures > 0 || comm.size() == 1);
  }
}

}  // namespace riffle::test
