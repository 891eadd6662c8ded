#include <riffle/models/memory_machine.hpp>
#include <riffle/models/padded_layout.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace riffle::test {
namespace {

using Index = std::uint32_t;

TEST(PaddedLayout, ContiguousAndStridedAccessAreFreeOfConflicts) {
  constexpr Index banks = 32;
  for (Index section = 1; section <= 70; ++section) {
    PaddedLayout const layout(banks, section);
    EXPECT_GE(layout.pitch(), section);
    EXPECT_LE(layout.pitch(), section + 1);
    EXPECT_EQ(layout.cell(banks - 1, layout.pitch() - 1) + 1, layout.cells());
    DiscreteMemoryMachine machine({.width = banks, .latency = 1});
    for (Index k = 0; k < section; ++k) {
      machine.read(banks, [&](auto thread) { return layout.cell(static_cast<Index>(thread), k); });
    }
    for (Index first = 0; first < layout.cells(); first += banks) {
      machine.write(banks, [&](auto thread) { return first + thread; });
    }
    EXPECT_EQ(machine.time(), section + layout.pitch()) << section;
  }
}

TEST(PaddedLayout, WithoutPaddingThereAreConflicts) {
  DiscreteMemoryMachine machine({.width = 32, .latency = 1});
  EXPECT_EQ(machine.read(32, [](auto thread) { return 8 * thread; }).time, 8u);
}

}  // namespace
}  // namespace riffle::test
