#pragma once

// Keys that are in order but for their lower bits.

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace riffle::detail::sort {

/// Sorted keys, of which neighbours with the same upper bits may be out of order: such neighbours are alike.
struct AlikeKeys {
  std::uint64_t const* keys;
  std::uint64_t n;
  int first_bit;

  KOKKOS_FUNCTION std::uint64_t upper(std::uint64_t k) const { return keys[k] >> first_bit; }
  KOKKOS_FUNCTION bool are_alike(std::uint64_t j, std::uint64_t k) const {
    return upper(j) == upper(k);
  }

  /// The first of the elements that are alike element k, of at most `most` before it.
  KOKKOS_FUNCTION std::uint64_t begin_of(std::uint64_t k, std::uint64_t most) const {
    std::uint64_t begin = k;
    while (begin > 0 && k - begin < most && are_alike(begin - 1, k)) --begin;
    return begin;
  }

  /// The end of the elements that are alike element k, of at most `most` behind it.
  KOKKOS_FUNCTION std::uint64_t end_of(std::uint64_t k, std::uint64_t most) const {
    std::uint64_t end = k + 1;
    while (end < n && end - k <= most && are_alike(end, k)) ++end;
    return end;
  }
};

/// What FindDisorder finds: how many lists of neighbours are to be mended, and whether mending is not enough.
struct Disorder {
  std::uint64_t lists = 0;
  std::uint64_t is_lost = 0;

  KOKKOS_FUNCTION Disorder& operator+=(Disorder const& other) {
    lists += other.lists;
    is_lost |= other.is_lost;
    return *this;
  }
};

}  // namespace riffle::detail::sort

namespace Kokkos {

template <>
struct reduction_identity<riffle::detail::sort::Disorder> {
  KOKKOS_FUNCTION static riffle::detail::sort::Disorder sum() { return {}; }
};

}  // namespace Kokkos

namespace riffle::detail::sort {

/// Lists where neighbours begin that are alike and out of order, in `lists`, which has room for `room` of them; `count`
/// is 0 before. Where such neighbours are more than `most`, or elements are out of order by their upper bits, the order
/// is lost. Called for all elements but the last.
struct FindDisorder {
  static constexpr std::uint64_t most = 16;

  AlikeKeys alike;
  std::uint64_t* count;
  std::uint64_t* lists;
  std::uint64_t room;

  KOKKOS_FUNCTION void operator()(std::uint64_t k, Disorder& disorder) const {
    if (alike.keys[k] <= alike.keys[k + 1]) return;
    std::uint64_t const begin = alike.begin_of(k, most);
    bool const are_few = alike.are_alike(k, k + 1) && alike.end_of(begin, most) - begin <= most;
    if (!are_few) {
      disorder.is_lost = 1;
    } else if (is_first_disorder(begin, k)) {
      std::uint64_t const place = Kokkos::atomic_fetch_add(count, std::uint64_t{1});
      if (place < room) {
        lists[place] = begin;
        ++disorder.lists;
      } else {
        disorder.is_lost = 1;
      }
    }
  }

 private:
  KOKKOS_FUNCTION bool is_first_disorder(std::uint64_t begin, std::uint64_t k) const {
    for (std::uint64_t j = begin; j < k; ++j) {
      if (alike.keys[j] > alike.keys[j + 1]) return false;
    }
    return true;
  }
};

/// Puts the elements of each list in order; stable.
template <class Index>
struct MendLists {
  std::uint64_t const* lists;
  std::uint64_t* keys;
  Index* indices;
  std::uint64_t n;
  int first_bit;

  KOKKOS_FUNCTION void operator()(std::uint64_t number) const {
    std::uint64_t const begin = lists[number];
    std::uint64_t const end = AlikeKeys{keys, n, first_bit}.end_of(begin, FindDisorder::most);
    for (std::uint64_t k = begin + 1; k < end; ++k) insert(begin, k);
  }

 private:
  KOKKOS_FUNCTION void insert(std::uint64_t begin, std::uint64_t k) const {
    std::uint64_t const key = keys[k];
    Index const index = indices[k];
    std::uint64_t place = k;
    for (; place > begin && key < keys[place - 1]; --place) {
      keys[place] = keys[place - 1];
      indices[place] = indices[place - 1];
    }
    keys[place] = key;
    indices[place] = index;
  }
};

}  // namespace riffle::detail::sort
