#pragma once

#include <cstdint>

namespace riffle::detail {

/// Calls use(type) with a value of the type that indices below n have.
template <class Use>
void with_index_type(std::uint64_t n, Use const& use) {
  if (n <= std::uint64_t{1} << 32) {
    use(std::uint32_t{});
  } else {
    use(std::uint64_t{});
  }
}

}  // namespace riffle::detail
