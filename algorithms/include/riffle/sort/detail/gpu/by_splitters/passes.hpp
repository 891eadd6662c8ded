#pragma once

// The passes of a sort by splitters [1]: a first level of 256 buckets, and up to 256 parts of each, which teams sort in
// scratch memory: by classes, or, where they are crowded, by a network.
//
// Keys are read twice, and then moved once to their buckets, once within tiles, and once to where they belong. Only the
// last passes write to the result: before sort(), the sort may be given up.
//
// [1] W. D. Frazer, A. C. McKellar, "Samplesort: a sampling approach to minimal storage tree sorting", J. ACM 17
//     (1970); on GPUs, N. Leischner, V. Osipov, P. Sanders, "GPU sample sort", IPDPS (2010).

#include <Kokkos_Core.hpp>

#include <riffle/sort/detail/gpu/by_splitters/count.hpp>
#include <riffle/sort/detail/gpu/by_splitters/crowded.hpp>
#include <riffle/sort/detail/gpu/by_splitters/leaves_by_splitters.hpp>
#include <riffle/sort/detail/gpu/by_splitters/level.hpp>
#include <riffle/sort/detail/gpu/by_splitters/parts.hpp>
#include <riffle/sort/detail/gpu/by_splitters/sample_by_splitters.hpp>
#include <riffle/sort/detail/gpu/by_splitters/scatter_by_splitters.hpp>

namespace riffle::detail::sort::by_splitters {

/// The passes, launched in order by launch(name, teams, kernel): first sample(), then count(); then, where JudgeBuckets
/// says that it is possible, sort().
template <class Word, class In, class Out, class Launch>
class Passes {
 public:
  /// `in` may be `out`.
  Passes(In const& in, Out const& out, Arrays<Word> const& arrays, Launch const& launch)
      : in_(in), out_(out), arrays_(arrays), launch_(launch) {}

  void sample() const {
    SampleChunks<Word, In> const chunks(in_, arrays_);
    ChooseSplitters<Word> const choose(arrays_);
    launch_("sample", chunks.teams(), chunks);
    launch_("choose", choose.teams(), choose);
  }

  void count() const {
    CountBuckets<Word, In> const count{in_, arrays_};
    launch_("count", count.teams(), count);
    launch_("place", 1, PlaceBuckets<Word>{arrays_});
  }

  void sort() const {
    ScatterToBuckets<Word, In> const scatter{in_, arrays_};
    SortParts<Word, Out> const leaves{out_, arrays_};
    SortCrowdedParts<Word, Out> const crowded{out_, arrays_};
    launch_("scatter", scatter.teams(), scatter);
    launch_("sample_buckets", buckets,
            SampleBuckets<Word>{arrays_, in_.extent(0), part_sample_size(arrays_.part_depth)});
    launch_("split", arrays_.tiles, SplitTiles<Word, Out>{out_, arrays_});
    launch_("leaves", leaves.teams(), leaves);
    launch_("crowded", crowded.teams(), crowded);
  }

 private:
  In in_;
  Out out_;
  Arrays<Word> arrays_;
  Launch launch_;
};

}  // namespace riffle::detail::sort::by_splitters
