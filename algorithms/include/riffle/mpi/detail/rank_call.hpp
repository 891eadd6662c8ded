#pragma once

#include <cstdint>
#include <type_traits>
#include <typeinfo>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/redistribution.hpp>
#include <riffle/mpi/detail/run_collectively.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/call_diagnostics.hpp>
#include <riffle/primitives/row_sets.hpp>
#include <riffle/primitives/views.hpp>

namespace riffle::detail::mpi {

/// A collective call, as seen by one rank.
template <class Exec>
struct RankCall {
  char const* function;
  Context<Exec> const& context;
  riffle::mpi::Communicator const& comm;

  /// Does work that may fail on this rank only, such as allocating memory. If the work fails on any
  /// rank, all ranks throw.
  void run_collectively(RankWork const& work) const {
    mpi::run_collectively(comm, function, work, {}, data_path_of<Exec>(comm));
  }

  /// Throws if `rows`, a View or a pack, has a View that is on another device than the instance.
  /// `name` is the name of the argument. Without this check, a kernel that reads the View could end
  /// the process, and the other ranks would wait forever.
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

// --- numbers that identify types, to detect that ranks pass different types ---

/// Returns a number that differs between integers and floating-point numbers of the same size.
template <class Key>
constexpr std::uint64_t kind_of_key() {
  if constexpr (!std::is_arithmetic_v<Key>) return 0;
  if constexpr (std::is_floating_point_v<Key>) return 3;
  return std::is_signed_v<Key> ? 1 : 2;
}

/// Returns a number that differs between types.
template <class T>
std::uint64_t number_of_type() {
  return number_of(typeid(T).name());
}

template <class Order>
constexpr std::uint64_t kind_of_order() {
  return std::is_same_v<Order, Ascending> ? 0 : std::is_same_v<Order, Descending> ? 1 : 2;
}

}  // namespace riffle::detail::mpi

namespace riffle::detail::role {

// --- diagnostics: messages of the compiler about wrong calls, in addition to
// riffle/primitives/call_diagnostics.hpp ---

/// The communicator, which every call of riffle::mpi takes after the instance.
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
