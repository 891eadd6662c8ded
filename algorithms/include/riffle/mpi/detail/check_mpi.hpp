#pragma once

#include <mpi.h>

#include <cstddef>
#include <stdexcept>
#include <string>

#include <riffle/errors.hpp>

namespace riffle::detail::mpi {

/// Throws std::runtime_error with MPI's own words where a call of MPI has failed.
inline void check_mpi(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw std::runtime_error(concatenate("riffle::mpi: ", call, ": ",
                                       std::string(text, static_cast<std::size_t>(length))));
}

}  // namespace riffle::detail::mpi
