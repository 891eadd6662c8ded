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
// An item is a number's code, alone or with a value, or with the index that the number has. It has no more bytes than the
// number and the value have; its type depends on their sizes alone, so that numbers of all types and orders that have as
// many bytes are sorted by one instance. On the host only.

/// What a number is stored as: its code.
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

/// A number.
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
  /// A value that is an index.
  auto index() const { return value<UnsignedOf<value_bytes>>(); }

 private:
  alignas(alignment) std::byte code_[Code::bytes];
  alignas(alignment) std::byte value_[value_bytes];
};

/// A number of type T, or the word of a key, with its value.
template <class T, class Value>
using ItemWithValue =
    NumberWithValue<StoredCode<sizeof(T)>, sizeof(Value), std::min(alignof(T), alignof(Value))>;

// --- what is read, and to whom it is handed sorted ---
//
// Both are known by the addresses of functions
// that each work on many items, so that the sort depends on the type of the items alone: one instance does for Views
// of all types, layouts and orders whose items are alike.

/// A View without a count of its copies: loops that have a copy of their own keep its address in a register.
template <class View>
using Uncounted = Kokkos::View<typename View::data_type, typename View::array_layout,
                               typename View::device_type, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The elements that are sorted, as items. A Source has, for element i, the item source(i) and its key source.word(i);
/// it outlives what is made of it. Count counts elements.
template <class Item, class Count>
class ItemSource {
 public:
  using Word = typename Item::Word;

  template <class Source>
  explicit ItemSource(Source const& source) : source_(&source), functions_(&functions<Source>) {}

  Word word(std::uint64_t i) const { return functions_->word(source_, i); }
  /// Whether elements first, ..., end - 1 do not ascend, or the first one is less than the one before it.
  bool descends(std::uint64_t first, std::uint64_t end) const {
    return functions_->descends(source_, first, end);
  }
  /// to[i] = the item of element i, for i < n.
  void copy(std::uint64_t n, Item* to) const { functions_->copy(source_, n, to); }
  /// Adds to counts[b] how many of the elements first, ..., end - 1 belong in bucket b.
  void count(std::uint64_t first, std::uint64_t end, BucketOf<Word> const& bucket_of,
             Count* counts) const {
    functions_->count(source_, first, end, bucket_of, counts);
  }
  /// Writes each of these elements to to[places[b]], with b its bucket, and adds one to places[b].
  void split(std::uint64_t first, std::uint64_t end, BucketOf<Word> const& bucket_of, Count* places,
             Item* to) const {
    functions_->split(source_, first, end, bucket_of, places, to);
  }

 private:
  struct Functions {
    Word (*word)(void const*, std::uint64_t);
    bool (*descends)(void const*, std::uint64_t, std::uint64_t);
    void (*copy)(void const*, std::uint64_t, Item*);
    void (*count)(void const*, std::uint64_t, std::uint64_t, BucketOf<Word>, Count*);
    void (*split)(void const*, std::uint64_t, std::uint64_t, BucketOf<Word>, Count*, Item*);
  };

  /// The functions of a type of sources. Loops have copies of their own, which nothing that they write can change.
  template <class Source>
  struct Of {
    static Source const& get(void const* source) { return *static_cast<Source const*>(source); }

    static Word word(void const* from, std::uint64_t i) { return get(from).word(i); }
    static bool descends(void const* from, std::uint64_t first, std::uint64_t end) {
      Source const source = get(from);
      Word before = source.word(first == 0 ? 0 : first - 1);
      for (std::uint64_t i = first; i < end; ++i) {
        Word const word = source.word(i);
        if (word < before) return true;
        before = word;
      }
      return false;
    }
    static void copy(void const* from, std::uint64_t n, Item* to) {
      Source const source = get(from);
      for (std::uint64_t i = 0; i < n; ++i) to[i] = source(i);
    }
    static void count(void const* from, std::uint64_t first, std::uint64_t end,
                      BucketOf<Word> bucket_of, Count* counts) {
      Source const source = get(from);
      for (std::uint64_t i = first; i < end; ++i) ++counts[bucket_of(source.word(i))];
    }
    static void split(void const* from, std::uint64_t first, std::uint64_t end,
                      BucketOf<Word> bucket_of, Count* places, Item* to) {
      Source const source = get(from);
      for (std::uint64_t i = first; i < end; ++i) {
        std::uint32_t const bucket = bucket_of(source.word(i));
        to[places[bucket]++] = source(i);
      }
    }
  };

