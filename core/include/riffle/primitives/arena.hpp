#pragma once

// Temporary memory as a stack: what is taken last is given back first. riffle/primitives/scope.hpp has the scopes by which
// algorithms take from it.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace riffle::detail {

/// The bytes that an array takes of an arena, so that the next array is aligned as device memory is.
constexpr std::size_t aligned_bytes(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Is told what is taken from arenas and given back, so that a test sees who uses memory that is another's.
class ArenaWatch {
 public:
  virtual ~ArenaWatch() = default;

  /// The bytes on either side of every array that belong to nobody, a multiple of 256.
  virtual std::size_t guard() const = 0;
  virtual void on_take(std::byte* data, std::size_t bytes, bool is_on_host) = 0;
  virtual void on_give_back(std::byte* data, std::size_t bytes, bool is_on_host) = 0;
};

/// The watch, which only tests set.
inline ArenaWatch* arena_watch = nullptr;

/// Memory in the memory space of an execution space.
///
/// All arrays lie one after the other in one block. An array that does not fit any more gets a block of its own, since
/// earlier arrays stay where they are. Once everything is given back, one block replaces them all, as large as the most
/// that was taken at a time. So the second of two equal calls allocates nothing.
template <class Exec>
class Arena {
 public:
  /// How much is taken.
  struct Mark {
    std::size_t bytes = 0;
    std::size_t blocks = 0;
  };

  /// An arena that is not kept is not used again once all is given back, and need not grow then.
  explicit Arena(bool is_kept) : is_kept_(is_kept) {}

  /// The bytes that are held.
  std::size_t bytes() const {
    std::size_t sum = block_.extent(0);
    for (auto const& block : extra_blocks_) sum += block.extent(0);
    return sum;
  }

  Mark mark() const { return taken_; }

  /// The only scope that may take memory.
  void const* innermost_scope = nullptr;

  /// Grows the arena, unless memory is taken, so that `bytes` bytes can be taken without an allocation.
  void reserve(std::string const& label, Exec const& exec, std::size_t bytes) {
    std::size_t const wanted = aligned_bytes(bytes);
    if (taken_.bytes == 0 && block_.extent(0) < wanted) replace_block(label, exec, wanted);
  }

  /// Memory of any content, which lasts until give_back() of an earlier mark.
  std::byte* take(std::string const& label, Exec const& exec, std::size_t bytes) {
    std::size_t const begin = taken_.bytes;
    taken_.bytes += aligned_bytes(bytes);
    if (begin == 0 && block_.extent(0) < taken_.bytes) replace_block(label, exec, taken_.bytes);
    bool const fits = taken_.blocks == 0 && taken_.bytes <= block_.extent(0);
    std::byte* const memory =
        fits ? block_.data() + begin : take_extra_block(label, exec, aligned_bytes(bytes));
    // Not of what could not be had, which would be asked for again and again.
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
    block_ = Block();  // freed first: the two need not fit at the same time
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
      // This may be the end of a call that has done all else. The next call allocates again, and reports the failure.
    }
  }

  Block block_;
  std::vector<Block> extra_blocks_;
  Mark taken_;
  std::size_t max_taken_ = 0;
  bool is_kept_;
};

}  // namespace riffle::detail
