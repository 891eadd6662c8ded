// Compares the device's results of every public call with the host's, bit by bit.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <string>
#include <vector>

#include "calls/case.hpp"

namespace riffle::test::calls {
namespace {

struct CaseOfSize {
  Case const* call;
  std::uint64_t n;
};

void PrintTo(CaseOfSize const& one, std::ostream* out) {
  *out << one.call->name << ", n = " << one.n;
}

std::vector<CaseOfSize> cases_of_all_sizes() {
  std::vector<CaseOfSize> result;
  for (auto const& call : all_cases()) {
    for (auto const n : call.sizes) result.push_back({&call, n});
  }
  return result;
}

std::string in_hexadecimal(unsigned char const* bytes, std::size_t count) {
  std::string text = "0x";
  for (std::size_t i = count; i-- > 0;) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
  }
  return text;
}

/// The first difference between two results, and the number of differences.
std::string difference(Result const& host, Result const& device) {
  std::size_t const size = host.element_bytes;
  std::size_t const count = host.bytes.size() / size;
  std::size_t first = count;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(&host.bytes[i * size], &device.bytes[i * size], size) == 0) continue;
    if (differing++ == 0) first = i;
  }
  return std::to_string(differing) + " of " + std::to_string(count) + " elements differ, first " +
         std::to_string(first) + ": host " + in_hexadecimal(&host.bytes[first * size], size) +
         ", device " + in_hexadecimal(&device.bytes[first * size], size);
}

class DeviceAgainstHost : public ::testing::TestWithParam<CaseOfSize> {};

TEST_P(DeviceAgainstHost, IsTheSame) {
  auto const [call, n] = GetParam();
  Results on_host;
  call->on_host(n, on_host);
  Results on_device;
  call->on_device(n, on_device);
  auto const& host = on_host.all();
  auto const& device = on_device.all();
  ASSERT_GT(host.size(), 0u) << "the case adds no result";
  ASSERT_EQ(host.size(), device.size());
  for (std::size_t k = 0; k < host.size(); ++k) {
    ASSERT_EQ(host[k].bytes.size(), device[k].bytes.size()) << host[k].name;
    EXPECT_TRUE(host[k].bytes == device[k].bytes)
        << host[k].name << ": " << difference(host[k], device[k]);
  }
}

std::string name_of(::testing::TestParamInfo<CaseOfSize> const& test) {
  return test.param.call->name + "_n" + std::to_string(test.param.n);
}

INSTANTIATE_TEST_SUITE_P(Calls, DeviceAgainstHost, ::testing::ValuesIn(cases_of_all_sizes()),
                         name_of);

}  // namespace
}  // namespace riffle::test::calls
