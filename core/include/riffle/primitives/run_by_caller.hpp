#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>

namespace riffle::detail {

/// Has the calling thread do the work of a kernel that would have ended anyway when its launch returns, so that no
/// threads need to meet. Kokkos Tools are told of it as of a kernel.
template <class Exec, class Work>
void run_by_caller(Context<Exec> const& context, Work const& work) {
  if constexpr (backend::is_synchronous<Exec>) {
    bool const is_watched = Kokkos::Tools::profileLibraryLoaded();
    std::uint64_t id = 0;
    if (is_watched) {
      Kokkos::Tools::beginParallelFor(context.label(),
                                      Kokkos::Tools::Experimental::device_id(context.exec()), &id);
    }
    work.run();
    if (is_watched) Kokkos::Tools::endParallelFor(id);
  } else {
    context.for_each(1, work);
  }
}

}  // namespace riffle::detail
