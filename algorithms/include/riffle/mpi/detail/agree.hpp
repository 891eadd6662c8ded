#pragma once

// What one rank finds wrong, all ranks throw.
//
// `comm` is a Communicator here, or what it is made of: its get(), rank() and size() are asked for.

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/errors.hpp>

namespace riffle::detail::mpi {

// --- errors of MPI ---

/// Throws std::runtime_error with MPI's own words where a call of MPI has failed.
inline void check_mpi(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw std::runtime_error(concatenate("riffle::mpi: ", call, ": ",
                                       std::string(text, static_cast<std::size_t>(length))));
}

// --- agreement ---

/// A number that all ranks must pass alike, by its name in the call.
struct Alike {
  char const* name;
  std::uint64_t value;
};

/// How data of a rank's memory go to others, where a call sends any.
enum class Way : std::uint64_t { none, direct, staged, nccl };

inline char const* words_of(Way way) {
  switch (way) {
    case Way::direct: return "from where they are";
    case Way::staged: return "through host memory";
    case Way::nccl: return "by NCCL";
    default: return "nowhere";
  }
}

/// What is wrong on this rank, if anything.
struct Failure {
  enum Kind : std::uint64_t { none, of_the_run, of_an_argument };
  Kind kind = none;
  std::string text;
};

/// What a rank does by itself: a reference to a function object, so that what follows is compiled once for all of them.
class WorkOfRank {
 public:
  template <class Work>
  WorkOfRank(Work const& work)
      : work_(&work), call_([](void const* own) { (*static_cast<Work const*>(own))(); }) {}

  void operator()() const { call_(work_); }

 private:
  void const* work_;
  void (*call_)(void const*);
};

inline Failure failure_of(WorkOfRank const& work) {
  try {
    work();
    return {};
  } catch (std::invalid_argument const& error) {
    return {Failure::of_an_argument, error.what()};
  } catch (std::exception const& error) {
    return {Failure::of_the_run, error.what()};
  } catch (...) {
    // Of a callback's: were it not caught, the other ranks would wait.
    return {Failure::of_the_run, "an exception that is no std::exception"};
  }
}

/// Throws the failure of a rank on every rank.
template <class Comm>
[[noreturn]] void throw_failure_of(Comm const& comm, int rank, Failure failure) {
  std::uint64_t kind_and_length[2] = {failure.kind, failure.text.size()};
  check_mpi(MPI_Bcast(kind_and_length, 2, MPI_UINT64_T, rank, comm.get()), "MPI_Bcast");
  failure.text.resize(kind_and_length[1]);
  check_mpi(MPI_Bcast(failure.text.data(), static_cast<int>(failure.text.size()), MPI_CHAR, rank,
                      comm.get()),
            "MPI_Bcast");
  std::string const text = concatenate(failure.text, " (found on rank ", rank, ")");
  if (kind_and_length[0] == Failure::of_an_argument) throw std::invalid_argument(text);
  throw std::runtime_error(text);
}

/// The first rank whose value is not that of rank 0, and both values.
struct Difference {
  int rank;
  std::uint64_t value;
  std::uint64_t of_rank_0;
};

template <class Comm>
Difference find_difference(Comm const& comm, std::uint64_t value) {
  std::vector<std::uint64_t> values(static_cast<std::size_t>(comm.size()));
  check_mpi(MPI_Allgather(&value, 1, MPI_UINT64_T, values.data(), 1, MPI_UINT64_T, comm.get()),
            "MPI_Allgather");
  auto const other =
      std::find_if(values.begin(), values.end(), [&](auto v) { return v != values[0]; });
  return {static_cast<int>(other - values.begin()), *other, values[0]};
}

/// A number of a name.
inline std::uint64_t number_of(char const* name) {
  std::uint64_t number = 14695981039346656037u;  // FNV-1a
  for (; *name != '\0'; ++name) {
    number = (number ^ static_cast<unsigned char>(*name)) * 1099511628211u;
  }
  return number;
}

/// A number of the calls of one function by one way, so that ranks which call others are told apart. The way is its last
/// two bits.
inline std::uint64_t number_of_call(char const* function, Way way) {
  return number_of(function) << 2 | static_cast<std::uint64_t>(way);
}

/// Throws on every rank since the number of a rank's call is not that of rank 0's.
template <class Comm>
[[noreturn]] void throw_other_call(Comm const& comm, char const* function, std::uint64_t number) {
  Difference const difference = find_difference(comm, number);
  if (difference.value >> 2 != difference.of_rank_0 >> 2) {
    throw std::invalid_argument(concatenate(
        "riffle::mpi: rank ", difference.rank,
        " calls another function than rank 0: all ranks must call the same ones in one order"));
  }
  throw std::invalid_argument(
      concatenate("riffle::", function, ": data go ", words_of(Way{difference.value & 3}),
                  " on rank ", difference.rank, " and ", words_of(Way{difference.of_rank_0 & 3}),
                  " on rank 0: exec must be of one back end on all ranks"));
}

/// Does work() on each rank. Where another function is called on some, or by another way, all ranks throw
/// std::invalid_argument; where it throws on some, all throw what the lowest of them threw; then, where a number differs
/// between ranks, std::invalid_argument. Takes one small reduction where all is well. `work` calls no MPI.
template <class Comm>
void agree(Comm const& comm, char const* function, WorkOfRank const& work,
           std::vector<Alike> const& alike = {}, Way way = Way::none) {
  constexpr std::size_t most_alike = 15;
  constexpr std::size_t call_at = 1;
  constexpr std::size_t alike_at = 3;
  if (alike.size() > most_alike) throw std::logic_error("riffle::mpi: agree() takes fewer numbers");
  // No other rank can be told.
  check(comm.get() != MPI_COMM_NULL, function, "comm has been moved from: it is of no ranks");
  Failure const failure = failure_of(work);
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  // Largest values: a number is one on all ranks where the largest of it is the complement of the largest complement.
  std::uint64_t most[alike_at + 2 * most_alike] = {};
  if (failure.kind != Failure::none) most[0] = ranks - static_cast<std::uint64_t>(comm.rank());
  auto const put = [&](std::size_t at, std::uint64_t value) {
    most[at] = value;
    most[at + 1] = ~value;
  };
  put(call_at, number_of_call(function, way));
  std::size_t at = alike_at;
  for (auto const& number : alike) {
    put(at, number.value);
    at += 2;
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, most, static_cast<int>(std::size(most)), MPI_UINT64_T,
                          MPI_MAX, comm.get()),
            "MPI_Allreduce");
  auto const differs = [&](std::size_t k) { return most[k] != ~most[k + 1]; };
  if (differs(call_at)) throw_other_call(comm, function, number_of_call(function, way));
  if (most[0] != 0) throw_failure_of(comm, static_cast<int>(ranks - most[0]), failure);
  at = alike_at;
  for (auto const& number : alike) {
    if (differs(at)) {
      Difference const difference = find_difference(comm, number.value);
      throw std::invalid_argument(concatenate("riffle::", function, ": ", number.name, " = ",
                                              difference.value, " on rank ", difference.rank,
                                              " and ", difference.of_rank_0,
                                              " on rank 0: must be the same on all ranks"));
    }
    at += 2;
  }
}

}  // namespace riffle::detail::mpi
