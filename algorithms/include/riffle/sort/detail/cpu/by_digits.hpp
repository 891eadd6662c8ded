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
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/detail/cpu/bucket.hpp>
#include <riffle/sort/detail/cpu/bucket_table.hpp>
#include <riffle/sort/detail/cpu/digit_sources.hpp>
#include <riffle/sort/detail/cpu/key_range.hpp>
#include <riffle/sort/detail/cpu/sort_buckets.hpp>
#include <riffle/sort/detail/cpu/split_buckets.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// Sorts n > 0 elements of a source in memory of the caller's scope, and hands them on by buckets, while the caller waits.
/// Count holds n.
template <class Exec, class Item_, class Count>
class SortByDigits {
 public:
  using Item = Item_;

  /// `free` is memory for n items that the sort may use once the source is read, or null.
  SortByDigits(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t n,
               Item* free = nullptr)
      : context_(context), n_(n), memory_(take_memory(scope, n, context.exec(), free)) {
    backend::prefer_huge_pages(memory_.items, n * sizeof(Item));
    if (free == nullptr) backend::prefer_huge_pages(memory_.others, n * sizeof(Item));
  }

  /// Memory for n items. use.bucket and use.tied may write the items of their places there, and after them anyone may.
  Item* kept() const { return memory_.others; }

  template <class Elements, class Use>
  void run(Elements const& elements, Use const& use) {
    run_erased(Source(elements), BucketUse<Item>(use));
  }

 private:
  using Word = typename Item::Word;
  using Source = ItemSource<Item, Count>;
  using Own = OwnMemory<Item>;

  static constexpr std::uint64_t per_thread = split_chunks_per_thread;
  static constexpr std::uint64_t max_by_thread = std::uint64_t{1} << 31;  // BucketSort's

  struct Memory {
    Item* items;
    Item* others;
    Own* own;
    std::uint64_t* next;
    Count* counts;
  };

  static Memory take_memory(Scope<Exec>& scope, std::uint64_t n, Exec const& exec, Item* free) {
    bool const is_at_once = n <= max_at_once(threads_of(exec));
    std::uint64_t const workers = is_at_once ? 1 : threads_of(exec);
    return scope.arrays([&](ArrayMemory& memory) {
      return Memory{memory.take<Item>(n), free != nullptr ? free : memory.take<Item>(n),
                    memory.take<Own>(workers), memory.take<std::uint64_t>(1),
                    memory.take<Count>(
                        is_at_once ? 0 : per_thread * workers * BucketTable<Word>::max_buckets)};
    });
  }

  static std::uint64_t threads_of(Exec const& exec) {
    return static_cast<std::uint64_t>(exec.concurrency());
  }

  void run_erased(Source const& source, BucketUse<Item> const& use) {
    if (n_ <= max_at_once(threads_of(context_.exec()))) {
      run_by_caller(context_.named("sort"),
                    SortAtOnce<Item, Count>{source, n_, memory_.items, memory_.others,
                                            memory_.own->counts, use});
    } else {
      sort(source, nullptr, 0, n_, {memory_.items, memory_.others, false}, use);
    }
    wait();
  }

  /// Where elements are split to, the array that is free meanwhile, and whether the elements were split at one key
  /// before.
  struct Split {
    Item* to;
    Item* free;
    bool was_at_key;
  };

  /// Sorts the elements of `source`, whose places are those from `first` on. `stored`: where they lie if they are items
  /// already, or null.
  void sort(Source const& source, Item const* stored, std::uint64_t first, std::uint64_t n,
            Split split, BucketUse<Item> const& use) {
    if (!set_table(source, stored, n, split)) {
      context_.named("tied").for_each(chunks_of(n).count,
                                      UseTied<Item>{stored, chunks_of(n), first, use});
      return;
    }
    Count const* const ends = write_buckets(source, n, split.to + first);
    std::uint64_t const largest = std::clamp(n / (4 * per_thread * threads_of(context_.exec())),
                                             16 * bucket_size, max_by_thread);
    *memory_.next = 0;
    for_each_dynamic(
        context_.named("buckets"), threads_of(context_.exec()),
        SortBuckets<Item, Count>{ends, table_.buckets(), largest, split.to + first,
                                 split.free + first, first, memory_.own, memory_.next, use});
    wait();
    for (auto const& bucket : larger_buckets(ends, table_.buckets(), largest)) {
      StoredItems<Item> const items{split.to + first + bucket.begin};
      sort(Source(items), items.items, first + bucket.begin, bucket.end - bucket.begin,
           {split.free, split.to, split.was_at_key}, use);
    }
  }

  /// Returns false where all elements are tied, which is known of stored elements only.
  bool set_table(Source const& source, Item const* stored, std::uint64_t n, Split& split) {
    std::vector<Word> const samples = samples_of(source, n);
    auto [low, high] = std::ranges::minmax(samples);
    if (stored != nullptr) {
      typename FindRange<Item>::Reducer::value_type range_of_all;
      Kokkos::parallel_reduce(context_.label() + "::range", range(context_.exec(), 0, n),
                              FindRange<Item>{stored},
                              typename FindRange<Item>::Reducer(range_of_all));
      low = range_of_all.min_val;
      high = range_of_all.max_val;
      if (low == high) return false;
    }
    // Elements are not split at a key twice in succession: only splits of a range make ranges smaller for certain.
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

  /// Samples one element of each of as many stretches, at no regular distance.
  std::vector<Word> samples_of(Source const& source, std::uint64_t n) const {
    std::uint64_t const wanted = samples_per_bucket * buckets_for(n);
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

  /// The number of buckets: enough that each fits a cache, and that each thread has some.
  std::uint64_t buckets_for(std::uint64_t n) const {
    std::uint64_t const for_threads =
        std::min(n / smallest_bucket_size, per_thread * threads_of(context_.exec()));
    return std::clamp<std::uint64_t>(std::max(n / bucket_size, for_threads), 1,
                                     BucketTable<Word>::max_wanted);
  }

  Chunks chunks_of(std::uint64_t n) const {
    return {n, std::clamp<std::uint64_t>(n / split_chunk_size, 1,
                                         per_thread * threads_of(context_.exec()))};
  }

  /// Writes the elements to their buckets; returns where each bucket ends.
  Count const* write_buckets(Source const& source, std::uint64_t n, Item* to) {
    Chunks const chunks = chunks_of(n);
    std::size_t const buckets = table_.buckets();
    auto const bucket_of = table_.bucket_of();
    for_each_dynamic(context_.named("count"), chunks.count,
                     CountBuckets<Item, Count>{source, chunks, bucket_of, buckets, memory_.counts});
    CountsByBucket<Count> const counts{memory_.counts, chunks.count, buckets};
    exclusive_scan(context_.named("scan"), chunks.count * buckets, counts,
                   PlacesByBucket<Count>{counts}, Sum<Count>{}, Count{0});
    for_each_dynamic(
        context_.named("split"), chunks.count,
        WriteBuckets<Item, Count>{source, chunks, bucket_of, buckets, memory_.counts, to});
    wait();
    // After it has written, the last chunk's places are the ends of the buckets.
    return memory_.counts + (chunks.count - 1) * buckets;
  }

  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  /// The buckets that no thread took, as they are too large.
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
    if constexpr (!backend::is_synchronous<Exec>) context_.exec().fence(context_.label());
  }

  Context<Exec> context_;
  std::uint64_t n_;
  Memory memory_;
  BucketTable<Word> table_;
};

}  // namespace riffle::detail::sort
