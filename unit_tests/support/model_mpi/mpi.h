#pragma once

// The functions of MPI that Riffle calls, among the ranks of a riffle::test::ModelRanks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/model_mpi/model_ranks.hpp"

#define MPI_VERSION 3

using MPI_Comm = int;
using MPI_Datatype = int;  // the size in bytes
using MPI_Request = int;
using MPI_Errhandler = int;
using MPI_Status = int;
enum MPI_Op { MPI_MAX, MPI_MIN, MPI_SUM };

inline constexpr int MPI_SUCCESS = 0;
inline constexpr MPI_Comm MPI_COMM_NULL = 0;
inline constexpr MPI_Comm MPI_COMM_WORLD = riffle::test::ModelRanks::world;
inline constexpr MPI_Datatype MPI_DATATYPE_NULL = 0;
inline constexpr MPI_Datatype MPI_BYTE = 1;
inline constexpr MPI_Datatype MPI_CHAR = 1;
inline constexpr MPI_Datatype MPI_INT = 4;
inline constexpr MPI_Datatype MPI_UINT64_T = 8;
inline constexpr MPI_Datatype MPI_DOUBLE = 8;
inline constexpr MPI_Request MPI_REQUEST_NULL = 0;
inline constexpr MPI_Errhandler MPI_ERRORS_RETURN = 1;
inline constexpr int MPI_MAX_ERROR_STRING = 256;
inline MPI_Status* const MPI_STATUSES_IGNORE = nullptr;
inline void* const MPI_IN_PLACE = reinterpret_cast<void*>(~std::uintptr_t{0});

namespace riffle::test::model_mpi {

inline ModelRanks& ranks() { return ModelRanks::of_call(); }

inline std::size_t bytes_of(int count, MPI_Datatype type) {
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(type);
}

inline std::uint64_t reduced(MPI_Op op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case MPI_MAX: return std::max(a, b);
    case MPI_MIN: return std::min(a, b);
    default: return a + b;
  }
}

using Numbers = std::vector<std::uint64_t>;

inline Numbers numbers_of(Contribution const& brought, int count) {
  Numbers numbers(static_cast<std::size_t>(count));
  std::memcpy(numbers.data(), brought.from, numbers.size() * sizeof(std::uint64_t));
  return numbers;
}

inline void give(Numbers const& numbers, Contribution const& to) {
  std::memcpy(to.to, numbers.data(), numbers.size() * sizeof(std::uint64_t));
}

inline Contribution contribution(void const* from, void* to) {
  return {static_cast<std::byte const*>(from == MPI_IN_PLACE ? to : from),
          static_cast<std::byte*>(to)};
}

inline int call(MPI_Comm comm, char const* name, int count, MPI_Datatype type, void const* from,
                void* to, ModelRanks::Combine const& combine) {
  ranks().collective(comm, name, bytes_of(count, type), contribution(from, to), combine);
  return MPI_SUCCESS;
}

/// A collective call in which all ranks contribute the same number of elements.
inline int even_call(MPI_Comm comm, std::string const& name, int count, MPI_Datatype type,
                     void const* from, void* to, ModelRanks::Combine const& combine) {
  std::string const with_size = name + " of " + std::to_string(bytes_of(count, type)) + " bytes";
  return call(comm, with_size.c_str(), count, type, from, to, combine);
}

}  // namespace riffle::test::model_mpi

inline int MPI_Initialized(int* flag) { return *flag = 1, MPI_SUCCESS; }
inline int MPI_Finalized(int* flag) { return *flag = 0, MPI_SUCCESS; }
inline int MPI_Comm_test_inter(MPI_Comm, int* flag) { return *flag = 0, MPI_SUCCESS; }
inline int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) { return MPI_SUCCESS; }
inline int MPI_Comm_rank(MPI_Comm, int* rank) {
  return *rank = riffle::test::model_mpi::ranks().rank(), MPI_SUCCESS;
}
inline int MPI_Comm_size(MPI_Comm, int* size) {
  return *size = riffle::test::model_mpi::ranks().size(), MPI_SUCCESS;
}
inline int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return *made = riffle::test::model_mpi::ranks().duplicate(comm), MPI_SUCCESS;
}
inline int MPI_Comm_free(MPI_Comm* comm) { return *comm = MPI_COMM_NULL, MPI_SUCCESS; }
inline int MPI_Error_string(int, char*, int* length) { return *length = 0, MPI_SUCCESS; }

inline int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  return *made = count * type, MPI_SUCCESS;
}
inline int MPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }
inline int MPI_Type_free(MPI_Datatype* type) { return *type = MPI_DATATYPE_NULL, MPI_SUCCESS; }

