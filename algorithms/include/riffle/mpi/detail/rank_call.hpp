#pragma once

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/way.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>

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
    mpi::agree(comm, function, work, {}, way_of<Exec>(comm));
  }

  /// Throws where a View, or one of a pack that the caller calls by this name, is on another device than the instance: a
  /// kernel that reads it might end the process, and leave the other ranks waiting.
  template <class Rows>
  void check_device(char const* name, Rows const& rows) const {
    int const own = backend::device_id(context.exec());
    for_each_view(rows, [&](auto const& view) {
      if (view.size() == 0) return;
      int const device = backend::device_of_memory(context.exec(), view.data());
      if (device == own) return;
      check(false, function, name_of(name, view), " is on device ", device, ", exec on device ",
            own, ": must be the same");
    });
  }
};

}  // namespace riffle::detail::mpi
