#pragma once

// Error handling of collective calls: an error that one rank finds is thrown on all ranks.
//
// `comm` is a Communicator, or an object of any type with functions get(), rank() and size() that
// have the same meaning.

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

/// Throws std::runtime_error with MPI's text if the MPI function `call` returned an error code.
inline void check_mpi(int code, char const* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  throw std::runtime_error(concatenate("riffle::mpi: ", call, ": ",
                                       std::string(text, static_cast<std::size_t>(length))));
}

// --- checks on all ranks ---

/// A number that must be equal on all ranks, and its name for the error message.
struct EqualNumber {
  char const* name;
  std::uint64_t value;
};

/// How a call sends data from the memory of one rank to others; `none` if it sends no data.
enum class DataPath : std::uint64_t { none, direct, staged, nccl };

inline char const* description_of(DataPath path) {
  switch (path) {
    case DataPath::direct: return "from where they are";
    case DataPath::staged: return "through host memory";
    case DataPath::nccl: return "by NCCL";
    default: return "nowhere";
  }
}

/// The error of this rank; `none` means no error.
struct Failure {
  enum Kind : std::uint64_t { none, of_the_run, of_an_argument };
  Kind kind = none;
  std::string text;
};

/// Work that one rank does without communication: a type-erased reference to a function object.
/// Because of the type erasure, the functions below are compiled only once.
class RankWork {
 public:
  template <class Work>
  RankWork(Work const& work)
      : work_(&work), call_([](void const* own) { (*static_cast<Work const*>(own))(); }) {}

  void operator()() const { call_(work_); }

 private:
  void const* work_;
  void (*call_)(void const*);
};

inline Failure run_and_catch(RankWork const& work) {
  try {
    work();
    return {};
  } catch (std::invalid_argument const& error) {
    return {Failure::of_an_argument, error.what()};
  } catch (std::exception const& error) {
    return {Failure::of_the_run, error.what()};
  } catch (...) {
    // A callback of the user may throw any type. If the exception were not caught, the other ranks
    // would wait forever.
    return {Failure::of_the_run, "an exception that is no std::exception"};
  }
}

/// Throws the error of rank `rank` on every rank.
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

/// The first rank whose value differs from the value of rank 0, and both values.
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

/// A hash of a name.
inline std::uint64_t number_of(char const* name) {
  std::uint64_t number = 14695981039346656037u;  // FNV-1a
  for (; *name != '\0'; ++name) {
    number = (number ^ static_cast<unsigned char>(*name)) * 1099511628211u;
  }
  return number;
}

/// Returns a number that identifies a function and the path on which it sends data. Ranks compare
/// these numbers to detect that they call different functions. The two lowest bits are the path.
inline std::uint64_t number_of_call(char const* function, DataPath path) {
  return number_of(function) << 2 | static_cast<std::uint64_t>(path);
}

/// Throws on every rank, because number_of_call() differs between ranks.
template <class Comm>
[[noreturn]] void throw_other_call(Comm const& comm, char const* function, std::uint64_t number) {
  Difference const difference = find_difference(comm, number);
  if (difference.value >> 2 != difference.of_rank_0 >> 2) {
    throw std::invalid_argument(concatenate(
        "riffle::mpi: rank ", difference.rank,
        " calls another function than rank 0: all ranks must call the same ones in one order"));
  }
  throw std::invalid_argument(concatenate(
      "riffle::", function, ": data go ", description_of(DataPath{difference.value & 3}),
      " on rank ", difference.rank, " and ", description_of(DataPath{difference.of_rank_0 & 3}),
      " on rank 0: exec must be of one back end on all ranks"));
}

/// Calls work() on each rank. All ranks throw the first of these errors that applies:
/// - std::invalid_argument if ranks call different functions, or send data on different paths;
/// - the exception from the lowest rank on which work() throws;
/// - std::invalid_argument if one of `numbers` differs between ranks.
///
/// If there is no error, the only communication is one small reduction. `work` must not call MPI.
template <class Comm>
void run_collectively(Comm const& comm, char const* function, RankWork const& work,
                      std::vector<EqualNumber> const& numbers = {},
                      DataPath path = DataPath::none) {
  constexpr std::size_t max_numbers = 15;
  constexpr std::size_t call_at = 1;
  constexpr std::size_t numbers_at = 3;
  if (numbers.size() > max_numbers)
    throw std::logic_error("riffle::mpi: run_collectively() takes fewer numbers");
  // If the communicator has been moved from, the other ranks cannot be told about the error.
  check(comm.get() != MPI_COMM_NULL, function, "comm has been moved from: it is of no ranks");
  Failure const failure = run_and_catch(work);
  auto const ranks = static_cast<std::uint64_t>(comm.size());
  // One MPI_MAX reduction compares all numbers: x is equal on all ranks if and only if
  // max(x) == ~max(~x). most[0] is `ranks` minus the lowest rank that found an error, or 0 if no
  // rank did.
  std::uint64_t most[numbers_at + 2 * max_numbers] = {};
  if (failure.kind != Failure::none) most[0] = ranks - static_cast<std::uint64_t>(comm.rank());
  auto const put = [&](std::size_t at, std::uint64_t value) {
    most[at] = value;
    most[at + 1] = ~value;
  };
  put(call_at, number_of_call(function, path));
  std::size_t at = numbers_at;
  for (auto const& number : numbers) {
    put(at, number.value);
    at += 2;
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, most, static_cast<int>(std::size(most)), MPI_UINT64_T,
                          MPI_MAX, comm.get()),
            "MPI_Allreduce");
  auto const differs = [&](std::size_t k) { return most[k] != ~most[k + 1]; };
  if (differs(call_at)) throw_other_call(comm, function, number_of_call(function, path));
  if (most[0] != 0) throw_failure_of(comm, static_cast<int>(ranks - most[0]), failure);
  at = numbers_at;
  for (auto const& number : numbers) {
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
