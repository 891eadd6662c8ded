#pragma once

// Temporary memory as a stack: arrays are given back in the reverse of the order in which they were taken. Algorithms
// take memory through the scopes of riffle/primitives/scope.hpp.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace riffle::detail {

/// Returns the number of bytes that an array of `bytes` bytes occupies in an arena: `bytes`, rounded up to a multiple
/// of 256, so that the next array has the alignment of device memory.
constexpr std::size_t aligned_bytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Is notified when arrays are taken from arenas and when they are given back. Tests use it to detect accesses to
/// memory outside of the arrays that an algorithm has taken.
class ArenaWatch {
 public:
  virtual ~ArenaWatch() = default;

  /// Returns the number of unused bytes before and after each array, a multiple of 256.
  virtual std::size_t guard() const = 0;
  virtual void on_take(std::byte* data, std::size_t bytes, bool is_on_host) = 0;
  virtual void on_give_back(std::byte* data, std::size_t bytes, bool is_on_host) = 0;
};

/// Null, except in tests.
inline ArenaWatch* arena_watch = nullptr;

/// Memory in the memory space of an execution space.
///
///     block           [ array | array | array | free ]
///     extra blocks    [ array ]  [ array ]
///
/// Arrays follow each other in one block. An array that does not fit into the block gets an extra block, because
/// earlier arrays must not move. Once all arrays have been given back, one block replaces all blocks. The size of this
/// block is the maximum number of bytes that were taken at the same time. Therefore the second of two equal calls
/// allocates nothing.
template <class Exec>
class Arena {
 public:
  /// A state of the stack: how many bytes are taken, and how many extra blocks are in use.
  struct Mark {
    std::size_t bytes = 0;
    std::size_t blocks = 0;
  };

  /// `is_kept` says whether the arena will be used again after all of its memory has been given back. If not, the arena
  /// does not replace its blocks by a larger block at that point.
  explicit Arena(bool is_kept) : is_kept_(is_kept) {}

  /// Returns the number of bytes that are allocated.
  std::size_t bytes() const {
    std::size_t sum = block_.extent(0);
    for (auto const& block : extra_blocks_) sum += block.extent(0);
    return sum;
  }

  Mark mark() const { return taken_; }

  /// The only scope that may take memory: the one that was opened last.
  void const* innermost_scope = nullptr;

  /// Grows the block to at least `bytes` bytes. Does nothing while any memory is taken.
  void reserve(std::string const& label, Exec const& exec, std::size_t bytes) {
    std::size_t const wanted = aligned_bytes(bytes);
    if (taken_.bytes == 0 && block_.extent(0) < wanted) replace_block(label, exec, wanted);
  }

  /// Returns uninitialized memory. It is valid until give_back() is called with a mark that is older than this call.
  std::byte* take(std::string const& label, Exec const& exec, std::size_t bytes) {
    std::size_t const begin = taken_.bytes;
    taken_.bytes += aligned_bytes(bytes);
    if (begin == 0 && block_.extent(0) < taken_.bytes) replace_block(label, exec, taken_.bytes);
    bool const fits = taken_.blocks == 0 && taken_.bytes <= block_.extent(0);
    std::byte* const memory =
        fits ? block_.data() + begin : take_extra_block(label, exec, aligned_bytes(bytes));
    // Updated after the allocation. If the allocation throws, give_back() must not try to allocate a block of this
    // size.
    max_taken_ = std::max(max_taken_, taken_.bytes);
    return memory;
  }

  void give_back(std::string const& label, Exec const& exec, Mark const& mark) {
    taken_ = mark;
    if (taken_.bytes == 0 && !extra_blocks_.empty()) merge_blocks(label, exec);
  }

 private:
  using Block = Kokkos::View<std::byte*, typename Exec::memory_space>;

  static Block allocate(std::string const& label, Exec const& exec, std::size_t bytes) {
    return Block(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label + "::buffer"), bytes);
  }

  void replace_block(std::string const& label, Exec const& exec, std::size_t bytes) {
    block_ = Block();  // freed first, because both need not fit at the same time
    block_ = allocate(label, exec, bytes);
  }

  std::byte* take_extra_block(std::string const& label, Exec const& exec, std::size_t bytes) {
    std::size_t const first = taken_.blocks;
    std::size_t k = first;
    while (k < extra_blocks_.size() && extra_blocks_[k].extent(0) < bytes) ++k;
    if (k == extra_blocks_.size()) extra_blocks_.push_back(allocate(label, exec, bytes));
    std::swap(extra_blocks_[first], extra_blocks_[k]);
    ++taken_.blocks;
    return extra_blocks_[first].data();
  }

  void merge_blocks(std::string const& label, Exec const& exec) {
    extra_blocks_.clear();
    if (!is_kept_) return;
    try {
      replace_block(label, exec, max_taken_);
    } catch (std::exception const&) {
      // A failure to allocate is not reported here, because the call that gives its memory back may have succeeded. The
      // next call allocates again, and reports a failure.
    }
  }

  Block block_;
  std::vector<Block> extra_blocks_;
  Mark taken_;
  std::size_t max_taken_ = 0;
  bool is_kept_;
};

}  // namespace riffle::detail
