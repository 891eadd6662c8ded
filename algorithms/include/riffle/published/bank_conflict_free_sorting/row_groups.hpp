#pragma once

// Groups of rows of a BankedMatrix. An algorithm works on all groups at the same time, in the same
// steps. Groups are the super-rows, sub-matrices and strided squares of
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 2 (Theorems 1 and 2, Lemma 2).

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

#include <riffle/published/bank_conflict_free_sorting/bank_processors.hpp>

namespace riffle {

/// The group to which a processor belongs. Its `rows` rows are first, first + stride, first + 2 stride, ....
struct GroupPlace {
  std::uint32_t first;
  std::uint32_t stride;
  std::uint32_t rows;
  /// The index of the processor's own row in the group: that row is row(index).
  std::uint32_t index;
  /// The index of this group among the parts into which a larger group was divided.
  std::uint32_t number;
  /// Whether the group is to be sorted in descending order.
  bool descending;

  KOKKOS_FUNCTION std::uint32_t row(std::uint32_t i) const { return first + i * stride; }
};

/// The groups of all processors. Each row is in one group.
template <BankProcessors Processors>
class RowGroups {
 public:
  /// Makes one group of all rows.
  KOKKOS_FUNCTION explicit RowGroups(Processors& processors)
      : RowGroups(processors, processors.rows(), true) {
    processors.step([&](std::uint32_t p) { places_[p] = {0, 1, processors.rows(), p, 0, false}; });
  }

  /// Returns the group of a processor. Only the processor itself may call it.
  KOKKOS_FUNCTION GroupPlace const& operator[](std::uint32_t processor) const {
    return places_[processor];
  }

  /// The number of rows in the largest group. This number is the same on all processors. So are all_equal(), and
  /// numbers that are computed from max_rows() and all_equal().
  KOKKOS_FUNCTION std::uint32_t max_rows() const { return max_rows_; }
  /// Whether all groups are known to have the same number of rows.
  KOKKOS_FUNCTION bool all_equal() const { return all_equal_; }
  KOKKOS_FUNCTION Processors& processors() const { return *processors_; }

  /// Divides each group into parts of `rows` successive rows. The last part of a group may have
  /// fewer rows.
  KOKKOS_FUNCTION RowGroups parts(std::uint32_t rows) const {
    RowGroups result(*processors_, rows < max_rows_ ? rows : max_rows_,
                     all_equal_ && (rows >= max_rows_ || max_rows_ % rows == 0));
    processors_->step([&](std::uint32_t p) { result.places_[p] = part_of(places_[p], rows); });
    return result;
  }

  /// Divides each group into `count` groups: group i has rows i, i + count, i + 2 count, ....
  KOKKOS_FUNCTION RowGroups strides(std::uint32_t count) const {
    RowGroups result(*processors_, (max_rows_ + count - 1) / count,
                     all_equal_ && max_rows_ % count == 0);
    processors_->step([&](std::uint32_t p) { result.places_[p] = stride_of(places_[p], count); });
    return result;
  }

  /// Returns the same groups, except that groups with an odd `number` are to be sorted in the opposite direction.
  KOKKOS_FUNCTION RowGroups alternating() const {
    RowGroups result(*processors_, max_rows_, all_equal_);
    processors_->step([&](std::uint32_t p) {
      result.places_[p] = places_[p];
      result.places_[p].descending = places_[p].descending != (places_[p].number % 2 == 1);
    });
    return result;
  }

 private:
  using Places = decltype(std::declval<Processors&>().template registers<GroupPlace>());

  KOKKOS_FUNCTION RowGroups(Processors& processors, std::uint32_t max_rows, bool all_equal)
      : processors_(&processors),
        places_(processors.template registers<GroupPlace>()),
        max_rows_(max_rows),
        all_equal_(all_equal) {}

  KOKKOS_FUNCTION static GroupPlace part_of(GroupPlace const& place, std::uint32_t rows) {
    std::uint32_t const number = place.index / rows;
    std::uint32_t const begin = number * rows;
    std::uint32_t const left = place.rows - begin;
    return {place.row(begin),    place.stride, left < rows ? left : rows,
            place.index - begin, number,       place.descending};
  }

  KOKKOS_FUNCTION static GroupPlace stride_of(GroupPlace const& place, std::uint32_t count) {
    std::uint32_t const number = place.index % count;
    return {place.row(number),
            place.stride * count,
            (place.rows - number + count - 1) / count,
            place.index / count,
            number,
            place.descending};
  }

  Processors* processors_;
  mutable Places places_;
  std::uint32_t max_rows_;
  bool all_equal_;
};

}  // namespace riffle
