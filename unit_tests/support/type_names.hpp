#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <string>
#include <type_traits>

namespace riffle::test {

/// Names typed tests by their types, as in `RadixKeyTest/int32` and `RankOnEmulatedGpu/Competition`.
struct TypeNames {
  template <class T>
  static std::string GetName(int) {
    std::string const bits = std::to_string(sizeof(T) * CHAR_BIT);
    if constexpr (std::is_floating_point_v<T>) return "float" + bits;
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_integral_v<T>) return (std::is_signed_v<T> ? "int" : "uint") + bits;
    return last_identifier(::testing::internal::GetTypeName<T>());
  }

 private:
  static std::string last_identifier(std::string name) {
    name.resize(std::min(name.size(), name.find('<')));
    auto const is_other = [](unsigned char c) { return !std::isalnum(c) && c != '_'; };
    return std::string(std::find_if(name.rbegin(), name.rend(), is_other).base(), name.end());
  }
};

}  // namespace riffle::test
