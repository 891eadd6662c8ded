#pragma once

// A stable radix sort of numbers on a CPU, from the highest digit down [1]. All threads distribute
// the data to buckets, chunk by chunk: they count the elements of each bucket, a scan of the counts
// gives the index at which each chunk's elements start in each bucket, and the threads write the
// elements. After that, most buckets fit in a cache. One thread sorts such a bucket and passes it
// to a consumer, which reads it while it is still cached. A bucket that is too large is distributed
// again by all threads. So each value is usually read from memory three times and written twice,
// whereas a sort from the lowest digit up reads and writes each value once per digit.
//
//     elements    | chunk 0 | chunk 1 | chunk 2 | ...
//                      |         |         |             by the key, with a BucketTable
//     buckets     | 0: from 0, 1, 2 | 1: from 0, 1, 2 | ...
//                      |                    |            BucketSort, one thread per bucket
//     consumer    sorted bucket 0      sorted bucket 1   ...
//
// [1] P. M. McIlroy, K. Bostic, M. D. McIlroy, "Engineering radix sort", Computing Systems 6
//     (1993).

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include <riffle/backend/backend.hpp>
#include <riffle/context.hpp>
#include <riffle/monoid.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/radix_key.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/scan.hpp>
#include <riffle/sort/detail/cpu/bucket_sort.hpp>
#include <riffle/sort/detail/cpu/bucket_table.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

// --- items ---
//
// An item is a number's code, alone or with a value or the number's index. Its type depends only on
// the sizes of the number and the value. Therefore one instance of the sort serves all number types
// that have the same size, in ascending or descending order. Host only.

/// A code stored in `bytes_` bytes.
template <std::size_t bytes_>
struct StoredCode {
  static constexpr std::size_t bytes = bytes_;
  using Stored = UnsignedOf<bytes>;
  using Word = RadixWord<Stored>;

  static void write(Word code, std::byte* to) {
    auto const stored = static_cast<Stored>(code);
    std::memcpy(to, &stored, bytes);
  }
  static Word read(std::byte const* from) {
    Stored stored;
    std::memcpy(&stored, from, bytes);
    return stored;
  }
};

/// A number without a value.
template <class Code>
class NumberAlone {
 public:
  using Word = typename Code::Word;

  NumberAlone() = default;
  explicit NumberAlone(Word code) { Code::write(code, code_); }

  Word key() const { return Code::read(code_); }

 private:
  alignas(Code::bytes) std::byte code_[Code::bytes];
};

/// A number with its value.
template <class Code, std::size_t value_bytes, std::size_t alignment>
class NumberWithValue {
 public:
  using Word = typename Code::Word;

  NumberWithValue() = default;
  template <class Value>
  NumberWithValue(Word code, Value const& value) {
    Code::write(code, code_);
    std::memcpy(value_, &value, value_bytes);
  }

  Word key() const { return Code::read(code_); }
  template <class Value>
  Value value() const {
    Value value;
    std::memcpy(&value, value_, value_bytes);
    return value;
  }
  /// Returns the value, for items whose value is an index.
  auto index() const { return value<UnsignedOf<value_bytes>>(); }

 private:
  alignas(alignment) std::byte code_[Code::bytes];
  alignas(alignment) std::byte value_[value_bytes];
};

/// The item for a number or a code of type T with a value.
template <class T, class Value>
using ItemWithValue =
    NumberWithValue<StoredCode<sizeof(T)>, sizeof(Value), std::min(alignof(T), alignof(Value))>;

// --- sources and consumers ---
//
// The sort calls sources and consumers through virtual functions; each call processes many items.
// So the code of the sort depends only on the type of the items, and one instance serves Views of
// all types, layouts and orders.

/// A View without reference counting. A loop works on a local copy, so that the address of the data
/// stays in a register.
template <class View>
using Uncounted = Kokkos::View<typename View::data_type, typename View::array_layout,
                               typename View::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A source of elements. `Count` is the integer type in which elements are counted.
template <class Item, class Count>
class ItemSource {
 public:
  using Word = typename Item::Word;

