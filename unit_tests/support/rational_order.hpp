#pragma once

// Counts of arrangements by their statistics in arbitrary-precision integers: an oracle without rounding.

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace riffle::test {

using Whole = boost::multiprecision::cpp_int;
using Wholes = std::vector<Whole>;

struct OrderCounts {
  std::uint64_t all = 0;
  std::uint64_t less_equal = 0;
  std::uint64_t greater_equal = 0;
  std::uint64_t as_far = 0;  // with a magnitude of at least the observed one's

  void add(int side, int side_of_magnitude = 0) {
    ++all;
    less_equal += side <= 0;
    greater_equal += side >= 0;
    as_far += side_of_magnitude >= 0;
  }
};

inline int side_of(Whole const& a, Whole const& b) { return a.compare(b); }

/// Counts arrangements by an integer statistic.
class WholeOrder {
 public:
  explicit WholeOrder(Whole observed) : observed_(std::move(observed)) {}
  void add(Whole const& statistic) {
    counts_.add(side_of(statistic, observed_), side_of(abs(statistic), abs(observed_)));
  }
  OrderCounts const& counts() const { return counts_; }

 private:
  Whole observed_;
  OrderCounts counts_;
};

inline bool is_constant(Wholes const& values) {
  return std::all_of(values.begin(), values.end(), [&](Whole const& x) { return x == values[0]; });
}

/// Twice the ranks; tied values share the mean of their ranks.
inline Wholes ranks_of(Wholes const& values) {
  Wholes ranks;
  for (Whole const& x : values) {
    auto const less = std::count_if(values.begin(), values.end(), [&](auto& y) { return y < x; });
    auto const equal = std::count(values.begin(), values.end(), x);
    ranks.push_back(2 * less + equal + 1);
  }
  return ranks;
}

/// Calls use(labels) with all arrangements of labels.
template <class Use>
void for_all_labels(std::vector<int> labels, Use const& use) {
  std::sort(labels.begin(), labels.end());
  do {
    use(labels);
  } while (std::next_permutation(labels.begin(), labels.end()));
}

inline Whole sum_of_label(Wholes const& values, std::vector<int> const& labels, int label) {
  Whole sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (labels[i] == label) sum += values[i];
  }
  return sum;
}

/// Statistic: mean of label 0 minus mean of label 1.
inline OrderCounts order_of_sums(Wholes const& values, std::vector<int> const& labels) {
  auto const count_0 = std::count(labels.begin(), labels.end(), 0);
  auto const count_1 = std::count(labels.begin(), labels.end(), 1);
  auto const statistic = [&](std::vector<int> const& of) {
    return Whole(sum_of_label(values, of, 0) * count_1 - sum_of_label(values, of, 1) * count_0);
  };
  WholeOrder order(statistic(labels));
  for_all_labels(labels, [&](auto const& of) { order.add(statistic(of)); });
  return order.counts();
}

/// Statistic: Welch's t of labels 0 and 1, as x / sqrt(y); infinite for y = 0.
inline OrderCounts order_of_welch(Wholes const& values, std::vector<int> const& labels) {
  struct Fraction {
    Whole x;
    Whole y;
  };
  auto const statistic = [&](std::vector<int> const& of) {
    Whole mean[2];
    Whole within[2];
    Whole count[2];
    for (int g = 0; g < 2; ++g) {
      Wholes own;
      for (std::size_t i = 0; i < of.size(); ++i) {
        if (of[i] == g) own.push_back(values[i]);
      }
      count[g] = own.size();
      mean[g] = std::accumulate(own.begin(), own.end(), Whole(0));  // times the number of values
      for (Whole const& x : own) {
        Whole const rest = x * count[g] - mean[g];
        within[g] += rest * rest;  // times the square of the number of values
      }
    }
    // t^2 = (m_1 n_2 - m_2 n_1)^2 / (n_1 n_2)^2 / (w_1 / (n_1^3 (n_1 - 1)) + w_2 / (n_2^3 (n_2 - 1)))
    Whole const denominator_1 = count[0] * count[0] * count[0] * (count[0] - 1);
    Whole const denominator_2 = count[1] * count[1] * count[1] * (count[1] - 1);
    return Fraction{mean[0] * count[1] - mean[1] * count[0],
                    within[0] * denominator_2 + within[1] * denominator_1};
  };
  auto const sign = [](Whole const& x) { return x.sign(); };
  auto const size = [](Fraction const& a, Fraction const& b) {
    return side_of(a.x * a.x * b.y, b.x * b.x * a.y);
  };
  auto const observed = statistic(labels);
  OrderCounts counts;
  for_all_labels(labels, [&](auto const& of) {
    auto const own = statistic(of);
    int const of_size = size(own, observed);
    int const difference = sign(own.x) - sign(observed.x);
    counts.add(difference != 0 ? difference : sign(own.x) * of_size, of_size);
  });
  return counts;
}

/// Statistic: the sum of squares between the groups.
inline OrderCounts order_of_f(Wholes const& values, std::vector<int> const& labels) {
  int const groups = *std::max_element(labels.begin(), labels.end()) + 1;
  auto const statistic = [&](std::vector<int> const& of) {
    Whole between = 0;
    for (int g = 0; g < groups; ++g) {
      Whole others = 1;
      for (int h = 0; h < groups; ++h) {
        if (h != g) others *= std::count(labels.begin(), labels.end(), h);
      }
      Whole const sum = sum_of_label(values, of, g);
      between += sum * sum * others;
    }
    return between;
  };
  WholeOrder order(statistic(labels));
  for_all_labels(labels, [&](auto const& of) { order.add(statistic(of)); });
  return order.counts();
}

/// Statistic: n times the sum of products about the means, of x with all permutations of y.
inline OrderCounts order_of_products(Wholes const& x, Wholes const& y) {
  Whole const of_means =
      std::accumulate(x.begin(), x.end(), Whole(0)) * std::accumulate(y.begin(), y.end(), Whole(0));
  std::vector<std::size_t> sigma(x.size());
  std::iota(sigma.begin(), sigma.end(), std::size_t{0});
  auto const statistic = [&] {
    Whole sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[sigma[i]];
    return Whole(sum * x.size() - of_means);
  };
  WholeOrder order(statistic());
  do {
    order.add(statistic());
  } while (std::next_permutation(sigma.begin(), sigma.end()));
  return order.counts();
}

/// Statistic: the sum, over all sign changes.
inline OrderCounts order_of_signs(Wholes const& values) {
  WholeOrder order(std::accumulate(values.begin(), values.end(), Whole(0)));
  for (std::size_t signs = 0; signs < std::size_t{1} << values.size(); ++signs) {
    Whole sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum += (signs >> i & 1) != 0 ? Whole(-values[i]) : values[i];
    }
    order.add(sum);
  }
  return order.counts();
}

}  // namespace riffle::test
