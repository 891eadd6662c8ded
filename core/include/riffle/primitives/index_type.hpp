#pragma once

#include <cstdint>

namespace riffle::detail {

/// Calls use(index) with a value of the type that holds indices below n: std::uint32_t, or else std::uint64_t.
template <class Use>
void with_index_type(std::uint64_t n, Use const& use) {
  if (n <= std::uint64_t{1} << 32) {
    use(std::uint32_t{});
  } else {
    use(std::uint64_t{});
  }
}

}  // namespace riffle::detail
