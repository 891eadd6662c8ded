#pragma once

// A stable sort of numbers on a CPU, from the highest digit down (P. M. McIlroy, K. Bostic, M. D. McIlroy,
// "Engineering radix sort", Computing Systems 6, 1993). All threads split the data into buckets, chunk by chunk: they
// count, a scan of the counts gives each chunk its place in each bucket, and they write. A bucket then fits a
// cache, and one thread sorts it there and hands it on, so that what is made of the order is made while it is still
// in that cache; a bucket that is too large is split again by all threads. So memory is passed over three times,
// where a sort from the lowest digit up passes over it for every digit.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <riffle/detail/range.hpp>
#include <riffle/detail/run_by_caller.hpp>
#include <riffle/detail/sort/bucket.hpp>
#include <riffle/detail/sort/bucket_table.hpp>
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

template <class Item>
struct StoredItems {
  using Word = typename Item::Word;

  Item const* items;

  Word word(std::uint64_t i) const { return items[i].key(); }
  Item operator()(std::uint64_t i) const { return items[i]; }
};

/// Consecutive chunks of n elements, as even as may be.
struct Chunks {
  std::uint64_t n;
  std::uint64_t count;

  std::uint64_t begin(std::uint64_t chunk) const {
    return chunk * (n / count) + std::min(chunk, n % count);
  }
};

/// counts[chunk * buckets + b]: how many of a chunk's elements belong in bucket b.
template <class Source, class Count>
struct CountBuckets {
  Source source;
  Chunks chunks;
  BucketOf<typename Source::Word> bucket_of;
  std::size_t buckets;
  Count* counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((count(chunk);))
  }

 private:
  void count(std::uint64_t chunk) const {
    auto const own_bucket_of = bucket_of;
    Count* const own = counts + chunk * buckets;
    std::fill_n(own, buckets, Count{0});
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i) ++own[own_bucket_of(source.word(i))];
  }
};

/// Counts of chunks in the order of places: those of a bucket one after the other.
template <class Count>
struct CountsByBucket {
  Count* counts;
  std::uint64_t chunks;
  std::uint64_t buckets;

  KOKKOS_FUNCTION Count& at(std::uint64_t i) const {
    return counts[(i % chunks) * buckets + i / chunks];
  }
  KOKKOS_FUNCTION Count operator()(std::uint64_t i) const { return at(i); }
};

/// Replaces them by places.
template <class Count>
struct PlacesByBucket {
  CountsByBucket<Count> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Count before) const { counts.at(i) = before; }
};

/// Writes each element to the next place of its chunk in its bucket.
template <class Source, class Count, class Item>
struct WriteBuckets {
  Source source;
  Chunks chunks;
  BucketOf<typename Source::Word> bucket_of;
  std::size_t buckets;
  Count* places;
  Item* to;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((write(chunk);))
  }

 private:
  void write(std::uint64_t chunk) const {
    auto const own_bucket_of = bucket_of;
    Item* const own_to = to;
    Count* const own = places + chunk * buckets;
    std::uint64_t const end = chunks.begin(chunk + 1);
    for (std::uint64_t i = chunks.begin(chunk); i < end; ++i) {
      std::uint32_t const bucket = own_bucket_of(source.word(i));
      own_to[own[bucket]++] = source(i);
    }
  }
};

/// What each thread has to itself.
template <class Item>
struct OwnMemory {
  // What is sorted in a cache.
  static constexpr std::size_t most_items = std::size_t{1} << 16;

  Item items[most_items];
  std::uint32_t counts[BucketSort<Item>::most_counts];
};

/// Buckets that are not too large, each by the thread that is free next, and what is made of them.
template <class Item, class Count, class Use>
struct SortBuckets {
  Count const* ends;
  std::size_t buckets;
  std::uint64_t largest;
  Item* items;
  Item* others;
  std::uint64_t first;
  OwnMemory<Item>* memory;
  std::uint64_t* next;
  Use use;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t worker) const {
    KOKKOS_IF_ON_HOST((sort_next(memory[worker]);))
  }

 private:
  void sort_next(OwnMemory<Item>& own) const {
    for (auto b = take(); b < buckets; b = take()) {
      std::uint64_t const begin = b == 0 ? 0 : ends[b - 1];
      std::uint64_t const count = ends[b] - begin;
      if (count == 0 || count > largest) continue;
      // What is written again and again stays in the cache.
      Item* const other = count <= own.most_items ? own.items : others + begin;
      Item* const sorted = BucketSort<Item>(own.counts).sort(items + begin, other, count);
      use.bucket(first + begin, sorted, count, sorted == other ? items + begin : other);
    }
  }

  std::uint64_t take() const { return Kokkos::atomic_fetch_add(next, std::uint64_t{1}); }
};

