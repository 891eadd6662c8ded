#pragma once

// The first two passes: splitters, from a sample.

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <riffle/sort/detail/gpu/by_parts/arrays_by_parts.hpp>
#include <riffle/sort/detail/gpu/by_ranks/counted_ranks.hpp>
#include <riffle/sort/detail/gpu/by_splitters/chunks.hpp>

namespace riffle::detail::sort::by_parts {

using by_splitters::Sample;

template <class In>
struct SortChunks : by_splitters::SortsChunks {
  SortChunks(In const& in_, Arrays<typename In::Element> const& arrays_, Sample const& sample_)
      : in(in_), arrays(arrays_), sample(sample_) {}

  int teams() const { return by_ranks::teams_of(sample.size()); }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    sort_chunk(team, in, sample, arrays.sample);
  }

  In in;
  Arrays<typename In::Element> arrays;
  Sample sample;
};

/// Stores the elements of the sample that are splitters.
template <class Element>
struct ChooseSplitters : by_splitters::RanksSample {
  ChooseSplitters(Arrays<Element> const& arrays_, Sample const& sample)
      : by_splitters::RanksSample{arrays_.sample, sample.size()}, arrays(arrays_) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    rank(team, [&](IndexedCode const& element, Index rank) {
      Index const part = rank / sample_per_part;
      if (rank % sample_per_part != sample_per_part - 1 || part + 1 >= arrays.parts) return;
      arrays.codes[part] = static_cast<typename Arrays<Element>::Code>(element.code);
      arrays.indices[part] = element.index;
    });
  }

  Arrays<Element> arrays;
};

}  // namespace riffle::detail::sort::by_parts
