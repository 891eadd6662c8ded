#pragma once

// Public calls whose results on the device are held against those on the host, bit by bit.
//
// A case is a function of an execution space and a size: it makes inputs that are the same everywhere, calls a public
// function on Views of that space, and adds all that the function gave to its results. Every public function and class
// has a case with numbers and, where it takes them, with a type and an operation of the user's own
// (calls_complete.cmake says which have none). The files of cases are compiled by CI for CUDA, too, where no GPU is:
// so each is small, and a case names no type that tells no fault from another.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace riffle::test::calls {

using Host = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::DefaultExecutionSpace;

/// Copies of bytes to and from the memory of a space, ended when the call returns. They are compiled once (cases.cpp):
/// Kokkos's copies of Views take longer to compile than most cases.
template <class MemorySpace>
void copy_to_host(void* to, void const* from, std::size_t bytes);
template <class MemorySpace>
void copy_from_host(void* to, void const* from, std::size_t bytes);

/// What a call gave, under a name: elements of one size, one after the other.
struct Result {
  std::string name;
  std::size_t element_bytes;
  std::vector<unsigned char> bytes;
};

/// All that a case gave.
class Results {
 public:
  /// The elements of a contiguous View, in the order in which they lie.
  template <class View>
  requires(Kokkos::is_view_v<View>) void add(std::string const& name, View const& view) {
    auto& bytes = add_bytes(name, sizeof(typename View::value_type), view.size());
    copy_to_host<typename View::memory_space>(bytes.data(), view.data(), bytes.size());
  }

  /// A value that a call returned. It has no padding.
  template <class T>
  requires(std::is_trivially_copyable_v<T> &&
           !Kokkos::is_view_v<T>) void add(std::string const& name, T const& value) {
    auto& bytes = add_bytes(name, sizeof(T), 1);
    auto const* const from = reinterpret_cast<unsigned char const*>(&value);
    bytes.assign(from, from + sizeof(T));
  }

  void add(std::string const& name, std::string const& text) {
    add_bytes(name, 1, 0).assign(text.begin(), text.end());
  }

  std::vector<Result> const& all() const { return results_; }

 private:
  std::vector<unsigned char>& add_bytes(std::string const& name, std::size_t element_bytes,
                                        std::size_t count) {
    results_.push_back({name, element_bytes, std::vector<unsigned char>(element_bytes * count)});
    return results_.back().bytes;
  }

  std::vector<Result> results_;
};

struct Case {
  std::string name;
  std::vector<std::uint64_t> sizes;
  void (*on_host)(std::uint64_t n, Results& results);
  void (*on_device)(std::uint64_t n, Results& results);
};

/// Those of all files.
std::vector<Case>& all_cases();

template <class Call, class Exec>
void run_on(std::uint64_t n, Results& results) {
  Exec const exec;
  Call{}(exec, n, results);
}

/// `Call` has a template <class Exec> void operator()(Exec const& exec, std::uint64_t n, Results& results) const.
template <class Call>
Case make_case(std::string const& name, std::vector<std::uint64_t> const& sizes) {
#if defined(RIFFLE_CALLS_ON_DEVICE_ALONE)
  // Only compiled, to see what the device's compiler says.
  return {name, sizes, nullptr, &run_on<Call, Device>};
#else
  return {name, sizes, &run_on<Call, Host>, &run_on<Call, Device>};
#endif
}

/// A file's cases, added where it is defined at namespace scope.
struct Cases {
  Cases(std::initializer_list<Case> cases) {
    all_cases().insert(all_cases().end(), cases.begin(), cases.end());
  }
};

// --- sizes ---

inline std::vector<std::uint64_t> up_to(std::uint64_t most) {
  std::vector<std::uint64_t> chosen;
  // None, one, few; some; a tile of scans and its neighbours; more than one index of 16 bits; a million; the sizes
  // from which sorts and shuffles take other ways.
  for (std::uint64_t const n : {0, 1, 2, 1000, 4095, 4096, 4097, 65537, 1 << 20, 1 << 21,
                                (1 << 21) + 1, 1 << 23, (1 << 23) + 1, (1 << 24) + 1, 1 << 26}) {
    if (n <= most) chosen.push_back(n);
  }
  return chosen;
}

inline std::vector<std::uint64_t> small_sizes() { return up_to(4097); }
inline std::vector<std::uint64_t> sizes() { return up_to(1 << 20); }
inline std::vector<std::uint64_t> large_sizes() { return up_to((1 << 23) + 1); }
inline std::vector<std::uint64_t> huge_sizes() { return up_to(1 << 26); }

}  // namespace riffle::test::calls
