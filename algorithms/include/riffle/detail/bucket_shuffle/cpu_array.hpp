#pragma once

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <riffle/detail/bucket_shuffle/sources.hpp>
#include <riffle/lanes.hpp>

namespace riffle::detail::bucket_shuffle {

/// The elements of a View of rank 1 as a loop wants them.
template <class T>
struct Array {
  T* data;
  std::ptrdiff_t stride;
  /// Writes go past the caches, as it is better for more than these hold.
  bool streams;

  T* at(std::uint64_t i) const { return data + static_cast<std::ptrdiff_t>(i) * stride; }
};

template <class View>
auto array_of(View const& view, bool streams) {
  return Array<typename View::value_type>{view.data(), static_cast<std::ptrdiff_t>(view.stride(0)),
                                          streams};
}

/// Has elements first, ..., first + Count - 1 brought nearer, which need not exist.
template <int Count, class T>
KOKKOS_FORCEINLINE_FUNCTION void prefetch_elements(Array<T> const& array, std::uint64_t first) {
  auto const* const bytes = reinterpret_cast<char const*>(array.at(first));
  RIFFLE_UNROLL
  for (std::size_t b = 0; b < Count * sizeof(T); b += lanes::cache_line) {
    lanes::prefetch_line(bytes + b);
  }
}

/// Writes consecutive elements of an array, a block at a time: fill what begin() gives, then end().
template <class T, int Size>
class BlockWriter {
 public:
  static constexpr int size = Size;

  explicit BlockWriter(Array<T> const& to) : to_(to) {}

  T* begin(std::uint64_t first) {
    return is_direct() ? to_.data + first : reinterpret_cast<T*>(stage_);
  }

  void end(std::uint64_t first, std::size_t count) const {
    if (is_direct()) return;
    T const* const staged = reinterpret_cast<T const*>(stage_);
    if (to_.stride == 1) {
      lanes::stream_copy(to_.data + first, staged, count * sizeof(T));
    } else {
      T* to = to_.at(first);
      for (std::size_t k = 0; k < count; ++k, to += to_.stride) *to = staged[k];
    }
  }

 private:
  bool is_direct() const { return to_.stride == 1 && !to_.streams; }

  Array<T> to_;
  alignas(lanes::cache_line) std::byte stage_[Size * sizeof(T)];
};

// --- a part of a source: part(j) = source(start + j), and prefetch(j, count) of its memory ---

template <class Element, class Value, bool IsContiguous>
class PartOfView {
 public:
  PartOfView(Element const* data, std::ptrdiff_t stride) : data_(data), stride_(stride) {}

  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint32_t j) const {
    return static_cast<Value>(data_[j * stride()]);
  }

  KOKKOS_FORCEINLINE_FUNCTION void prefetch(std::uint32_t j) const {
    lanes::prefetch_line(data_ + j * stride());
  }

  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_some(std::uint32_t j) const {
    RIFFLE_UNROLL
    for (std::size_t b = 0; b < Count * sizeof(Element); b += lanes::cache_line) {
      lanes::prefetch_line(reinterpret_cast<char const*>(data_ + j * stride()) + b);
    }
  }

  void prefetch(std::uint64_t first, std::uint64_t count) const {
    if (stride_ != 1) return;
    auto const* const bytes = reinterpret_cast<char const*>(data_ + first);
    for (std::size_t b = 0; b < count * sizeof(Element); b += lanes::cache_line) {
      lanes::prefetch_line(bytes + b);
    }
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

  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint32_t j) const { return static_cast<Value>(start_ + j); }
  template <int Count>
  void prefetch_some(std::uint32_t) const {}
  void prefetch(std::uint32_t) const {}
  void prefetch(std::uint64_t, std::uint64_t) const {}

 private:
  std::uint64_t start_;
};

template <class View, class Value>
auto part_of(ReadView<View, Value> const& source, std::uint64_t start) {
  constexpr bool is_contiguous = !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;
  auto const stride = static_cast<std::ptrdiff_t>(source.view.stride(0));
  return PartOfView<typename View::const_value_type, Value, is_contiguous>(
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
