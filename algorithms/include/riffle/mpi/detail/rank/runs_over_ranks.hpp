#pragma once

// Where the runs of ties at the ends of each rank's part begin and end among all elements.
//
// A rank tells the others how many elements it has, its first and its last value, where its first run ends, where its last
// one begins, and how many there are: all that they need to know, in one call, of O(P) bytes.

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <riffle/mpi/communicator.hpp>
#include <riffle/mpi/detail/check_mpi.hpp>
#include <riffle/rank/rank_part.hpp>

namespace riffle::detail::mpi {

/// What a rank says of its part, beside values.
struct PartSummary {
  std::uint64_t count;    // of elements that are ranked
  std::uint64_t missing;  // of those that are kept out, or ranked before all others
  rank::EndRuns ends;
  std::uint64_t runs;  // that begin behind the first one
};

/// A summary with the bytes of the first value and the last one, where there are any.
template <class T>
struct PartWithValues {
  PartSummary summary;
  std::byte values[2 * sizeof(T)];
};

/// What all ranks say. Collective.
template <class T>
std::vector<PartWithValues<T>> gather_parts(riffle::mpi::Communicator const& comm,
                                            PartWithValues<T> const& own) {
  std::vector<PartWithValues<T>> all(static_cast<std::size_t>(comm.size()));
  auto const bytes = static_cast<int>(sizeof own);
  check_mpi(MPI_Allgather(&own, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, comm.get()),
            "MPI_Allgather");
  return all;
}

/// For each rank the one before it that has elements; itself where none has.
inline std::vector<std::uint64_t> ranks_before(std::vector<PartSummary> const& parts) {
  std::vector<std::uint64_t> before;
  std::uint64_t last = 0;
  bool is_any = false;
  for (std::uint64_t r = 0; r < parts.size(); ++r) {
    before.push_back(is_any ? last : r);
    if (parts[r].count == 0) continue;
    last = r;
    is_any = true;
  }
  return before;
}

/// The places of all ranks' parts. `joins`: for each rank, whether its first element ties with the last one before.
class PlacesOfParts {
 public:
  PlacesOfParts(std::vector<PartSummary> const& parts, std::vector<std::uint8_t> const& joins)
      : places_(parts.size()) {
    find_starts(parts, joins);
    find_ends(parts, joins);
  }

  rank::PlaceOfPart const& operator[](int rank) const {
    return places_[static_cast<std::size_t>(rank)];
  }

 private:
  void find_starts(std::vector<PartSummary> const& parts, std::vector<std::uint8_t> const& joins) {
    std::uint64_t first = 0;
    std::uint64_t start = 0;  // of the last run so far
    std::uint64_t runs = 0;
    for (std::size_t r = 0; r < parts.size(); ++r) {
      auto const& part = parts[r];
      if (part.count == 0) continue;
      if (joins[r] == 0) {
        start = first;
        ++runs;
      }
      places_[r].first = first;
      places_[r].start_of_first = start;
      places_[r].runs_before = runs - 1;
      if (part.ends.start_of_last > 0) start = first + part.ends.start_of_last;
      runs += part.runs;
      first += part.count;
    }
    for (auto& place : places_) {
      place.n = first;
      place.runs = runs;
    }
  }

  void find_ends(std::vector<PartSummary> const& parts, std::vector<std::uint8_t> const& joins) {
    std::uint64_t end = 0;  // of the next part's first run, where it is this one's last
    bool next_joins = false;
    for (std::size_t r = parts.size(); r-- > 0;) {
      auto const& part = parts[r];
      if (part.count == 0) continue;
      std::uint64_t const first = places_[r].first;
      places_[r].end_of_last = next_joins ? end : first + part.count;
      end = part.ends.end_of_first == part.count ? places_[r].end_of_last
                                                 : first + part.ends.end_of_first;
      next_joins = joins[r] != 0;
    }
  }

  std::vector<rank::PlaceOfPart> places_;
};

}  // namespace riffle::detail::mpi