  /// The key of element i.
  virtual Word word(std::uint64_t i) const = 0;
  /// Whether one of the elements first, ..., end - 1 is less than its predecessor.
  virtual bool descends(std::uint64_t first, std::uint64_t end) const = 0;
  /// to[i] = item i, for 0 <= i < n.
  virtual void copy(std::uint64_t n, Item* to) const = 0;
  /// For each element first, ..., end - 1: adds 1 to counts[b], where b is its bucket.
  virtual void count(std::uint64_t first, std::uint64_t end, BucketOf<Word> bucket_of,
                     Count* counts) const = 0;
  /// For each element first, ..., end - 1: writes its item to to[places[b]], where b is its bucket,
  /// and adds 1 to places[b].
  virtual void split(std::uint64_t first, std::uint64_t end, BucketOf<Word> bucket_of,
                     Count* places, Item* to) const = 0;

 protected:
  ~ItemSource() = default;
};

/// The elements of `Source`: source(i) is the item of element i, and source.word(i) is its key.
/// Each loop accesses a local copy of the source, so that the compiler knows that the writes in the
/// loop do not change the source.
template <class Source, class Item, class Count>
class ItemsOf final : public ItemSource<Item, Count> {
 public:
  using Word = typename Item::Word;

  explicit ItemsOf(Source const& source) : source_(source) {}

  Word word(std::uint64_t i) const override { return source_.word(i); }
  bool descends(std::uint64_t first, std::uint64_t end) const override {
    Source const source = source_;
    Word before = source.word(first == 0 ? 0 : first - 1);
    for (std::uint64_t i = first; i < end; ++i) {
      Word const word = source.word(i);
      if (word < before) return true;
      before = word;
    }
    return false;
  }
  void copy(std::uint64_t n, Item* to) const override {
    Source const source = source_;
    for (std::uint64_t i = 0; i < n; ++i) to[i] = source(i);
  }
  void count(std::uint64_t first, std::uint64_t end, BucketOf<Word> bucket_of,
             Count* counts) const override {
    Source const source = source_;
    for (std::uint64_t i = first; i < end; ++i) ++counts[bucket_of(source.word(i))];
  }
  void split(std::uint64_t first, std::uint64_t end, BucketOf<Word> bucket_of, Count* places,
             Item* to) const override {
    Source const source = source_;
    for (std::uint64_t i = first; i < end; ++i) {
      std::uint32_t const bucket = bucket_of(source.word(i));
      to[places[bucket]++] = source(i);
    }
  }

 private:
  Source source_;
};

/// A consumer of sorted items:
/// - bucket(first, items, count, free) is called by one thread for each sorted bucket. items[k] is
///   item first + k in sorted order, for k < count. No item ties with an item of another bucket.
///   `free` is memory for `count` items.
/// - tied(first, items, count, start, end) is called instead for a large bucket whose items all
///   tie. The bucket consists of items start, ..., end - 1 in sorted order. Several threads call
///   the function, each for a part of the bucket: items[k] is item first + k, for k < count.
template <class Item>
class BucketConsumer {
 public:
  virtual void bucket(std::uint64_t first, Item const* items, std::uint64_t count,
                      Item* free) const = 0;
  virtual void tied(std::uint64_t first, Item const* items, std::uint64_t count,
                    std::uint64_t start, std::uint64_t end) const = 0;

 protected:
  ~BucketConsumer() = default;
};

/// Passes items to a consumer, which must outlive this object. If the consumer has no function
/// `tied`, its function `bucket` is called with free = nullptr.
template <class Consumer, class Item>
class ConsumerOf final : public BucketConsumer<Item> {
 public:
  explicit ConsumerOf(Consumer const& consumer) : consumer_(consumer) {}

  void bucket(std::uint64_t first, Item const* items, std::uint64_t count,
              Item* free) const override {
    consumer_.bucket(first, items, count, free);
  }
  void tied(std::uint64_t first, Item const* items, std::uint64_t count,
            [[maybe_unused]] std::uint64_t start,
            [[maybe_unused]] std::uint64_t end) const override {
    if constexpr (requires { consumer_.tied(first, items, count, start, end); }) {
      consumer_.tied(first, items, count, start, end);
    } else {
      consumer_.bucket(first, items, count, static_cast<Item*>(nullptr));
    }
  }

