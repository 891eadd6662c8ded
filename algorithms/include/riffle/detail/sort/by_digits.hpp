#pragma once

// A stable sort of numbers on a CPU, from the highest digit down (P. M. McIlroy, K. Bostic, M. D. McIlroy,
// "Engineering radix sort", Computing Systems 6, 1993). All threads split the data by one digit, chunk by chunk:
// they count, a scan of the counts gives each chunk its place in each bucket, and they write. A bucket then fits a
// cache, and one thread sorts it there; one that is too large is split again by all threads. So memory is passed
// over three times, where a sort from the lowest digit up passes over it for every digit.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <riffle/detail/range.hpp>
#include <riffle/detail/sort/bucket.hpp>
#include <riffle/detail/sort/sorted.hpp>
#include <riffle/lanes.hpp>
#include <riffle/monoid.hpp>
#include <riffle/scan.hpp>
#include <riffle/workspace.hpp>

namespace riffle::detail::sort {

/// What is sorted first: keys of a View's elements.
template <class View, class Key, class Index>
struct EntriesOfView {
  using Word = typename Key::Word;

  View view;
  Key key;

  Word word(std::uint64_t i) const { return key(view(i)); }
  Entry<Word, Index> operator()(std::uint64_t i) const { return {word(i), static_cast<Index>(i)}; }
};

template <class Word_, class Index>
struct StoredEntries {
  using Word = Word_;

  Entry<Word, Index> const* entries;

  Word word(std::uint64_t i) const { return entries[i].key; }
  Entry<Word, Index> operator()(std::uint64_t i) const { return entries[i]; }
};

/// The bits in which keys differ from the first one.
template <class Source>
struct FindVaryingBits {
  using Word = typename Source::Word;

  Source source;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Word& varying) const {
    KOKKOS_IF_ON_HOST((varying |= source.word(i) ^ source.word(0);))
    KOKKOS_IF_ON_DEVICE(((void)i; (void)varying;))
  }
};

/// Consecutive chunks of n elements, as even as may be.
struct Chunks {
  std::uint64_t n;
  std::uint64_t count;

  std::uint64_t begin(std::uint64_t chunk) const {
    return chunk * (n / count) + std::min(chunk, n % count);
  }
};

/// counts[chunk * digit.values() + d]: how many of a chunk's elements have digit d.
template <class Source, class Count>
struct CountDigits {
  Source source;
  Chunks chunks;
  Digit<typename Source::Word> digit;
  Count* counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((count(chunk);))
  }

 private:
  void count(std::uint64_t chunk) const {
    Count* const own = counts + chunk * digit.values();
    std::fill_n(own, digit.values(), Count{0});
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i) ++own[digit(source.word(i))];
  }
};

/// Counts of chunks in the order of places: those of a digit one after the other.
template <class Count>
struct CountsByDigit {
  Count* counts;
  std::uint64_t chunks;
  std::uint64_t values;

  KOKKOS_FUNCTION Count& at(std::uint64_t i) const {
    return counts[(i % chunks) * values + i / chunks];
  }
  KOKKOS_FUNCTION Count operator()(std::uint64_t i) const { return at(i); }
};

/// Replaces them by places.
template <class Count>
struct PlacesByDigit {
  CountsByDigit<Count> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Count before) const { counts.at(i) = before; }
};

/// Writes each element to the next place of its chunk in its bucket.
template <class Source, class Count, class Item>
struct WriteBuckets {
  Source source;
  Chunks chunks;
  Digit<typename Source::Word> digit;
  Count* places;
  Item* to;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((write(chunk);))
  }

 private:
  void write(std::uint64_t chunk) const {
    Count* const own = places + chunk * digit.values();
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i) {
      Item const item = source(i);
      to[own[digit(item.key)]++] = item;
    }
  }
};

/// Each bucket that is not too large, by one thread.
template <class Word, class Index, class Count>
struct SortBuckets {
  using Item = Entry<Word, Index>;

  Count const* ends;
  std::uint64_t largest;
  Item* from;
  Item* to;
  Item* spare;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t d) const {
    KOKKOS_IF_ON_HOST((sort(d);))
  }

 private:
  void sort(std::uint64_t d) const {
    std::uint64_t const begin = d == 0 ? 0 : ends[d - 1];
    std::uint64_t const count = ends[d] - begin;
    if (count == 0 || count > largest) return;
    BucketSort<Word, Index>().sort(from + begin, to + begin, spare + begin, count);
  }
};

template <class Exec, class Word, class Index>
class SortByDigits {
 public:
  using Item = Entry<Word, Index>;
  using Count = Index;

  static std::size_t chunks_for(Exec const& exec) {
    return chunks_per_thread * static_cast<std::size_t>(exec.concurrency());
  }
  static std::size_t bytes(Exec const& exec, std::uint64_t n) {
    return 2 * n * sizeof(Item) + counts_of(exec) * sizeof(Count);
  }

