#pragma once

// Sorts segments on a CPU. One thread sorts a segment, in memory of its own that stays in the cache. All threads together sort a
// segment that does not fit in the memory of a thread.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/primitives/scope.hpp>
#include <riffle/sort/detail/cpu/bucket_sort.hpp>
#include <riffle/sort/detail/cpu/merge_sort_cpu.hpp>
#include <riffle/sort/detail/cpu/radix_sort.hpp>
#include <riffle/sort/key_value.hpp>
#include <riffle/sort/number_code.hpp>
#include <riffle/sort/segments.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::sort {

/// The type of the items: numbers are sorted by their codes, other elements by comparisons. If Index is not void, items have
/// indices.
template <class T, class Order, class Index>
auto segment_item_on_cpu() {
  if constexpr (has_number_code<T, Order>) {
    if constexpr (std::is_void_v<Index>) {
      return std::type_identity<NumberAlone<StoredCode<sizeof(T)>>>();
    } else {
      return std::type_identity<ItemWithValue<T, Index>>();
    }
  } else if constexpr (std::is_void_v<Index>) {
    return std::type_identity<T>();
  } else {
    return std::type_identity<KeyValue<T, Index>>();
  }
}

/// Reads the elements of `source` as items, and writes items, or their indices, to `sink`.
template <class Source, class Sink, class Segments, class Order, class Index>
struct SegmentItemsOnCpu {
  using T = typename Source::Item;
  using Item = typename decltype(segment_item_on_cpu<T, Order, Index>())::type;
  using Code = NumberCode<T, Order>;
  static constexpr bool have_codes = has_number_code<T, Order>;

  Source source;
  Sink sink;
  Segments segments;

  auto word(std::uint64_t i) const { return Code::encode(source(i)); }

  Item operator()(std::uint64_t i) const {
    if constexpr (std::is_void_v<Index>) {
      if constexpr (have_codes) {
        return Item(word(i));
      } else {
        return source(i);
      }
    } else {
      auto const index = static_cast<Index>(segments.index(i));
      if constexpr (have_codes) {
        return {word(i), index};
      } else {
        return {source(i), index};
      }
    }
  }

  void write(std::uint64_t i, Item const& item) const {
    if constexpr (std::is_void_v<Index>) {
      if constexpr (have_codes) {
        sink(i, Code::decode(item.key()));
      } else {
        sink(i, item);
      }
    } else if constexpr (have_codes) {
      sink(i, item.index());
    } else {
      sink(i, item.value);
    }
  }
};

/// The items of one segment: a source and a consumer of a RadixSort.
template <class Items>
struct ItemsOfSegment {
  using Item = typename Items::Item;

  Items items;
  std::uint64_t first;

  auto word(std::uint64_t i) const { return items.word(first + i); }
  Item operator()(std::uint64_t i) const { return items(first + i); }
  void bucket(std::uint64_t begin, Item const* from, std::uint64_t count, Item*) const {
    for (std::uint64_t k = 0; k < count; ++k) items.write(first + begin + k, from[k]);
  }
};

/// Sorts n > 0 elements segment by segment.
template <class Exec, class Segments, class Items, class Before>
class SortSegmentsOnCpu {
 public:
  SortSegmentsOnCpu(Context<Exec> const& context, Segments const& segments, Items const& items,
                    Before const& before)
      : context_(context), segments_(segments), items_(items), before_(before) {}

  void run() const {
    sort_short();
    // Every longer segment contains a multiple of max_items.
    std::uint64_t end = 0;
    for (std::uint64_t i = max_items; i < segments_.n; i += max_items) {
      Segment const segment = segment_around(segments_, segments_.number(i), i);
      if (segment.begin >= end && segment.size() > max_items) sort_long(segment);
      end = std::max(end, segment.end);
    }
  }

 private:
  using Item = typename Items::Item;

  /// The maximum number of items that one thread sorts.
  static constexpr std::uint64_t max_items =
      std::clamp<std::uint64_t>((std::size_t{1} << 20) / sizeof(Item), 1, max_in_thread_memory);

