#pragma once

// Tests of the bits that permutations yield (nulls/lehmer_bits.hpp): whether ones are as frequent
// as zeros, whether a bit changes as often as it stays the same, and whether all bytes are equally
// frequent.
//   A. Rukhin et al., "A statistical test suite for random and pseudorandom number generators for
//   cryptographic applications", NIST Special Publication 800-22 (2010), sections 2.1, 2.3 and
//   2.11.

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/uniformity/detail/bit_readers.hpp>
#include <riffle/uniformity/detail/lehmer_digit.hpp>
#include <riffle/uniformity/detail/nulls/lehmer_bits.hpp>
#include <riffle/uniformity/detail/observer.hpp>
#include <riffle/uniformity/detail/sample.hpp>
#include <riffle/uniformity/detail/test_result.hpp>

namespace riffle::detail::uniformity {

template <class Exec, class Reader>
struct BitObserver : ObserverBase<Exec> {
  explicit BitObserver(Exec const& exec) : ObserverBase<Exec>(exec, Reader::counters) {}

  template <class Worker>
  KOKKOS_FUNCTION void observe(Worker const& worker, Sample const& sample) const {
    worker.barrier();  // no thread may still use `work` for the previous test
    write_lehmer_digits(worker, sample, bit_digits(sample.n), sample.work[0]);
    if (worker.rank() == 0) read(sample.n, sample.work[0]);
  }

 private:
  KOKKOS_FUNCTION void read(std::uint64_t n, Row const& digits) const {
    Reader reader;
    for (std::uint64_t i = 0; i < bit_digits(n); ++i) {
      int const width = bits_of_digit(n, i);
      if (digits[i] >> width == 0) reader.take(*this, digits[i], width);
    }
    reader.end(*this);
  }
};

template <class Reader>
class BitPlan {
 public:
  static constexpr char const* name = Reader::name;

  std::string refusal;

  BitPlan(std::uint64_t n, std::uint64_t samples) : n_(n), samples_(samples) {
    if (n < 2) {
      refusal = "n must be at least 2";
      return;
    }
    double const expected = static_cast<double>(samples) * look_at(bit_count_distribution(n));
    if (expected == 0 && samples > 0) {
      refusal = concatenate("n must be larger: there are no ", Reader::name);
    } else if (expected < Reader::fewest) {
      refusal = concatenate("samples must be more: ", expected, " ", Reader::name,
                            " are expected, fewer than ", Reader::fewest);
    }
  }

  template <class Exec>
  BitObserver<Exec, Reader> observer(Exec const& exec) const {
    return BitObserver<Exec, Reader>(exec);
  }

  TestResult evaluate(std::vector<std::uint64_t> const& counts) const {
    if (Reader::total(counts) == 0) return result_without_bits();
    auto const [statistic, null, p] = Reader::evaluate(counts);
    return {Reader::name, n_, samples_, statistic, null, p};
  }

 private:
  // Sets chance_of_none_, the probability that a sample has no item, from the distribution of the
  // number of bits. Returns the mean number of items per sample.
  double look_at(DiscreteDistribution const& bits) {
    double mean = 0;
    for (std::int64_t count = 0; count <= bits.last(); ++count) {
      std::uint64_t const items = Reader::items(static_cast<std::uint64_t>(count));
      mean += bits.probability(count) * static_cast<double>(items);
      if (items == 0) chance_of_none_ += bits.probability(count);
    }
    return mean;
  }

  // The result if the samples contain no item. For uniform samples this is unlikely.
  TestResult result_without_bits() const {
    double const p = std::pow(chance_of_none_, static_cast<double>(samples_));
    return {Reader::name, n_, samples_, 0, concatenate("no ", Reader::name), p};
  }

  std::uint64_t n_;
  std::uint64_t samples_;
  double chance_of_none_ = 0;
};

using BitCountTest = TestOf<BitPlan<OneReader>>;
using BitTransitionTest = TestOf<BitPlan<ChangeReader>>;
using ByteTest = TestOf<BitPlan<ByteReader>>;

}  // namespace riffle::detail::uniformity
