#pragma once

// How one team hands a value to another while both run.
//
// A value of any type travels as words of 64 bits: 32 bits of the value beside a tag of 32 bits that
// says what it is and in which launch it was sent. A word is stored and loaded as a whole, so that a
// reader that sees the tag it waits for in every word has the whole value, without a fence and
// without an atomic wider than 64 bits, for values of any size. Tags of earlier launches match
// nothing, so the words need no clearing between launches.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>

#include <riffle/backend/backend.hpp>

namespace riffle::detail {

/// What a message tells of its tile or bundle.
enum class Status : std::uint32_t { none = 0, total = 1, prefix = 2 };

/// The launch that a message belongs to: distinct for 2^30 launches in a row, never 0.
KOKKOS_INLINE_FUNCTION std::uint32_t message_tag(std::uint32_t epoch, Status status) {
  return (epoch + 1) << 2 | static_cast<std::uint32_t>(status);
}

template <class T>
struct Message {
  static constexpr int words = static_cast<int>((sizeof(T) + 3) / 4);

  KOKKOS_FUNCTION static void send(std::uint64_t* slot, T const& value, std::uint32_t epoch,
                                   Status status) {
    Sight const sight = written(value, epoch, status);
    for (int w = 0; w < words; ++w) backend::store_relaxed(slot + w, sight.slot[w]);
  }

  /// What a slot held when it was looked at. Looking does not wait, reading does.
  struct Sight {
    std::uint64_t slot[words];
  };

  /// What a slot holds once a message has been sent there.
  KOKKOS_FUNCTION static Sight written(T const& value, std::uint32_t epoch, Status status) {
    std::uint32_t halves[words] = {};
    memcpy(halves, &value, sizeof(T));
    std::uint64_t const tag = std::uint64_t{message_tag(epoch, status)} << 32;
    Sight sight;
    for (int w = 0; w < words; ++w) sight.slot[w] = tag | halves[w];
    return sight;
  }

  KOKKOS_FUNCTION static Sight look(std::uint64_t const* slot) {
    Sight sight;
    for (int w = 0; w < words; ++w) sight.slot[w] = backend::load_relaxed(slot + w);
    return sight;
  }

  /// Returns the status of the message that has arrived: none, while some words belong to another message.
  KOKKOS_FUNCTION static Status receive(std::uint64_t const* slot, T& value, std::uint32_t epoch) {
    return read(look(slot), value, epoch);
  }

  KOKKOS_FUNCTION static Status read(Sight const& sight, T& value, std::uint32_t epoch) {
    std::uint32_t halves[words];
    auto const tag = static_cast<std::uint32_t>(sight.slot[0] >> 32);
    bool whole = true;
    for (int w = 0; w < words; ++w) {
      whole = whole && static_cast<std::uint32_t>(sight.slot[w] >> 32) == tag;
      halves[w] = static_cast<std::uint32_t>(sight.slot[w]);
    }
    memcpy(&value, halves, sizeof(T));
    if (!whole) return Status::none;
    if (tag == message_tag(epoch, Status::total)) return Status::total;
    if (tag == message_tag(epoch, Status::prefix)) return Status::prefix;
    return Status::none;
  }
};

}  // namespace riffle::detail
