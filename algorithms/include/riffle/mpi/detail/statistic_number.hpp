#pragma once

#include <cstdint>
#include <typeinfo>

#include <riffle/mpi/detail/agree.hpp>

namespace riffle::detail::mpi {

/// A number of a statistic's type, by which ranks that ask for different ones are told apart.
template <class Statistic>
std::uint64_t statistic_number() {
  return number_of(typeid(Statistic).name());
}

}  // namespace riffle::detail::mpi
