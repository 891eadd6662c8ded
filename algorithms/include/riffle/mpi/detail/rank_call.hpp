#pragma once

#include <cstdint>
#include <type_traits>
#include <typeinfo>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/errors.hpp>
#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/agree.hpp>
#include <riffle/mpi/detail/exchange.hpp>
#include <riffle/order.hpp>
#include <riffle/primitives/mistakes.hpp>
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
  void agree(WorkOfRank const& work) const {
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

// --- types ---
//
// Numbers of types, by which ranks that pass other ones are told apart.

/// A number of a type, which differs between integers and floating-point numbers of one size.
template <class Key>
constexpr std::uint64_t kind_of_key() {
  if constexpr (!std::is_arithmetic_v<Key>) return 0;
  if constexpr (std::is_floating_point_v<Key>) return 3;
  return std::is_signed_v<Key> ? 1 : 2;
}

/// A number that types differ by.
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

// --- diagnostics ---
//
// What a mistaken call over ranks is told, beside what riffle/primitives/mistakes.hpp says of all calls.

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
