#pragma once

// A model of the processors of bank_processors.hpp. It counts time and bank conflicts, and detects
// races.
//   P. Afshani, N. Sitchinava, "Sorting and Permuting without Bank Conflicts on GPUs", ESA 2015, arXiv 1507.01391 [1],
//   section 1: the Discrete Memory Machine with unit latency and one processor for each bank.
//
// Host only.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <riffle/errors.hpp>
#include <riffle/published/offline_permutation/detail/access_recorder.hpp>
#include <riffle/published/offline_permutation/memory_machine.hpp>

namespace riffle {

class ModelProcessors;

/// A matrix with any number of rows. Accesses are counted by its ModelProcessors. A copy refers to
/// the same elements.
template <class T>
class ModelMatrix {
 public:
  using value_type = T;

  KOKKOS_FUNCTION std::uint32_t rows() const { return rows_; }
  KOKKOS_FUNCTION std::uint32_t columns() const { return columns_; }
  KOKKOS_FUNCTION T read(std::uint32_t row, std::uint32_t column) const;
  KOKKOS_FUNCTION void write(std::uint32_t row, std::uint32_t column, T const& value) const;

  /// Returns the elements; data()[c * rows + r] is the element in row r and column c. Accesses
  /// through this pointer are not counted.
  T* data() const { return data_; }

 private:
  friend class ModelProcessors;
  ModelMatrix(ModelProcessors& processors, T* data, std::size_t first_cell, std::uint32_t rows,
              std::uint32_t columns)
      : processors_(&processors),
        data_(data),
        first_cell_(first_cell),
        rows_(rows),
        columns_(columns) {}

  std::size_t index(std::uint32_t row, std::uint32_t column) const {
    if (row >= rows_ || column >= columns_) throw std::out_of_range("riffle::ModelMatrix");
    return std::size_t{column} * rows_ + row;
  }

  ModelProcessors* processors_;
  T* data_;
  std::size_t first_cell_;
  std::uint32_t rows_;
  std::uint32_t columns_;
};

/// Any number of processors in lockstep. The k-th accesses of all processors in a step form a round. A round takes one
/// time unit if all its accesses are to different banks. Row r of every matrix is in bank r. Not copyable, because
/// matrices refer to their processors.
///
/// The constructor throws std::invalid_argument if rows = 0. An access outside of a matrix throws std::out_of_range.
class ModelProcessors {
 public:
  template <class T>
  class Register {
   public:
    KOKKOS_FUNCTION explicit Register(T* values) : values_(values) {}
    KOKKOS_FUNCTION T& operator[](std::uint32_t processor) const { return values_[processor]; }

   private:
    T* values_;
  };

  explicit ModelProcessors(std::uint32_t rows) : rows_(rows), recorder_(rows) {
    detail::check(rows > 0, "ModelProcessors", "rows = 0: must be at least 1");
  }
  ModelProcessors(ModelProcessors const&) = delete;
  ModelProcessors& operator=(ModelProcessors const&) = delete;

  KOKKOS_FUNCTION std::uint32_t rows() const { return rows_; }

  /// Returns a matrix of zeros, which exists as long as the processors.
  template <class T>
  ModelMatrix<T> matrix(std::uint32_t columns) {
    std::size_t const cells = std::size_t{rows_} * columns;
    std::size_t const first = cells_;
    cells_ += cells;
    recorder_.add_cells(cells);
    return ModelMatrix<T>(*this, allocate<T>(cells), first, rows_, columns);
  }

  template <class T>
  KOKKOS_FUNCTION Register<T> registers() {
    T* values = nullptr;
    KOKKOS_IF_ON_HOST((values = allocate<T>(rows_);))
    return Register<T>(values);
  }

  template <class Step>
  KOKKOS_FUNCTION void step([[maybe_unused]] Step const& step) {
    KOKKOS_IF_ON_HOST((recorder_.begin_step(); for (std::uint32_t p = 0; p < rows_; ++p) {
      recorder_.begin_processor(p);
      step(p);
    } recorder_.end_step();))
  }

  /// Returns the number of rounds so far. This is the time if there are no conflicts.
  std::uint64_t time() const { return recorder_.time(); }
  std::uint64_t steps() const { return recorder_.steps(); }
  /// Returns the number of accesses to a bank that another processor accesses in the same round,
  /// even if both access the same element.
  std::uint64_t conflicts() const { return recorder_.conflicts(); }
  /// Returns the number of accesses to an element that another processor accesses in the same step,
  /// if at least one of the two writes.
  std::uint64_t races() const { return recorder_.races(); }

  /// After this call, each round also runs on `machine`, which must have the same number of banks.
  /// Slow; meant for tests.
  void run_on(DiscreteMemoryMachine& machine) { recorder_.run_on(machine); }

 private:
  template <class T>
  friend class ModelMatrix;

  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    allocations_.push_back(std::make_unique<std::byte[]>(count * sizeof(T)));
    return reinterpret_cast<T*>(allocations_.back().get());
  }

  std::uint32_t rows_;
  std::size_t cells_ = 0;
  detail::AccessRecorder recorder_;
  std::vector<std::unique_ptr<std::byte[]>> allocations_;
};

template <class T>
KOKKOS_FUNCTION T ModelMatrix<T>::read([[maybe_unused]] std::uint32_t row,
                                       [[maybe_unused]] std::uint32_t column) const {
  T value{};
  KOKKOS_IF_ON_HOST((std::size_t const at = index(row, column);
                     processors_->recorder_.access({first_cell_, columns_}, row, column, false);
                     value = data_[at];))
  return value;
}

template <class T>
KOKKOS_FUNCTION void ModelMatrix<T>::write([[maybe_unused]] std::uint32_t row,
                                           [[maybe_unused]] std::uint32_t column,
                                           [[maybe_unused]] T const& value) const {
  KOKKOS_IF_ON_HOST((std::size_t const at = index(row, column);
                     processors_->recorder_.access({first_cell_, columns_}, row, column, true);
                     data_[at] = value;))
}

}  // namespace riffle
