#pragma once

// Numbers of types, by which ranks that pass other ones are told apart.

#include <cstdint>
#include <type_traits>
#include <typeinfo>

#include <riffle/mpi/detail/agree.hpp>
#include <riffle/order.hpp>

namespace riffle::detail::mpi {

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