 private:
  Consumer const& consumer_;
};

/// A source that returns the key and the index of each element of a View.
template <class View, class Key, class Index>
struct KeysWithIndices {
  using Word = typename Key::Word;

  Uncounted<View> view;
  Key key;

  Word word(std::uint64_t i) const { return key(view(i)); }
  ItemWithValue<Word, Index> operator()(std::uint64_t i) const {
    return {word(i), static_cast<Index>(i)};
  }
};

template <class Item>
struct StoredItems {
  using Word = typename Item::Word;

  Item const* items;

  Word word(std::uint64_t i) const { return items[i].key(); }
  Item operator()(std::uint64_t i) const { return items[i]; }
};

/// Whether n > 0 elements are known to be sorted. If there are few, this is not tested, and the
/// result is false. Blocking.
template <class Exec, class Item>
bool are_known_sorted(Context<Exec> const& context, std::uint64_t n,
                      ItemSource<Item, std::uint64_t> const& source) {
  if (n < min_checked_if_sorted) return false;
  Chunks const chunks{n, n / min_split_chunk_size};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(
      context.label() + "::descents", range(context.exec(), 0, chunks.count),
      [&](std::uint64_t chunk, std::uint64_t& descents) {
        // descends() returns when it has found an element that is less than its predecessor.
        descents += source.descends(chunks.begin(chunk), chunks.begin(chunk + 1)) ? 1 : 0;
      },
      count);
  return count == 0;
}

/// Accesses the counts of all chunks in the order of the output, sorted by bucket and then by
/// chunk.
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

/// Output of the scan: replaces the count for a chunk and a bucket by the index at which the
/// chunk's elements in this bucket start.
template <class Count>
struct PlacesByBucket {
  CountsByBucket<Count> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Count before) const { counts.at(i) = before; }
};

/// The memory with which one thread sorts buckets.
template <class Item>
struct ThreadMemory {
  static constexpr std::size_t max_items = max_in_thread_memory;

  Item items[max_items];
  std::uint32_t counts[BucketSort<Item>::max_counts];
};

/// Sorts n > 0 elements, and passes the sorted items to a consumer, bucket by bucket. Allocates
/// memory in the caller's scope. `Count` can represent n.
template <class Exec, class Item_, class Count>
class RadixSort {
 public:
  using Item = Item_;

  /// `free` is memory for n items that may be overwritten once the source has been read, or null.
  RadixSort(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t n, Item* free = nullptr)
      : context_(context), n_(n), memory_(take_memory(scope, n, context.exec(), free)) {
    backend::prefer_huge_pages(memory_.items, n * sizeof(Item));
    if (free == nullptr) backend::prefer_huge_pages(memory_.others, n * sizeof(Item));
  }

  /// Returns an array of n items that a consumer may write to. bucket() and tied() of a consumer
  /// may overwrite elements first, ..., first + count - 1 of this array; their argument `items` may
  /// point to these elements, too. After run() has returned, the sort does not use the array any
  /// more.
  Item* spare_items() const { return memory_.others; }

  template <class Elements, class Consumer>
  void run(Elements const& elements, Consumer const& consumer) {
    run_erased(ItemsOf<Elements, Item, Count>(elements), ConsumerOf<Consumer, Item>(consumer));
  }

 private:
  using Word = typename Item::Word;
  using Source = ItemSource<Item, Count>;
  using Own = ThreadMemory<Item>;

  static constexpr std::uint64_t per_thread = split_chunks_per_thread;
  static constexpr std::uint64_t max_by_thread = std::uint64_t{1} << 31;  // the bound of BucketSort

  struct Memory {
    Item* items;
    Item* others;
    Own* own;
    std::uint64_t* next;
    Count* counts;
  };

