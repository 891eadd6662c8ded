#pragma once

// What a mistaken call over ranks is told, beside what riffle/primitives/mistakes.hpp says of all calls.

#include <type_traits>

#include <riffle/mpi/communicator.hpp>
#include <riffle/primitives/mistakes.hpp>

namespace riffle::detail::role {

/// The ranks, which belong behind the instance in every call of riffle::mpi.
struct Comm {
  template <class T, class Exec>
  static constexpr Mistake mistake() {
    constexpr bool is_one = std::is_convertible_v<T const&, riffle::mpi::Communicator const&>;
    return is_one ? Mistake::none : Mistake::of_role;
  }

  template <class Type>
  struct Mistaken {
    static_assert(std::is_same_v<Type, riffle::mpi::Communicator>,
                  "riffle: a riffle::mpi::Communicator belongs second; one is made of an MPI_Comm, "
                  "riffle::mpi::Communicator(comm), and kept for all calls");
  };
};

}  // namespace riffle::detail::role
