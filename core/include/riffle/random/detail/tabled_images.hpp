#pragma once

// Images of consecutive points under a network whose halves are bytes. A round adds a function of
// one half to the other half; this function is looked up in a table. Host only.

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <riffle/backend/backend.hpp>
#include <riffle/backend/byte_lookup.hpp>
#include <riffle/random/image_blocks.hpp>

namespace riffle::detail {

/// The rounds of a network whose halves are bytes, as tables. A round adds a function of one half
/// of a point to the other half. A half has fewer values than there are points, so the function is
/// computed once for each value of the half instead of once for each point. Host only.
class RoundTables {
 public:
  static constexpr int max_rounds = 32;

  /// Whether tables are faster than computing the rounds, for `count` points under a network with
  /// this radix and this number of lower bits.
  static bool suit(std::uint64_t radix, int low_bits, std::size_t count) {
    auto const most = static_cast<std::uint64_t>(backend::most_entries_looked_up());
    std::uint64_t const low = std::uint64_t{1} << low_bits;
    return radix <= most && low <= most && radix + low <= count;
  }

  /// `network` is a FeistelRounds of 32-bit words; keys[r], r < rounds, are its widened keys.
  template <class Network, class Keys>
  RoundTables(Network const& network, Keys const& keys, int rounds) : rounds_(rounds) {
    backend::call_with_words(Fill<Network, Keys>{*this, network, keys});
  }

  /// Applies the rounds to the points (high[k], low[k]) for k < count. Up to
  /// backend::overwritten_bytes bytes after each array are overwritten.
  template <class Lookup>
  KOKKOS_FORCEINLINE_FUNCTION void apply(std::uint8_t* high, std::uint8_t* low,
                                         std::size_t count) const {
    Lookup::add_alternately(tables_, rounds_, low, high, count);
  }

 private:
  template <class Network, class Keys>
  struct Fill {
    RoundTables& tables;
    Network const& network;
    Keys const& keys;

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      int const low = 1 << network.low_bits();
      int const high = static_cast<int>(network.radix());
      for (int round = 0; round < tables.rounds_; ++round) {
        bool const is_even = round % 2 == 0;
        backend::ByteTable& table = tables.tables_[round];
        table.entries = is_even ? high : low;
        table.modulus = is_even ? low : high;
        for (int e = 0; e < table.entries; e += Words::width) {
          auto const half = Words::iota(static_cast<std::uint32_t>(e));
          Words const added = is_even ? network.added_to_low(half, keys[round])
                                      : network.added_to_high(half, keys[round]);
          store(added, table.values + e);
        }
      }
    }

    template <class Words>
    KOKKOS_FORCEINLINE_FUNCTION static void store(Words const& added, std::uint8_t* to) {
      std::uint32_t values[Words::width];
      added.store(values);
      for (int w = 0; w < Words::width; ++w) to[w] = static_cast<std::uint8_t>(values[w]);
    }
  };

  int rounds_;
  backend::ByteTable tables_[max_rounds];
};

/// Evaluates the images of consecutive points with RoundTables, for a network with few points. The
/// points greater than `last`, fewer than 256, are evaluated once, before all others. An image that
/// is greater than `last` is replaced by its own image, until the result is at most `last`. Host
/// only.
class TabledImages {
 public:
  template <class Network, class Keys>
  TabledImages(Network const& network, Keys const& keys, int rounds, std::uint32_t last)
      : tables_(network, keys, rounds),
        low_bits_(network.low_bits()),
        last_(last),
        beyond_((network.radix() << low_bits_) - 1 - last) {}

  /// See FeistelForm::visit_blocks.
  template <class Visit>
  void visit_blocks(std::uint32_t first, std::size_t count, Visit const& visit) {
    if (count == 0) return;
    // Blocks have nearly equal sizes, because a block with a few points takes the same time as a
    // block with several hundred points.
    std::size_t const blocks = (count + block_size - 1) / block_size;
    std::size_t const of_block = (count + at_once * blocks - 1) / (at_once * blocks) * at_once;
    for (std::size_t done = 0; done < count; done += of_block) {
      std::uint32_t const begin = first + static_cast<std::uint32_t>(done);
      std::uint32_t const before = done == 0 ? beyond_ : 0;
      std::size_t const size = std::min(of_block, count - done);
      backend::call_with_byte_lookup(Block{*this, before, begin, size});
      visit(begin, size, &images_[before]);
    }
  }

