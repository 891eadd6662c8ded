// Copies by stores that bypass the caches.

#include <Kokkos_Core.hpp>
#include <riffle/backend/backend.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace riffle::test::stream_test {
namespace {

constexpr std::size_t most = 70;

// Bytes after the copied ones must not change.
TEST(LaneStream, CopiesAnyNumberOfBytes) {
  struct alignas(16) Aligned {
    char bytes[96];
  };
  std::vector<char> from(most);
  for (std::size_t i = 0; i < most; ++i) from[i] = static_cast<char>(i + 1);
  for (std::size_t count = 0; count <= most; ++count) {
    Aligned to{};
    backend::stream_copy(to.bytes, from.data(), count);
    backend::finish_streams();
    for (std::size_t i = 0; i < sizeof(to.bytes); ++i) {
      ASSERT_EQ(to.bytes[i], i < count ? from[i] : 0) << i << " of " << count;
    }
  }
}

TEST(LaneStream, OnlyToAlignedAddresses) {
  alignas(16) char to[32] = {};
  EXPECT_FALSE(backend::can_stream_to(to + 1));
  EXPECT_FALSE(backend::can_stream_to(to + 8));
#if defined(__SSE2__)
  EXPECT_TRUE(backend::can_stream_to(to));
#endif
}

}  // namespace
}  // namespace riffle::test::stream_test