/// Few elements, by one thread.
template <class Source, class Item, class Use>
struct SortAtOnce {
  Source source;
  std::uint64_t n;
  Item* items;
  Item* others;
  std::uint32_t* counts;
  Use use;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const { KOKKOS_IF_ON_HOST((run();)) }

  void run() const {
    for (std::uint64_t i = 0; i < n; ++i) items[i] = source(i);
    Item* const sorted = BucketSort<Item>(counts).sort(items, others, n);
    use.bucket(0, sorted, n, sorted == others ? items : others);
  }
};

/// Items that all are tied: chunks of them.
template <class Item, class Use>
struct UseTied {
  Item const* items;
  Chunks chunks;
  std::uint64_t first;
  Use use;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((run(chunk);))
  }

 private:
  void run(std::uint64_t chunk) const {
    std::uint64_t const begin = chunks.begin(chunk);
    use.tied(first + begin, items + begin, chunks.begin(chunk + 1) - begin, first,
             first + chunks.n);
  }
};

/// The lowest key and the highest.
template <class Source>
struct FindRange {
  using Word = typename Source::Word;
  using Reducer = Kokkos::MinMax<Word>;

  Source source;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, typename Reducer::value_type& range) const {
    KOKKOS_IF_ON_HOST((include(source.word(i), range);))
    KOKKOS_IF_ON_DEVICE(((void)i; (void)range;))
  }

 private:
  static void include(Word word, typename Reducer::value_type& range) {
    range.min_val = std::min(range.min_val, word);
    range.max_val = std::max(range.max_val, word);
  }
};

/// How many chunks do not ascend, or begin with less than what is before them. Of most that do not, little is read.
template <class Source>
struct CountDescents {
  Source source;
  Chunks chunks;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk,
                                  [[maybe_unused]] std::uint64_t& count) const {
    KOKKOS_IF_ON_HOST((count += descends(chunk) ? 1 : 0;))
  }

 private:
  bool descends(std::uint64_t chunk) const {
    std::uint64_t const begin = chunks.begin(chunk);
    std::uint64_t const end = chunks.begin(chunk + 1);
    auto before = source.word(begin == 0 ? 0 : begin - 1);
    for (std::uint64_t i = begin; i < end; ++i) {
      auto const word = source.word(i);
      if (word < before) return true;
      before = word;
    }
    return false;
  }
};

/// Whether n > 0 elements are sorted, of so many that it is worth the question. Waits.
template <class Exec, class Source>
bool are_known_as_sorted(std::string const& label, Exec const& exec, std::uint64_t n,
                         Source const& source) {
  constexpr std::uint64_t fewest = std::uint64_t{1} << 15;
  constexpr std::uint64_t chunk_size = std::uint64_t{1} << 14;
  if (n < fewest) return false;
  Chunks const chunks{n, n / chunk_size};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(label + "::descents", range(exec, 0, chunks.count),
                          CountDescents<Source>{source, chunks}, count);
  return count == 0;
}

/// Sorts n > 0 elements, in memory of the caller's, and hands them on by buckets. Of each, a thread calls
/// use.bucket(first, items, count, free): the items of the places from `first` on, no other elements being tied
/// with them; `free` is memory for as many items more. Of very many tied elements several threads call
/// use.tied(first, items, count, start, end), with some of those of the places start, ..., end - 1. What sources
/// make, which is what is sorted, are items of one type with a key(), an Entry for example; Count holds n.
template <class Exec, class Item_, class Count>
class SortByDigits {
 public:
  using Item = Item_;

  /// Where n items lie with which the sort may do as it likes, once all is read from the source; or none.
  static std::size_t bytes(Exec const& exec, std::uint64_t n, Item* free = nullptr) {
    return Memory(nullptr, n, exec, free).bytes;
  }

