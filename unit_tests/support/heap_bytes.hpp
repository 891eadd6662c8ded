#pragma once

// Counts what operator new gives out (main.cpp replaces it).

#include <atomic>
#include <cstdint>

namespace riffle::test {

inline std::atomic<std::uint64_t> heap_bytes{0};

}  // namespace riffle::test
