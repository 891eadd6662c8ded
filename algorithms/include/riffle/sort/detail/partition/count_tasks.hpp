#pragma once

// How the threads of a CPU divide the work of counting labels: by chunks of rows, and also by ranges of labels if the number of
// labels allows fewer chunks than there are threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/context.hpp>
#include <riffle/primitives/loops.hpp>
#include <riffle/sort/tuning.hpp>

namespace riffle::detail::partition {

/// Chunks of rows and ranges of labels. Task t handles the labels in range t % ranges.count, for
/// the rows in chunk t / ranges.count.
struct CountTasks {
  Chunks chunks;
  Chunks ranges;

  std::uint64_t count() const { return chunks.count * ranges.count; }
  std::uint64_t labels() const { return ranges.n; }

  /// Returns the table of a task in `tables`, which contains a table of all labels for each chunk.
  template <class Count>
  Count* table(Count* tables, std::uint64_t task) const {
    return tables + task / ranges.count * labels();
  }
};

/// Calls visit(i, label) for each row i of a task, in ascending order. Host only.
template <class Labels, class Visit>
void for_each_row(CountTasks const& tasks, std::uint64_t task, Labels labels, Visit visit) {
  std::uint64_t const chunk = task / tasks.ranges.count;
  std::uint64_t const range = task % tasks.ranges.count;
  std::uint64_t const first = tasks.chunks.begin(chunk);
  std::uint64_t const end = tasks.chunks.begin(chunk + 1);
  if (tasks.ranges.count == 1) {
    for (std::uint64_t i = first; i < end; ++i) visit(i, static_cast<std::size_t>(labels(i)));
    return;
  }
  std::size_t const low = tasks.ranges.begin(range);
  std::size_t const width = tasks.ranges.begin(range + 1) - low;
  // First lists the rows of the block whose labels are in the range, without a branch, because such
  // a branch would often be mispredicted.
  constexpr std::uint64_t block = 256;
  std::uint16_t listed[block];
  for (std::uint64_t begin = first; begin < end; begin += block) {
    std::uint64_t const size = std::min(block, end - begin);
    std::size_t count = 0;
    for (std::uint64_t k = 0; k < size; ++k) {
      listed[count] = static_cast<std::uint16_t>(k);
      count += static_cast<std::size_t>(labels(begin + k)) - low < width;
    }
    for (std::size_t k = 0; k < count; ++k) {
      std::uint64_t const i = begin + listed[k];
      visit(i, static_cast<std::size_t>(labels(i)));
    }
  }
}

/// Counts the labels of each chunk in the chunk's table.
template <class Exec, class Labels, class Count>
void count_labels(Context<Exec> const& context, CountTasks const& tasks, Labels const& labels,
                  Count* tables) {
  for_each_dynamic(context, tasks.count(), [=](std::uint64_t task) {
    std::uint64_t const range = task % tasks.ranges.count;
    Count* const own = tasks.table(tables, task);
    std::fill(own + tasks.ranges.begin(range), own + tasks.ranges.begin(range + 1), Count{0});
    for_each_row(tasks, task, labels, [=](std::uint64_t, std::size_t label) { ++own[label]; });
  });
}

/// Returns the chunks of rows and the ranges of labels. Chunks have min_chunk_size rows or more,
/// and there are up to chunks_per_thread chunks per thread. Their number is limited such that there
/// are at most max(n, labels) counts. If this limit is less than the number of threads, the labels
/// are divided into several ranges, so that there is about one task per thread.
inline CountTasks count_tasks(std::uint64_t n, std::uint64_t labels, std::uint64_t threads) {
  std::uint64_t const of_rows = std::max<std::uint64_t>(n / min_chunk_size, 1);
  std::uint64_t const of_counts = std::max<std::uint64_t>(n / labels, 1);
  if (threads == 1) return {{n, 1}, {labels, 1}};
  if (of_rows < threads) return {{n, std::min(of_rows, of_counts)}, {labels, 1}};
  if (of_counts >= threads) {
    std::uint64_t const of_thread =
        std::min({of_rows / threads, of_counts / threads, chunks_per_thread});
    return {{n, of_thread * threads}, {labels, 1}};
  }
  std::uint64_t ranges = 2;
  while ((threads + ranges - 1) / ranges > of_counts) ranges *= 2;
  return {{n, (threads + ranges - 1) / ranges}, {labels, std::min(ranges, labels)}};
}

}  // namespace riffle::detail::partition
