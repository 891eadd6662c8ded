#pragma once

// Public calls whose results on the device are compared with the host's, bit by bit.
//
// A case is a function of an execution space and a size: it makes inputs that are the same everywhere, calls a public function
// on Views of that space, and adds all outputs to its results. Every public function and class has a case with numbers and, if
// it accepts them, with a user-defined type and operation (calls_complete.cmake lists functions without a case). CI compiles
// the files for CUDA also without a GPU, so each is small and has only the types that can show different errors.

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

/// Copies bytes to and from the memory of a space; complete on return. They are compiled once (cases.cpp), since Kokkos's
/// copies of Views take longer to compile than most cases.
template <class MemorySpace>
void copy_to_host(void* to, void const* from, std::size_t bytes);
template <class MemorySpace>
void copy_from_host(void* to, void const* from, std::size_t bytes);

/// A named output of a call: consecutive elements of one size.
struct Result {
  std::string name;
  std::size_t element_bytes;
  std::vector<unsigned char> bytes;
};

/// All outputs of a case.
class Results {
 public:
  /// Adds the elements of a contiguous View, in the order of their addresses.
  template <class View>
  requires(Kokkos::is_view_v<View>) void add(std::string const& name, View const& view) {
    auto& bytes = add_bytes(name, sizeof(typename View::value_type), view.size());
    copy_to_host<typename View::memory_space>(bytes.data(), view.data(), bytes.size());
  }

  /// Adds a value that a call returned; its type has no padding.
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

/// The cases of all files.
std::vector<Case>& all_cases();

template <class Call, class Exec>
void run_on(std::uint64_t n, Results& results) {
  Exec const exec;
  Call{}(exec, n, results);
}

/// `Call` has a template <class Exec> void operator()(Exec const& exec, std::uint64_t n, Results& results) const.
template <class Call>
Case make_case(std::string const& name, std::vector<std::uint64_t> const& sizes) {
#if defined(RIFFLE_CALLS_ON_DEVICE_ONLY)
  // The case is only compiled, to check it with the device's compiler.
  return {name, sizes, nullptr, &run_on<Call, Device>};
#else
  return {name, sizes, &run_on<Call, Host>, &run_on<Call, Device>};
#endif
}

/// Adds the cases of a file; to be defined at namespace scope.
struct Cases {
  Cases(std::initializer_list<Case> cases) {
    all_cases().insert(all_cases().end(), cases.begin(), cases.end());
  }
};

// --- sizes ---

inline std::vector<std::uint64_t> up_to(std::uint64_t most) {
  std::vector<std::uint64_t> chosen;
  // 0, 1, and a few elements; some; a tile of scans and its neighbours; more than a 16-bit index; a million; and the sizes at
  // which sorts and shuffles change algorithms.
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