  SortByDigits(std::string const& label, Exec const& exec, std::uint64_t n, void* memory,
               Workspace<Exec>& workspace, Item* free = nullptr)
      : label_(label), exec_(exec), n_(n), workspace_(workspace), memory_(memory, n, exec, free) {
    lanes::prefer_huge_pages(memory, bytes(exec, n, free));
  }

  /// For n items. use.bucket and use.tied may write those of their places there, and after them anyone.
  Item* kept() const { return memory_.others; }

  template <class Source, class Use>
  void run(Source const& source, Use const& use) {
    if (n_ <= most_at_once) {
      run_by_caller(label_ + "::sort", exec_,
                    SortAtOnce<Source, Item, Use>{source, n_, memory_.items, memory_.others,
                                                  memory_.own->counts, use});
    } else {
      sort(source, 0, n_, {memory_.items, memory_.others, false}, use);
    }
  }

 private:
  using Word = typename Item::Word;
  using Stored = StoredItems<Item>;
  using Own = OwnMemory<Item>;

  static constexpr std::uint64_t most_at_once = std::uint64_t{1} << 14;
  // Items of a bucket, if all have as many.
  static constexpr std::uint64_t bucket_size = std::uint64_t{1} << 13;
  static constexpr std::uint64_t smallest_bucket_size = std::uint64_t{1} << 10;
  static constexpr std::uint64_t chunk_size = std::uint64_t{1} << 14;
  static constexpr std::uint64_t most_by_thread = std::uint64_t{1} << 31;
  static constexpr std::uint64_t per_thread = 4;

  /// Where all lies.
  struct Memory {
    Memory(void* memory, std::uint64_t n, Exec const& exec, Item* free)
        : begin(static_cast<std::byte*>(memory)) {
      bool const is_at_once = n <= most_at_once;
      std::size_t const workers = is_at_once ? 1 : threads_of(exec);
      items = take<Item>(n);
      others = free != nullptr ? free : take<Item>(n);
      own = take<Own>(workers);
      next = take<std::uint64_t>(1);
      counts = take<Count>(is_at_once ? 0 : per_thread * workers * BucketTable<Word>::most_buckets);
    }

    template <class T>
    T* take(std::size_t count) {
      std::size_t const lines = (count * sizeof(T) + lanes::cache_line - 1) / lanes::cache_line;
      std::size_t const before = std::exchange(bytes, bytes + lines * lanes::cache_line);
      return begin == nullptr ? nullptr : reinterpret_cast<T*>(begin + before);
    }

    std::byte* begin;
    std::size_t bytes = 0;
    Item* items;
    Item* others;
    Own* own;
    std::uint64_t* next;
    Count* counts;
  };

  static std::uint64_t threads_of(Exec const& exec) {
    return static_cast<std::uint64_t>(exec.concurrency());
  }

  /// Where elements are split to, and what is free beside; whether they were split at one key before.
  struct Split {
    Item* to;
    Item* free;
    bool was_at_key;
  };

  /// The elements of `source`, of the places from `first` on.
  template <class Source, class Use>
  void sort(Source const& source, std::uint64_t first, std::uint64_t n, Split split,
            Use const& use) {
    if (!set_table(source, n, split)) {
      Kokkos::parallel_for(label_ + "::tied", range(exec_, 0, chunks_of(n).count),
                           UseTied<Item, Use>{split.free + first, chunks_of(n), first, use});
      return;
    }
    Count const* const ends = write_buckets(source, n, split.to + first);
    std::uint64_t const largest =
        std::clamp(n / (4 * per_thread * threads_of(exec_)), 16 * bucket_size, most_by_thread);
    *memory_.next = 0;
    Kokkos::parallel_for(
        label_ + "::buckets", dynamic_range(exec_, 0, threads_of(exec_)),
        SortBuckets<Item, Count, Use>{ends, table_.buckets(), largest, split.to + first,
                                      split.free + first, first, memory_.own, memory_.next, use});
    wait();
    for (auto const& bucket : larger_buckets(ends, table_.buckets(), largest)) {
      Stored const items{split.to + first + bucket.begin};
      sort(items, first + bucket.begin, bucket.end - bucket.begin,
           {split.free, split.to, split.was_at_key}, use);
    }
  }

