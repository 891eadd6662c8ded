#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/backend/backend.hpp>
#include <riffle/shuffle/detail/bucket/sources.hpp>

namespace riffle::detail::bucket_shuffle {

/// Prefetches the memory of `Count` elements, which need not exist.
template <int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_elements(T const* from) {
  auto const* const bytes = reinterpret_cast<char const*>(from);
  RIFFLE_UNROLL
  for (std::size_t b = 0; b < Count * sizeof(T); b += backend::cache_line) {
    backend::prefetch_line(bytes + b);
  }
}

/// The elements of a View of rank 1, as an address and a stride for loops.
template <class T>
struct Array {
  T* data;
  std::ptrdiff_t stride;

  T* at(std::uint64_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

/// Writes blocks of up to `Size` consecutive elements of an array: fill what begin() gives, then end().
/// The loops that fill need not know of strides.
template <class T, int Size>
class BlockWriter {
 public:
  explicit BlockWriter(Array<T> const& to) : to_(to) {}

  T* begin(std::uint64_t first) {
    return is_contiguous() ? to_.data + first : reinterpret_cast<T*>(stage_);
  }

  void end(std::uint64_t first, std::size_t count) const {
    if (is_contiguous()) return;
    auto const* const staged = reinterpret_cast<T const*>(stage_);
    T* to = to_.at(first);
    for (std::size_t k = 0; k < count; ++k, to += to_.stride) *to = staged[k];
  }

  /// Prefetches the memory of elements first, ..., first + Count - 1, which need not exist: among so many streams, no
  /// processor sees that this one goes on.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void prepare(std::uint64_t first) const {
    if (is_contiguous()) prefetch_elements<Count>(to_.data + first);
  }

 private:
  bool is_contiguous() const { return to_.stride == 1; }

  Array<T> to_;
  alignas(T) std::byte stage_[Size * sizeof(T)];
};

// --- a part of a source: part(j) = source(start + j). What is prefetched need not exist ---

template <class Element, class Value, bool IsContiguous>
class PartOfView {
 public:
  PartOfView(Element const* data, std::ptrdiff_t stride) : data_(data), stride_(stride) {}

  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint32_t j) const {
    return static_cast<Value>(data_[j * stride()]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void prefetch_one(std::uint32_t j) const {
    backend::prefetch_line(data_ + j * stride());
  }

  /// Prefetches the memory where Count elements from j on lie if they are contiguous; else it has only some of them.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_some(std::uint32_t j) const {
    prefetch_elements<Count>(data_ + j * stride());
  }

  void prefetch_all(std::uint64_t size) const {
    constexpr int some = backend::cache_line;
    for (std::uint64_t j = 0; j < size; j += some)
      prefetch_some<some>(static_cast<std::uint32_t>(j));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::ptrdiff_t stride() const { return IsContiguous ? 1 : stride_; }

  Element const* data_;
  std::ptrdiff_t stride_;
};

template <class Value>
class PartOfIndices {
 public:
  explicit PartOfIndices(std::uint64_t start) : start_(start) {}

  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint32_t j) const {
    return static_cast<Value>(start_ + j);
  }

  KOKKOS_FORCEINLINE_FUNCTION void prefetch_one(std::uint32_t) const {}
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_some(std::uint32_t) const {}
  void prefetch_all(std::uint64_t) const {}

 private:
  std::uint64_t start_;
};

template <class View, class Value>
auto part_of(ReadView<View, Value> const& source, std::uint64_t start) {
  constexpr bool is_contiguous = !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;
  auto const stride = static_cast<std::ptrdiff_t>(source.view.stride(0));
  return PartOfView<typename View::non_const_value_type, Value, is_contiguous>(
      source.view.data() + static_cast<std::ptrdiff_t>(start) * stride, stride);
}

template <class Value>
auto part_of(OwnIndex<Value> const&, std::uint64_t start) {
  return PartOfIndices<Value>(start);
}

template <class T>
auto part_of(Array<T> const& source, std::uint64_t start) {
  return PartOfView<T, T, false>(source.at(start), source.stride);
}

}  // namespace riffle::detail::bucket_shuffle
