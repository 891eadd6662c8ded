#pragma once

#include <riffle/context.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>

namespace riffle::detail::mpi {

/// A call on one of the ranks.
template <class Exec>
struct RankCall {
  char const* function;
  Context<Exec> const& context;
  riffle::mpi::Communicator const& comm;

  /// Does what may fail on this rank alone, such as taking memory: then all throw.
  template <class Work>
  void agree(Work const& work) const {
    mpi::agree(comm, function, work);
  }
};

}  // namespace riffle::detail::mpi