inline int MPI_Allreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                         MPI_Comm comm) {
  namespace model = riffle::test::model_mpi;
  return model::even_call(comm, "MPI_Allreduce", count, type, from, to, [&](auto const& brought) {
    auto sums = model::numbers_of(brought[0], count);
    for (std::size_t r = 1; r < brought.size(); ++r) {
      auto const numbers = model::numbers_of(brought[r], count);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = model::reduced(op, sums[i], numbers[i]);
      }
    }
    for (auto const& own : brought) model::give(sums, own);
  });
}

inline int MPI_Exscan(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm) {
  namespace model = riffle::test::model_mpi;
  return model::even_call(comm, "MPI_Exscan", count, type, from, to, [&](auto const& brought) {
    model::Numbers sums(static_cast<std::size_t>(count), 0xdeadbeef);  // the standard leaves rank 0's value undefined
    for (std::size_t r = 0; r < brought.size(); ++r) {
      auto const numbers = model::numbers_of(brought[r], count);
      model::give(sums, brought[r]);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = r == 0 ? numbers[i] : model::reduced(op, sums[i], numbers[i]);
      }
    }
  });
}

inline int MPI_Allgather(void const* from, int count, MPI_Datatype type, void* to, int,
                         MPI_Datatype, MPI_Comm comm) {
  namespace model = riffle::test::model_mpi;
  std::size_t const bytes = model::bytes_of(count, type);
  return model::even_call(comm, "MPI_Allgather", count, type, from, to, [&](auto const& brought) {
    std::byte* const first = brought[0].to;
    for (std::size_t r = 0; r < brought.size(); ++r) {
      std::memcpy(first + r * bytes, brought[r].from, bytes);
    }
    for (auto const& own : brought) {
      if (own.to != first) std::memcpy(own.to, first, bytes * brought.size());
    }
  });
}

inline int MPI_Allgatherv(void const* from, int count, MPI_Datatype type, void* to,
                          int const* counts, int const* begins, MPI_Datatype to_type,
                          MPI_Comm comm) {
  namespace model = riffle::test::model_mpi;
  if (from == MPI_IN_PLACE) {
    int const rank = model::ranks().rank();
    from = static_cast<std::byte*>(to) + model::bytes_of(begins[rank], to_type);
    count = counts[rank];
    type = to_type;
  }
  return model::call(comm, "MPI_Allgatherv", count, type, from, to, [&](auto const& brought) {
    for (auto const& own : brought) {
      for (std::size_t r = 0; r < brought.size(); ++r) {
        std::size_t const bytes = model::bytes_of(counts[r], to_type);
        std::byte* const place = own.to + model::bytes_of(begins[r], to_type);
        if (bytes > 0 && place != brought[r].from) std::memcpy(place, brought[r].from, bytes);
      }
    }
  });
}

inline int MPI_Alltoall(void const* from, int count, MPI_Datatype type, void* to, int, MPI_Datatype,
                        MPI_Comm comm) {
  namespace model = riffle::test::model_mpi;
  std::size_t const bytes = model::bytes_of(count, type);
  int const all = count * model::ranks().size();  // each rank contributes `count` elements for each rank
  return model::even_call(comm, "MPI_Alltoall", all, type, from, to, [&](auto const& brought) {
    for (std::size_t r = 0; r < brought.size(); ++r) {
      for (std::size_t s = 0; s < brought.size(); ++s) {
        std::memcpy(brought[r].to + s * bytes, brought[s].from + r * bytes, bytes);
      }
    }
  });
}

inline int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  namespace model = riffle::test::model_mpi;
  std::size_t const bytes = model::bytes_of(count, type);
  return model::even_call(comm, "MPI_Bcast", count, type, data, data, [&](auto const& brought) {
    auto const& source = brought[static_cast<std::size_t>(root)];
    for (auto const& own : brought) {
      if (own.to != source.from && bytes > 0) std::memcpy(own.to, source.from, bytes);
    }
  });
}

inline int MPI_Isend(void const* from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  namespace model = riffle::test::model_mpi;
  model::ranks().send(comm, to, tag, static_cast<std::byte const*>(from),
                      model::bytes_of(count, type));
  return *request = 1, MPI_SUCCESS;
}

inline int MPI_Irecv(void* to, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  namespace model = riffle::test::model_mpi;
  model::ranks().receive(comm, from, tag, static_cast<std::byte*>(to),
                         model::bytes_of(count, type));
  return *request = 1, MPI_SUCCESS;
}

/// Waits for all that the rank has begun, since Riffle always passes all its requests.
inline int MPI_Waitall(int, MPI_Request*, MPI_Status*) {
  return riffle::test::model_mpi::ranks().wait_for_all(), MPI_SUCCESS;
}