  static Memory take_memory(Scope<Exec>& scope, std::uint64_t n, Exec const& exec, Item* free) {
    bool const is_on_calling_thread = n <= max_on_calling_thread(threads_of(exec));
    std::uint64_t const workers = is_on_calling_thread ? 1 : threads_of(exec);
    return scope.arrays([&](ArrayMemory& memory) {
      return Memory{
          memory.take<Item>(n), free != nullptr ? free : memory.take<Item>(n),
          memory.take<Own>(workers), memory.take<std::uint64_t>(1),
          memory.take<Count>(
              is_on_calling_thread ? 0 : per_thread * workers * BucketTable<Word>::max_buckets)};
    });
  }

  static std::uint64_t threads_of(Exec const& exec) {
    return static_cast<std::uint64_t>(exec.concurrency());
  }

  void run_erased(Source const& source, BucketConsumer<Item> const& consumer) {
    if (n_ <= max_on_calling_thread(threads_of(context_.exec()))) {
      run_on_calling_thread(context_.named("sort"), [&](std::uint64_t) {
        source.copy(n_, memory_.items);
        sort_bucket(memory_.items, memory_.others, n_, 0, *memory_.own, consumer);
      });
    } else {
      sort(source, nullptr, 0, n_, {memory_.items, memory_.others, false}, consumer);
    }
  }

  /// The array to which elements are distributed, the other array, and whether the previous
  /// distribution was at one key (BucketTable::cut_at).
  struct Split {
    Item* to;
    Item* free;
    bool was_at_key;
  };

  /// Sorts n elements, which become items first, ..., first + n - 1 in sorted order. `stored`
  /// points to the items if the source is an array of items, otherwise it is null.
  void sort(Source const& source, Item const* stored, std::uint64_t first, std::uint64_t n,
            Split split, BucketConsumer<Item> const& consumer) {
    if (!set_table(source, stored, n, split)) {
      Chunks const chunks = chunks_of(n);
      context_.named("tied").for_each(chunks.count, [&](std::uint64_t chunk) {
        std::uint64_t const begin = chunks.begin(chunk);
        consumer.tied(first + begin, stored + begin, chunks.begin(chunk + 1) - begin, first,
                      first + n);
      });
      return;
    }
    Count const* const ends = write_buckets(source, n, split.to + first);
    std::size_t const buckets = table_.buckets();
    std::uint64_t const largest = std::clamp(n / (4 * per_thread * threads_of(context_.exec())),
                                             16 * bucket_size, max_by_thread);
    *memory_.next = 0;
    // Each thread takes the next bucket when it has finished one.
    for_each_dynamic(
        context_.named("buckets"), threads_of(context_.exec()), [&](std::uint64_t worker) {
          auto const take = [&] {
            return Kokkos::atomic_fetch_add(memory_.next, std::uint64_t{1});
          };
          for (auto b = take(); b < buckets; b = take()) {
            std::uint64_t const begin = b == 0 ? 0 : ends[b - 1];
            std::uint64_t const count = ends[b] - begin;
            if (count == 0 || count > largest) continue;
            // A bucket that fits in the thread's own memory is sorted with it, because this memory
            // stays in the cache.
            Own& own = memory_.own[worker];
            Item* const other = count <= own.max_items ? own.items : split.free + first + begin;
            sort_bucket(split.to + first + begin, other, count, first + begin, own, consumer);
          }
        });
    for (auto const& bucket : larger_buckets(ends, buckets, largest)) {
      StoredItems<Item> const items{split.to + first + bucket.begin};
      sort(ItemsOf<StoredItems<Item>, Item, Count>(items), items.items, first + bucket.begin,
           bucket.end - bucket.begin, {split.free, split.to, split.was_at_key}, consumer);
    }
  }

  /// Sorts a bucket with one thread, and passes it to the consumer. `other` can hold `count` items.
  static void sort_bucket(Item* items, Item* other, std::uint64_t count, std::uint64_t first,
                          Own& own, BucketConsumer<Item> const& consumer) {
    Item* const sorted = BucketSort<Item>(own.counts).sort(items, other, count);
    consumer.bucket(first, sorted, count, sorted == other ? items : other);
  }