  /// False where all are tied, which only stored ones are known to be.
  template <class Source>
  bool set_table(Source const& source, std::uint64_t n, Split& split) {
    std::vector<Word> const samples = samples_of(source, n);
    auto [low, high] = std::ranges::minmax(samples);
    if constexpr (std::is_same_v<Source, Stored>) {
      typename FindRange<Source>::Reducer::value_type range_of_all;
      Kokkos::parallel_reduce(label_ + "::range", range(exec_, 0, n), FindRange<Source>{source},
                              typename FindRange<Source>::Reducer(range_of_all));
      low = range_of_all.min_val;
      high = range_of_all.max_val;
      if (low == high) return false;
    }
    // Not twice in succession: only ranges become smaller for certain.
    Word const key = middle_of(samples);
    bool const is_majority = 2 * std::ranges::count(samples, key) > std::ssize(samples);
    split.was_at_key = is_majority && !split.was_at_key;
    if (split.was_at_key) {
      table_.cut_at(key);
    } else {
      table_.cut_evenly(samples, low, high);
    }
    return true;
  }

  /// One element of each of as many stretches, at no regular distance.
  template <class Source>
  std::vector<Word> samples_of(Source const& source, std::uint64_t n) const {
    std::uint64_t const wanted = BucketTable<Word>::samples_per_bucket * buckets_for(n);
    Chunks const stretches{n, std::min(n, wanted)};
    std::vector<Word> samples(stretches.count);
    for (std::uint64_t k = 0; k < stretches.count; ++k) {
      std::uint64_t const mixed = (k + 1) * 0x9E3779B97F4A7C15u >> 32;
      std::uint64_t const begin = stretches.begin(k);
      samples[k] = source.word(begin + mixed * (stretches.begin(k + 1) - begin) / (1ull << 32));
    }
    return samples;
  }

  static Word middle_of(std::vector<Word> samples) {
    auto const middle = samples.begin() + std::ssize(samples) / 2;
    std::ranges::nth_element(samples, middle);
    return *middle;
  }

  /// Enough that each fits a cache, and that each thread has some.
  std::uint64_t buckets_for(std::uint64_t n) const {
    std::uint64_t const for_threads =
        std::min(n / smallest_bucket_size, per_thread * threads_of(exec_));
    return std::clamp<std::uint64_t>(std::max(n / bucket_size, for_threads), 1,
                                     BucketTable<Word>::most_wanted);
  }

  Chunks chunks_of(std::uint64_t n) const {
    return {n, std::clamp<std::uint64_t>(n / chunk_size, 1, per_thread * threads_of(exec_))};
  }

  /// Returns where each bucket ends.
  template <class Source>
  Count const* write_buckets(Source const& source, std::uint64_t n, Item* to) {
    Chunks const chunks = chunks_of(n);
    std::size_t const buckets = table_.buckets();
    auto const bucket_of = table_.bucket_of();
    auto const all = dynamic_range(exec_, 0, chunks.count);
    Kokkos::parallel_for(
        label_ + "::count", all,
        CountBuckets<Source, Count>{source, chunks, bucket_of, buckets, memory_.counts});
    CountsByBucket<Count> const counts{memory_.counts, chunks.count, buckets};
    exclusive_scan(label_ + "::scan", exec_, chunks.count * buckets, counts,
                   PlacesByBucket<Count>{counts}, Sum<Count>{}, Count{0}, workspace_);
    Kokkos::parallel_for(
        label_ + "::split", all,
        WriteBuckets<Source, Count, Item>{source, chunks, bucket_of, buckets, memory_.counts, to});
    wait();
    // After it has written, the last chunk's places are the ends of the buckets.
    return memory_.counts + (chunks.count - 1) * buckets;
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
    for (std::size_t b = 0; b < count; ++b) {
      std::uint64_t const end = ends[b];
      if (end - begin > largest) found.push_back({begin, end});
      begin = end;
    }
    return found;
  }

  void wait() const {
    if constexpr (!lanes::runs_at_once<Exec>) exec_.fence(label_);
  }

  std::string label_;
  Exec exec_;
  std::uint64_t n_;
  Workspace<Exec>& workspace_;
  Memory memory_;
  BucketTable<Word> table_;
};

}  // namespace riffle::detail::sort
