// Seeds, counts and sizes are whole numbers: constructors and functions of the host do not accept floating-point arguments
// for them. Calls with an execution space instance are in wrong_calls.cpp.

#include <riffle_headers.hpp>

#include <concepts>
#include <type_traits>
#include <vector>

namespace riffle::test {

template <class T, class... Numbers>
concept MadeOf = std::is_constructible_v<T, Numbers...>;

/// Whether T can be constructed from integers of any type as its first argument, but not from floating-point numbers.
template <class T, class... Others>
concept MadeOfWholeNumbers = MadeOf<T, int, Others...> && MadeOf<T, unsigned long, Others...> &&
                             !MadeOf<T, double, Others...> &&
                             !MadeOf<T, float, Others...>;

static_assert(MadeOfWholeNumbers<RandomPermutation, int>);
static_assert(MadeOfWholeNumbers<RandomPermutation, int, long>);
static_assert(!MadeOf<RandomPermutation, int, double>);
static_assert(!MadeOf<RandomPermutation, int, int, float>);
static_assert(MadeOfWholeNumbers<MixedRadixFeistel, int>);
static_assert(!MadeOf<MixedRadixFeistel, int, double>);
static_assert(MadeOfWholeNumbers<VariablePhilox<>, int>);
static_assert(!MadeOf<VariablePhilox<>, int, double>);
static_assert(MadeOfWholeNumbers<LinearCongruential, int>);
static_assert(!MadeOf<LinearCongruential, int, double>);
static_assert(MadeOfWholeNumbers<IdentityPermutation>);
static_assert(MadeOfWholeNumbers<TransposePermutation, int>);
static_assert(!MadeOf<TransposePermutation, int, double>);
static_assert(MadeOfWholeNumbers<PerfectShuffle>);
static_assert(MadeOfWholeNumbers<BitReversal>);

template <class N, class Seed, class... Stream>
concept ShufflesBy = requires(std::vector<int> items, N n, Seed seed, Stream... stream) {
  fisher_yates(items, n, seed, stream...);
  fisher_yates(items.data(), n, seed, stream...);
};
static_assert(ShufflesBy<int, int> && ShufflesBy<std::size_t, unsigned, int>);
static_assert(!ShufflesBy<double, int> && !ShufflesBy<int, float>);
static_assert(!ShufflesBy<int, int, double>);

template <class Seed, class Stream>
concept IsSeedOfStream = requires(Seed seed, Stream stream) {
  seed_of_stream(seed, stream);
};
static_assert(IsSeedOfStream<int, long> && !IsSeedOfStream<int, double>);

template <class N>
concept IsNumberOfObservations = requires(N n) {
  PermutationScheme::free(n);
};
static_assert(IsNumberOfObservations<int> && !IsNumberOfObservations<double>);

}  // namespace riffle::test