  /// Sets table_ to a table of buckets. Returns false if all elements tie; this is tested only if
  /// the source is an array of items.
  bool set_table(Source const& source, Item const* stored, std::uint64_t n, Split& split) {
    std::vector<Word> const samples = samples_of(source, n);
    auto [low, high] = std::ranges::minmax(samples);
    if (stored != nullptr) {
      using Reducer = Kokkos::MinMax<Word>;
      using KeyRange = typename Reducer::value_type;
      KeyRange range_of_all;
      Kokkos::parallel_reduce(
          context_.label() + "::range", range(context_.exec(), 0, n),
          [&](std::uint64_t i, KeyRange& found) {
            found.min_val = std::min(found.min_val, stored[i].key());
            found.max_val = std::max(found.max_val, stored[i].key());
          },
          Reducer(range_of_all));
      low = range_of_all.min_val;
      high = range_of_all.max_val;
      if (low == high) return false;
    }
    // After a distribution at one key, the next one is always by ranges of keys. A distribution at
    // one key may put nearly all keys in one bucket, whereas a distribution by ranges of keys
    // always narrows the range of keys in a bucket. So the recursion ends.
    Word const key = median_of(samples);
    bool const is_majority = 2 * std::ranges::count(samples, key) > std::ssize(samples);
    split.was_at_key = is_majority && !split.was_at_key;
    if (split.was_at_key) {
      table_.cut_at(key);
    } else {
      table_.cut_evenly(samples, low, high);
    }
    return true;
  }

  /// Divides the elements into equally long stretches, and samples one element from each. The
  /// offset of the element in its stretch is a hash of the stretch's index, so that periodic data
  /// are sampled fairly.
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

  static Word median_of(std::vector<Word> samples) {
    auto const middle = samples.begin() + std::ssize(samples) / 2;
    std::ranges::nth_element(samples, middle);
    return *middle;
  }

  /// Returns the number of buckets to request, such that a bucket fits in a cache on average, and
  /// there are several buckets per thread.
  std::uint64_t buckets_for(std::uint64_t n) const {
    std::uint64_t const for_threads =
        std::min(n / min_bucket_size, per_thread * threads_of(context_.exec()));
    return std::clamp<std::uint64_t>(std::max(n / bucket_size, for_threads), 1,
                                     BucketTable<Word>::max_wanted);
  }

  Chunks chunks_of(std::uint64_t n) const {
    return {n, std::clamp<std::uint64_t>(n / min_split_chunk_size, 1,
                                         per_thread * threads_of(context_.exec()))};
  }

  /// Distributes the elements to buckets. Returns the end of each bucket.
  Count const* write_buckets(Source const& source, std::uint64_t n, Item* to) {
    Chunks const chunks = chunks_of(n);
    std::size_t const buckets = table_.buckets();
    auto const bucket_of = table_.bucket_of();
    for_each_dynamic(context_.named("count"), chunks.count, [&](std::uint64_t chunk) {
      Count* const own = memory_.counts + chunk * buckets;
      std::fill_n(own, buckets, Count{0});
      source.count(chunks.begin(chunk), chunks.begin(chunk + 1), bucket_of, own);
    });
    CountsByBucket<Count> const counts{memory_.counts, chunks.count, buckets};
    exclusive_scan(context_.named("scan"), chunks.count * buckets, counts,
                   PlacesByBucket<Count>{counts}, Sum<Count>{}, Count{0});
    for_each_dynamic(context_.named("split"), chunks.count, [&](std::uint64_t chunk) {
      source.split(chunks.begin(chunk), chunks.begin(chunk + 1), bucket_of,
                   memory_.counts + chunk * buckets, to);
    });
    // After the writes, the indices for the last chunk are the ends of the buckets.
    return memory_.counts + (chunks.count - 1) * buckets;
  }

  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  /// Returns the buckets with more than `largest` items, which the threads have not sorted.
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

  Context<Exec> context_;
  std::uint64_t n_;
  Memory memory_;
  BucketTable<Word> table_;
};

}  // namespace riffle::detail::sort