  /// The threads take chunks with about the same number of elements and segments.
  void sort_short() const {
    auto const threads = static_cast<std::uint64_t>(context_.exec().concurrency());
    std::uint64_t const work = segments_.n + segments_.count();
    Chunks const chunks{work, std::clamp<std::uint64_t>(work / min_split_chunk_size, 1,
                                                        split_chunks_per_thread * threads)};
    std::uint64_t const workers = std::min(threads, chunks.count);
    struct Memory {
      Item* items;
      std::uint32_t* counts;
      std::uint64_t* next;
    };
    std::size_t counts = 0;
    if constexpr (Items::have_codes) counts = BucketSort<Item>::max_counts;
    Scope scope(context_);
    auto const memory = scope.arrays([&](ArrayMemory& all) {
      return Memory{all.take<Item>(2 * max_items * workers),
                    all.take<std::uint32_t>(counts * workers), all.take<std::uint64_t>(1)};
    });
    *memory.next = 0;
    // Captures copies, because Kokkos does not count references to Views in copies of a kernel.
    for_each_dynamic(
        context_.named("short"), workers,
        [=, segments = segments_, items = items_, before = before_](std::uint64_t worker) {
          Item* const own = memory.items + 2 * max_items * worker;
          auto const take = [&] { return Kokkos::atomic_fetch_add(memory.next, std::uint64_t{1}); };
          for (auto chunk = take(); chunk < chunks.count; chunk = take()) {
            std::uint64_t const end = first_segment(segments, chunks.begin(chunk + 1));
            std::uint64_t s = first_segment(segments, chunks.begin(chunk));
            Segment segment{0, segments.begin(s)};
            while (s < end) {
              segment = {segment.end, segments.begin(++s)};
              sort_by_thread(items, segment, before, own, memory.counts + counts * worker);
            }
          }
        });
  }

  /// The first segment before which there are at least `work` elements and segments.
  static std::uint64_t first_segment(Segments const& segments, std::uint64_t work) {
    std::uint64_t low = 0;
    std::uint64_t high = segments.count();
    while (low < high) {
      std::uint64_t const middle = low + (high - low) / 2;
      if (segments.begin(middle) + middle < work) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Sorts a segment, unless it is long. `own` is memory for 2 * max_items items.
  static void sort_by_thread(Items const& items, Segment const& segment, Before const& before,
                             Item* own, std::uint32_t* counts) {
    std::uint64_t const n = segment.size();
    if (n > max_items) return;
    for (std::uint64_t i = 0; i < n; ++i) std::construct_at(own + i, items(segment.begin + i));
    Item* sorted = own;
    if constexpr (Items::have_codes) {
      sorted = BucketSort<Item>(counts).sort(own, own + max_items, n);
    } else {
      sort_by_one_thread(own, own + max_items, n, before);
    }
    for (std::uint64_t i = 0; i < n; ++i) items.write(segment.begin + i, sorted[i]);
  }

  void sort_long(Segment const& segment) const {
    std::uint64_t const n = segment.size();
    ItemsOfSegment<Items> const of_segment{items_, segment.begin};
    Context<Exec> const context = context_.named("long");
    Scope scope(context);
    if constexpr (Items::have_codes) {
      with_index_type(n + 1, [&]<class Count>(Count) {
        RadixSort<Exec, Item, Count>(context, scope, n).run(of_segment, of_segment);
      });
    } else {
      auto* const items = scope.template take<Item>(2 * n);
      context.for_each(n, [=](std::uint64_t i) { std::construct_at(items + i, of_segment(i)); });
      auto const* const sorted =
          merge_sort<InitialItems::given>(context, n, items, items + n, before_);
      context.for_each(n, [=](std::uint64_t i) { of_segment.bucket(i, sorted + i, 1, nullptr); });
    }
  }

  Context<Exec> context_;
  Segments segments_;
  Items items_;
  Before before_;
};

}  // namespace riffle::detail::sort
