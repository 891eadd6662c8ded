// Advice about pages, which must not change memory.

#include <riffle/backend/backend.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace riffle::test::huge_pages_test {
namespace {

constexpr std::size_t page = std::size_t{1} << 21;

TEST(HugePages, AdviceChangesNothing) {
  std::vector<unsigned char> bytes(4 * page);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i % 251);
  auto const expected = bytes;
  for (std::size_t const first : {std::size_t{0}, std::size_t{1}, page - 1, page}) {
    for (std::size_t const count : {std::size_t{0}, std::size_t{1}, page - 1, page, 2 * page + 7}) {
      backend::prefer_huge_pages(bytes.data() + first, count);
    }
  }
  backend::prefer_huge_pages(nullptr, 0);
  EXPECT_EQ(bytes, expected);
}

// The first and the last page may also hold memory of other objects.
TEST(HugePages, AdvisedMemoryMayBeFreed) {
  for (std::size_t const count : {page / 2, page, 3 * page + 5}) {
    std::vector<double> values;
    values.reserve(count);
    backend::prefer_huge_pages(values.data(), count * sizeof(double));
    values.resize(count);
    EXPECT_EQ(values, std::vector<double>(count));
  }
}

}  // namespace
}  // namespace riffle::test::huge_pages_test
