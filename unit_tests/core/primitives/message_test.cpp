#include <Kokkos_Core.hpp>
#include <riffle/primitives/look_back.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/views.hpp"

namespace riffle::test::message_test {
namespace {

using detail::Message;
using detail::Status;

/// N bytes with no alignment.
template <int N>
struct Bytes {
  unsigned char byte[N];

  KOKKOS_FUNCTION static Bytes make(int seed) {
    Bytes result;
    for (int i = 0; i < N; ++i) result.byte[i] = static_cast<unsigned char>(seed + 37 * i);
    return result;
  }
  KOKKOS_FUNCTION bool equals(Bytes const& other) const {
    for (int i = 0; i < N; ++i) {
      if (byte[i] != other.byte[i]) return false;
    }
    return true;
  }
};

constexpr std::uint32_t epoch = 41;
constexpr int messages = 100;

template <class Exec>
using Words = Kokkos::View<std::uint64_t*, typename Exec::memory_space>;

/// Message i is a total if i is even, and a prefix if i is odd.
template <class Exec, int N>
struct SendAll {
  KOKKOS_FUNCTION void operator()(int i) const {
    Message<Bytes<N>>::send(&words(i * Message<Bytes<N>>::words), Bytes<N>::make(i), epoch,
                            i % 2 == 0 ? Status::total : Status::prefix);
  }

  Words<Exec> words;
};

/// Writes as_sent if the message has arrived, otherwise the status.
template <class Exec, int N>
struct ReceiveAll {
  static constexpr int as_sent = 10;

  KOKKOS_FUNCTION void operator()(int i) const {
    Bytes<N> value = Bytes<N>::make(-1);
    Status const status =
        Message<Bytes<N>>::receive(&words(i * Message<Bytes<N>>::words), value, at);
    bool const right = status == (i % 2 == 0 ? Status::total : Status::prefix);
    heard(i) = right && value.equals(Bytes<N>::make(i)) ? as_sent : static_cast<int>(status);
  }

  Words<Exec> words;
  std::uint32_t at;
  Kokkos::View<int*, typename Exec::memory_space> heard;
};

template <class Exec>
class MessageTest : public ::testing::Test {
 protected:
  template <int N>
  static Words<Exec> fresh_words() {
    return Words<Exec>("words", messages * Message<Bytes<N>>::words);
  }

  template <int N>
  void send(Words<Exec> const& words) {
    Kokkos::parallel_for("send", Kokkos::RangePolicy<Exec>(exec, 0, messages),
                         SendAll<Exec, N>{words});
  }

  template <int N>
  std::vector<int> receive(Words<Exec> const& words, std::uint32_t at) {
    ReceiveAll<Exec, N> const kernel{words, at, zeros<Exec, int>(messages)};
    Kokkos::parallel_for("receive", Kokkos::RangePolicy<Exec>(exec, 0, messages), kernel);
    exec.fence();
    return to_vector(kernel.heard);
  }

  template <int N>
  void expect_travels() {
    auto const words = fresh_words<N>();
    std::vector<int> const nothing(messages, static_cast<int>(Status::none));
    EXPECT_EQ(receive<N>(words, 0), nothing) << N << " bytes, before";
    EXPECT_EQ(receive<N>(words, epoch), nothing) << N << " bytes, before";
    send<N>(words);
    EXPECT_EQ(receive<N>(words, epoch), std::vector<int>(messages, ReceiveAll<Exec, N>::as_sent))
        << N << " bytes";
    EXPECT_EQ(receive<N>(words, epoch + 1), nothing) << N << " bytes, in the next launch";
    EXPECT_EQ(receive<N>(words, epoch - 1), nothing) << N << " bytes, in the launch before";
  }

  Exec exec;
};
TYPED_TEST_SUITE(MessageTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(MessageTest, SendsValuesOf1To24Bytes) {
  this->template expect_travels<1>();
  this->template expect_travels<2>();
  this->template expect_travels<3>();
  this->template expect_travels<4>();
  this->template expect_travels<5>();
  this->template expect_travels<8>();
  this->template expect_travels<12>();
  this->template expect_travels<15>();
  this->template expect_travels<16>();
  this->template expect_travels<24>();
}

TEST(Message, HasAWordForEach4Bytes) {
  EXPECT_EQ(Message<std::int8_t>::words, 1);
  EXPECT_EQ(Message<float>::words, 1);
  EXPECT_EQ(Message<Bytes<5>>::words, 2);
  EXPECT_EQ(Message<double>::words, 2);
  EXPECT_EQ(Message<Bytes<13>>::words, 4);
  EXPECT_EQ(Message<Bytes<24>>::words, 6);
}

// A prefix replaces a total word by word. A reader receives one of them, or no message.
TEST(Message, HalfWrittenIsNotReady) {
  using ValueMessage = Message<Bytes<12>>;
  auto const old_value = Bytes<12>::make(5);
  auto const new_value = Bytes<12>::make(6);
  std::uint64_t old_words[3] = {};
  std::uint64_t new_words[3] = {};
  ValueMessage::send(old_words, old_value, epoch, Status::total);
  ValueMessage::send(new_words, new_value, epoch, Status::prefix);
  for (int mask = 0; mask < 8; ++mask) {
    std::uint64_t words[3] = {};
    for (int w = 0; w < 3; ++w) words[w] = mask >> w & 1 ? new_words[w] : old_words[w];
    Bytes<12> value;
    Status const status = ValueMessage::receive(words, value, epoch);
    if (mask == 0) {
      EXPECT_EQ(status, Status::total);
      EXPECT_TRUE(value.equals(old_value));
    } else if (mask == 7) {
      EXPECT_EQ(status, Status::prefix);
      EXPECT_TRUE(value.equals(new_value));
    } else {
      EXPECT_EQ(status, Status::none) << "words replaced: " << mask;
    }
  }
}

// The same, with some words of an earlier launch.
TEST(Message, HalfOfAnEarlierLaunchIsNotReady) {
  using ValueMessage = Message<std::uint64_t>;
  std::uint64_t earlier[2] = {};
  std::uint64_t words[2] = {};
  ValueMessage::send(earlier, 123, epoch - 1, Status::total);
  for (int w = 0; w < 2; ++w) {
    ValueMessage::send(words, 456, epoch, Status::total);
    words[w] = earlier[w];
    std::uint64_t value;
    EXPECT_EQ(ValueMessage::receive(words, value, epoch), Status::none);
  }
}

TEST(Message, TagsTellLaunchesAndStatusesApart) {
  std::set<std::uint32_t> tags;
  std::uint32_t const last = (1u << 30) - 1;
  std::vector<std::uint32_t> const epochs{0, 1, 2, 3, 4, 1000, last / 2, last - 1, last};
  for (std::uint32_t const launch : epochs) {
    for (Status const status : {Status::total, Status::prefix}) {
      tags.insert(detail::message_tag(launch, status));
    }
  }
  EXPECT_EQ(tags.size(), 2 * epochs.size());
  EXPECT_EQ(tags.count(0), 0u);
}

}  // namespace
}  // namespace riffle::test::message_test