  SortByDigits(std::string const& label, Exec const& exec, std::uint64_t n, void* memory,
               Workspace<Exec>& workspace)
      : label_(label), exec_(exec), n_(n), workspace_(workspace) {
    items_ = static_cast<Item*>(memory);
    others_ = items_ + n;
    counts_ = reinterpret_cast<Count*>(others_ + n);
  }

  /// The entries of n > 0 elements, in order.
  template <class Source>
  Item const* run(Source const& source) {
    sort(source, 0, n_, true);
    return items_;
  }

 private:
  using Stored = StoredEntries<Word, Index>;

  static constexpr std::size_t chunks_per_thread = 4;
  static constexpr int most_bits = 11;
  // What a thread sorts in a cache.
  static constexpr std::uint64_t fits_cache = std::uint64_t{1} << 14;
  static constexpr std::uint64_t most_by_thread = std::uint64_t{1} << 31;

  static std::size_t counts_of(Exec const& exec) { return chunks_for(exec) << most_bits; }

  /// Elements of `source`, which become those from `begin` on: in items_; first they are split to items_ or to
  /// others_, where `source` does not lie.
  template <class Source>
  void sort(Source const& source, std::uint64_t begin, std::uint64_t n, bool splits_to_others) {
    Word varying = 0;
    Kokkos::parallel_reduce(label_ + "::varying", range(exec_, 0, n),
                            FindVaryingBits<Source>{source}, Kokkos::BOr<Word>(varying));
    if (varying == 0) {
      bool const is_in_place = std::is_same_v<Source, Stored> && splits_to_others;
      if (!is_in_place) split(source, n, {0, 0}, items_ + begin);
      return;
    }
    // Of few elements all are one bucket.
    int const wanted = std::bit_width((n - 1) / (fits_cache / 2));
    auto const digit = highest_digit(varying, std::min(most_bits, wanted));
    Item* const to = (splits_to_others ? others_ : items_) + begin;
    Count const* const ends = split(source, n, digit, to);
    std::uint64_t const largest = largest_of_thread(n);
    Kokkos::parallel_for(
        label_ + "::buckets", dynamic_range(exec_, 0, digit.values()),
        SortBuckets<Word, Index, Count>{ends, largest, to, items_ + begin, others_ + begin});
    wait();
    for (auto const& bucket : larger_buckets(ends, digit.values(), largest)) {
      sort(Stored{to + bucket.begin}, begin + bucket.begin, bucket.end - bucket.begin,
           !splits_to_others);
    }
  }

  /// Returns where each bucket ends.
  template <class Source>
  Count const* split(Source const& source, std::uint64_t n, Digit<Word> const& digit, Item* to) {
    Chunks const chunks{n, std::clamp<std::uint64_t>(n / fits_cache, 1, chunks_for(exec_))};
    std::size_t const values = digit.values();
    auto const all = range(exec_, 0, chunks.count);
    Kokkos::parallel_for(label_ + "::count", all,
                         CountDigits<Source, Count>{source, chunks, digit, counts_});
    CountsByDigit<Count> const counts{counts_, chunks.count, values};
    exclusive_scan(label_ + "::scan", exec_, chunks.count * values, counts,
                   PlacesByDigit<Count>{counts}, Sum<Count>{}, Count{0}, workspace_);
    Kokkos::parallel_for(label_ + "::split", all,
                         WriteBuckets<Source, Count, Item>{source, chunks, digit, counts_, to});
    wait();
    // After it has written, the last chunk's places are the ends of the buckets.
    return counts_ + (chunks.count - 1) * values;
  }

  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  /// The buckets that no thread took.
  static std::vector<Range> larger_buckets(Count const* ends, std::size_t count,
                                           std::uint64_t largest) {
    std::vector<Range> found;
    std::uint64_t begin = 0;
    for (std::size_t d = 0; d < count; ++d) {
      std::uint64_t const end = ends[d];
      if (end - begin > largest) found.push_back({begin, end});
      begin = end;
    }
    return found;
  }

  /// No thread shall be waited for long.
  std::uint64_t largest_of_thread(std::uint64_t n) const {
    auto const threads = static_cast<std::uint64_t>(exec_.concurrency());
    if (threads == 1) return most_by_thread;
    return std::clamp<std::uint64_t>(n / (4 * threads), fits_cache, most_by_thread);
  }

  void wait() const {
    if constexpr (!lanes::runs_at_once<Exec>) exec_.fence(label_);
  }

  std::string label_;
  Exec exec_;
  std::uint64_t n_;
  Workspace<Exec>& workspace_;
  Item* items_;
  Item* others_;
  Count* counts_;
};

}  // namespace riffle::detail::sort