 private:
  // Loops over this number of points have no remainder and are vectorised.
  static constexpr std::size_t at_once = 64;
  // The additional at_once points are there so that a network of 1025 points is still evaluated in
  // one block.
  static constexpr std::size_t block_size = 1024 + at_once;
  // An upper bound on the number of points greater than `last`: there are fewer such points than
  // values of the lower half.
  static constexpr std::size_t most_beyond = backend::ByteTable::max_entries;
  static constexpr std::size_t most_evaluated = block_size + most_beyond;
  static constexpr std::size_t room = most_evaluated + backend::overwritten_bytes;

  /// The points first, ..., first + count - 1, preceded by `before` points that start at last + 1.
  struct Block {
    TabledImages& images;
    std::uint32_t before;
    std::uint32_t first;
    std::size_t count;

    template <class Lookup>
    KOKKOS_FORCEINLINE_FUNCTION void call() const {
      images.template evaluate<Lookup>(*this);
      if (before > 0) std::copy_n(images.images_, before, images.images_beyond_);
      images.template send_on<typename Lookup::Words>(*this);
    }
  };

  // Evaluates the points of a block, and points after it, up to a multiple of at_once. Points are
  // split into halves before they are stored, because a separate pass over stored points would take
  // a fifth of the total time.
  template <class Lookup>
  KOKKOS_FORCEINLINE_FUNCTION void evaluate(Block const& block) {
    int const low_bits = low_bits_;
    auto const low_mask = static_cast<std::uint8_t>((std::uint32_t{1} << low_bits) - 1);
    std::uint32_t const before = block.before;
    std::uint32_t const from_beyond = last_ + 1;
    std::uint32_t const from_first = block.first - before;
    std::size_t const count = before + block.count;
    // Positions have 32 bits, like the points, because compilers do not vectorise this loop well if
    // the two types have different sizes.
    for (std::size_t k = 0; k < count; k += at_once) {
      std::uint8_t* const high = high_ + k;
      std::uint8_t* const low = low_ + k;
      auto const place = static_cast<std::uint32_t>(k);
      for (std::uint32_t j = 0; j < at_once; ++j) {
        std::uint32_t const point = place + j + (place + j < before ? from_beyond : from_first);
        high[j] = static_cast<std::uint8_t>(point >> low_bits);
        low[j] = static_cast<std::uint8_t>(point) & low_mask;
      }
    }
    tables_.template apply<Lookup>(high_, low_, count);
    for (std::size_t k = 0; k < count; k += at_once) {
      for (std::uint32_t j = 0; j < at_once; ++j) {
        images_[k + j] = std::uint32_t{high_[k + j]} << low_bits | low_[k + j];
      }
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION void send_on(Block const& block) {
    if (beyond_ == 0) return;
    std::uint32_t* const images = images_ + block.before;
    auto const end = static_cast<std::uint32_t>(block.count);
    sent_on_.clear();
    for (std::uint32_t k = 0; k < end; k += at_once) {
      sent_on_.append(mask_above<Words>(images + k), k, end);
    }
    for (std::uint32_t k = 0; k < sent_on_.count(); ++k) {
      std::uint32_t& image = images[sent_on_.place(k)];
      do {
        image = images_beyond_[image - last_ - 1];
      } while (image > last_);
    }
  }

  template <class Words>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t mask_above(std::uint32_t const* images) const {
    std::uint64_t mask = 0;
    for (std::size_t w = 0; w < at_once; w += Words::width) {
      mask |= std::uint64_t{lanes_above(Words::load(images + w), last_)} << w;
    }
    return mask;
  }

  RoundTables tables_;
  int low_bits_;
  std::uint32_t last_;
  // The number of points greater than the last one.
  std::uint32_t beyond_;
  alignas(64) std::uint8_t high_[room];
  alignas(64) std::uint8_t low_[room];
  alignas(64) std::uint32_t images_[room];
  std::uint32_t images_beyond_[most_beyond];
  ImagesBeyond<block_size> sent_on_;
};

}  // namespace riffle::detail
