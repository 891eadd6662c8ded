#pragma once

// Counts the bytes that operator new allocates (main.cpp replaces it).

#include <atomic>
#include <cstdint>

namespace riffle::test {

inline std::atomic<std::uint64_t> heap_bytes{0};

}  // namespace riffle::test