  template <class Source>
  static constexpr Functions functions{&Of<Source>::word, &Of<Source>::descends, &Of<Source>::copy,
                                       &Of<Source>::count, &Of<Source>::split};

  void const* source_;
  Functions const* functions_;
};

/// The consumer of sorted items. For each bucket a thread calls bucket(first, items, count, free), with the items of the
/// places from `first` on, which tie with no other elements; `free` is memory for as many items. For very many tied
/// elements several threads call tied(first, items, count, start, end), each with some of the items of the places
/// start, ..., end - 1; or, where a Use has no such function, bucket(first, items, count, nullptr). It outlives what is made
/// of it.
template <class Item>
class BucketUse {
 public:
  template <class Use>
  explicit BucketUse(Use const& use)
      : use_(&use), bucket_(&call_bucket<Use>), tied_(&call_tied<Use>) {}

  void bucket(std::uint64_t first, Item const* items, std::uint64_t count, Item* free) const {
    bucket_(use_, first, items, count, free);
  }
  void tied(std::uint64_t first, Item const* items, std::uint64_t count, std::uint64_t start,
            std::uint64_t end) const {
    tied_(use_, first, items, count, start, end);
  }

 private:
  template <class Use>
  static void call_bucket(void const* use, std::uint64_t first, Item const* items,
                          std::uint64_t count, Item* free) {
    static_cast<Use const*>(use)->bucket(first, items, count, free);
  }
  template <class Use>
  static void call_tied(void const* use, std::uint64_t first, Item const* items,
                        std::uint64_t count, [[maybe_unused]] std::uint64_t start,
                        [[maybe_unused]] std::uint64_t end) {
    if constexpr (requires(Use own) { own.tied(first, items, count, start, end); }) {
      static_cast<Use const*>(use)->tied(first, items, count, start, end);
    } else {
      call_bucket<Use>(use, first, items, count, nullptr);
    }
  }

  void const* use_;
  void (*bucket_)(void const*, std::uint64_t, Item const*, std::uint64_t, Item*);
  void (*tied_)(void const*, std::uint64_t, Item const*, std::uint64_t, std::uint64_t,
                std::uint64_t);
};

// --- sources ---

/// The keys of a View's elements, with their indices.
template <class View, class Key, class Index>
struct EntriesOfView {
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

// --- the lowest and the highest key, and whether keys are sorted already ---

/// The lowest key and the highest.
template <class Item>
struct FindRange {
  using Word = typename Item::Word;
  using Reducer = Kokkos::MinMax<Word>;

  Item const* items;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, typename Reducer::value_type& range) const {
    KOKKOS_IF_ON_HOST((include(items[i].key(), range);))
    KOKKOS_IF_ON_DEVICE(((void)i; (void)range;))
  }

 private:
  static void include(Word word, typename Reducer::value_type& range) {
    range.min_val = std::min(range.min_val, word);
    range.max_val = std::max(range.max_val, word);
  }
};

/// The number of chunks that do not ascend, or begin with less than what is before them. Most such chunks are read only
/// in small part.
template <class Source>
struct CountDescents {
  Source source;
  Chunks chunks;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk,
                                  [[maybe_unused]] std::uint64_t& count) const {
    KOKKOS_IF_ON_HOST(
        (count += source.descends(chunks.begin(chunk), chunks.begin(chunk + 1)) ? 1 : 0;))
  }
};

/// Whether n > 0 elements are known to be sorted. Few elements are not looked at. Waits.
template <class Exec, class Source>
bool are_known_sorted(Context<Exec> const& context, std::uint64_t n, Source const& source) {
  if (n < min_checked_if_sorted) return false;
  using Elements = ItemSource<typename Source::Item, std::uint64_t>;
  Chunks const chunks{n, n / min_split_chunk_size};
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(context.label() + "::descents", range(context.exec(), 0, chunks.count),
                          CountDescents<Elements>{Elements(source), chunks}, count);
  return count == 0;
}

// --- items written to their buckets, chunk by chunk ---

/// counts[chunk * buckets + b]: how many of a chunk's elements belong in bucket b.
template <class Item, class Count>
struct CountBuckets {
  ItemSource<Item, Count> source;
  Chunks chunks;
  BucketOf<typename Item::Word> bucket_of;
  std::size_t buckets;
  Count* counts;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((count(chunk);))
  }

 private:
  void count(std::uint64_t chunk) const {
    Count* const own = counts + chunk * buckets;
    std::fill_n(own, buckets, Count{0});
    source.count(chunks.begin(chunk), chunks.begin(chunk + 1), bucket_of, own);
  }
};

