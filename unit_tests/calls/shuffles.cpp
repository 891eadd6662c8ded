// Shuffles, random permutations and samples.

#include <Kokkos_Core.hpp>
#include <riffle/random/streams.hpp>
#include <riffle/shuffle.hpp>
#include <riffle/view_pack.hpp>
#include <riffle/workspace.hpp>

#include <cstdint>
#include <string>

#include "calls/case.hpp"
#include "calls/inputs.hpp"

namespace riffle::test::calls::shuffles_cases {
namespace {

constexpr std::uint64_t seed = 1906;

struct CopyOfNumbers {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const in = to_array<Exec>(special_numbers<double>(n));
    auto const out = make_output<Exec, double>(n);
    shuffle_copy(exec, in, out, seed);
    results.add("shuffle_copy", out);
    shuffle_copy(exec, in, out, seed, 1);
    results.add("stream 1", out);
    shuffle(Context(exec, "in place"), in, seed);
    results.add("shuffle", in);
  }
};

struct InBuckets {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    Workspace<Exec> workspace(exec);
    auto const data = to_array<Exec>(cards(n));
    workspace.reserve(BucketShuffle::workspace_bytes(exec, data));
    shuffle(Context(exec, workspace), data, seed, BucketShuffle{});
    results.add("cards", data);
    shuffle(Context(exec, workspace), data, seed, 1, BucketShuffle{});
    results.add("stream 1", data);
  }
};

struct RowsAndPacks {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    using Rows = Matrix<Exec, float>;
    Rows const rows = to_matrix<Exec>(plain_numbers<float>(3 * n), 3);
    auto const out = make_output<Exec, float>(n, 3);
    shuffle_copy(Context(exec, "rows"), rows, out, seed, BucketShuffle{});
    results.add("rows", out);
    auto const numbers = to_array<Exec>(plain_numbers<std::int64_t>(n));
    ViewPack<Array<Exec, std::int64_t>, Rows> const both = pack(numbers, rows);
    shuffle(exec, both, seed, DefaultShuffle{});
    results.add("numbers of the pack", numbers);
    results.add("rows of the pack", rows);
  }
};

struct Images {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const narrow = make_output<Exec, std::uint32_t>(n);
    random_permutation(Context(exec, "images"), narrow, seed);
    results.add("random_permutation", narrow);
    random_permutation(exec, narrow, seed, PermutationGather{});
    results.add("by gather", narrow);
    auto const wide = make_output<Exec, std::int64_t>(n);
    sample(exec, 10 * n + 5, wide, seed);
    results.add("sample", wide);
    sample(exec, 10 * n + 5, wide, seed, 1);
    results.add("sample of stream 1", wide);
    random_permutation(exec, wide, seed_of_stream(seed, 2), 1);
    results.add("random_permutation of stream 1", wide);
  }
};

template <class In, class Out>
struct Backwards {
  In in;
  Out out;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { out(i) = in(in.extent(0) - 1 - i); }
};

/// A user-defined algorithm whose shuffles are all the same.
struct UsersShuffle {
  template <class Exec, class In, class Out>
  void shuffle_rows(Context<Exec> const& context, std::uint64_t n, In const& in, Out const& out,
                    SeedAndStream) const {
    context.for_each(n, Backwards<In, Out>{in, out});
  }
};

struct ByUsersAlgorithm {
  template <class Exec>
  void operator()(Exec const& exec, std::uint64_t n, Results& results) const {
    auto const data = to_array<Exec>(cards(n));
    shuffle(exec, data, seed, UsersShuffle{});
    results.add("cards", data);
  }
};

Cases const cases{
    make_case<CopyOfNumbers>("shuffle_doubles", large_sizes()),
    make_case<InBuckets>("shuffle_cards_in_buckets", large_sizes()),
    make_case<RowsAndPacks>("shuffle_rows_and_packs", up_to(1 << 21)),
    make_case<Images>("shuffle_indices", large_sizes()),
    make_case<ByUsersAlgorithm>("shuffle_by_users_algorithm", sizes()),
};

}  // namespace
}  // namespace riffle::test::calls::shuffles_cases
