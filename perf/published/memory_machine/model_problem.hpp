#pragma once

// A matrix on the model with banks, and values to sort in it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <riffle/published/offline_permutation/model_processors.hpp>

namespace perf {

struct Shape {
  std::uint32_t w;  // rows, which are the banks; also the number of processors
  std::uint32_t m;  // columns
};

inline double log2_of(double x) { return std::log2(x); }

/// log_m w; 1 if w < m.
inline double log_m_of_w(Shape const& shape) {
  return std::max(1.0, log2_of(shape.w) / std::max(1.0, log2_of(shape.m)));
}

enum class Input { random, sorted, reversed, equal };
inline constexpr Input all_inputs[] = {Input::random, Input::sorted, Input::reversed, Input::equal};

inline char const* name_of(Input input) {
  switch (input) {
    case Input::random: return "random";
    case Input::sorted: return "sorted";
    case Input::reversed: return "reversed";
    case Input::equal: return "equal";
  }
  throw std::logic_error("unknown input");
}

/// Values of a matrix, row-major.
inline std::vector<std::uint32_t> values_of(Input input, Shape const& shape) {
  std::vector<std::uint32_t> values(std::size_t{shape.w} * shape.m);
  std::mt19937 random(shape.w * 65537u + shape.m);
  for (std::size_t i = 0; i < values.size(); ++i) {
    switch (input) {
      case Input::random: values[i] = static_cast<std::uint32_t>(random()); break;
      case Input::sorted: values[i] = static_cast<std::uint32_t>(i); break;
      case Input::reversed: values[i] = static_cast<std::uint32_t>(values.size() - i); break;
      case Input::equal: values[i] = 1; break;
    }
  }
  return values;
}

/// A matrix of 32-bit words with its own memory model.
class ModelProblem {
 public:
  using Matrix = riffle::ModelMatrix<std::uint32_t>;

  ModelProblem(Shape const& shape, std::vector<std::uint32_t> const& values)
      : processors(shape.w), matrix(processors.matrix<std::uint32_t>(shape.m)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      at(i / shape.m, i % shape.m) = values[i];
    }
  }

  std::uint32_t& at(std::size_t row, std::size_t column) const {
    return matrix.data()[column * matrix.rows() + row];
  }

  std::vector<std::uint32_t> row_major() const {
    std::vector<std::uint32_t> values(std::size_t{matrix.rows()} * matrix.columns());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = at(i / matrix.columns(), i % matrix.columns());
    }
    return values;
  }

  riffle::ModelProcessors processors;
  Matrix matrix;
};

/// The costs of a run on the model.
struct ModelCost {
  std::uint64_t time;
  std::uint64_t conflicts;
  std::uint64_t races;
};

inline ModelCost cost_of(riffle::ModelProcessors const& processors) {
  return {processors.time(), processors.conflicts(), processors.races()};
}

inline void check_right(bool right) {
  if (!right) throw std::runtime_error("the result is wrong");
}

}  // namespace perf