/// The counts of all chunks in the order of places: bucket by bucket, and for a bucket chunk by chunk.
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

/// Replaces the counts by places.
template <class Count>
struct PlacesByBucket {
  CountsByBucket<Count> counts;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, Count before) const { counts.at(i) = before; }
};

/// Writes each element to the next place of its chunk in its bucket.
template <class Item, class Count>
struct WriteBuckets {
  ItemSource<Item, Count> source;
  Chunks chunks;
  BucketOf<typename Item::Word> bucket_of;
  std::size_t buckets;
  Count* places;
  Item* to;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t chunk) const {
    KOKKOS_IF_ON_HOST((source.split(chunks.begin(chunk), chunks.begin(chunk + 1), bucket_of,
                                    places + chunk * buckets, to);))
  }
};

// --- buckets that fit a cache, sorted by one thread each and handed on ---

/// The memory that each thread has to itself.
template <class Item>
struct ThreadMemory {
  static constexpr std::size_t max_items = max_in_thread_memory;

  Item items[max_items];
  std::uint32_t counts[BucketSort<Item>::max_counts];
};

/// Sorts buckets that are not too large, each by the thread that is free next, and hands them on to `use`.
template <class Item, class Count>
struct SortBuckets {
  Count const* ends;
  std::size_t buckets;
  std::uint64_t largest;
  Item* items;
  Item* others;
  std::uint64_t first;
  ThreadMemory<Item>* memory;
  std::uint64_t* next;
  BucketUse<Item> use;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::uint64_t worker) const {
    KOKKOS_IF_ON_HOST((sort_next(memory[worker]);))
  }

 private:
  void sort_next(ThreadMemory<Item>& own) const {
    for (auto b = take(); b < buckets; b = take()) {
      std::uint64_t const begin = b == 0 ? 0 : ends[b - 1];
      std::uint64_t const count = ends[b] - begin;
      if (count == 0 || count > largest) continue;
      // The thread's own memory is written again and again, and so stays in the cache.
      Item* const other = count <= own.max_items ? own.items : others + begin;
      Item* const sorted = BucketSort<Item>(own.counts).sort(items + begin, other, count);
      use.bucket(first + begin, sorted, count, sorted == other ? items + begin : other);
    }
  }

  std::uint64_t take() const { return Kokkos::atomic_fetch_add(next, std::uint64_t{1}); }
};

/// Sorts few elements, by one thread.
template <class Item, class Count>
struct SortOnCallingThread {
  ItemSource<Item, Count> source;
  std::uint64_t n;
  Item* items;
  Item* others;
  std::uint32_t* counts;
  BucketUse<Item> use;

  KOKKOS_FUNCTION void operator()(std::uint64_t) const { KOKKOS_IF_ON_HOST((run();)) }

  void run() const {
    source.copy(n, items);
    Item* const sorted = BucketSort<Item>(counts).sort(items, others, n);
    use.bucket(0, sorted, n, sorted == others ? items : others);
  }
};

/// Hands on items that are all tied, chunk by chunk.
template <class Item>
struct UseTied {
  Item const* items;
  Chunks chunks;
  std::uint64_t first;
  BucketUse<Item> use;

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

// --- the sort ---

/// Sorts n > 0 elements of a source in memory of the caller's scope, and hands them on by buckets, while the caller waits.
/// Count holds n.
template <class Exec, class Item_, class Count>
class RadixSort {
 public:
  using Item = Item_;

  /// `free` is memory for n items that the sort may use once the source is read, or null.
  RadixSort(Context<Exec> const& context, Scope<Exec>& scope, std::uint64_t n, Item* free = nullptr)
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
  using Own = ThreadMemory<Item>;

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

  void run_erased(Source const& source, BucketUse<Item> const& use) {
    if (n_ <= max_on_calling_thread(threads_of(context_.exec()))) {
      run_on_calling_thread(context_.named("sort"), SortOnCallingThread<Item, Count>{
                                                        source, n_, memory_.items, memory_.others,
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
        std::min(n / min_bucket_size, per_thread * threads_of(context_.exec()));
    return std::clamp<std::uint64_t>(std::max(n / bucket_size, for_threads), 1,
                                     BucketTable<Word>::max_wanted);
  }

  Chunks chunks_of(std::uint64_t n) const {
    return {n, std::clamp<std::uint64_t>(n / min_split_chunk_size, 1,
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
