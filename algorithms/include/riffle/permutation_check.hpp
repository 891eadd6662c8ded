#pragma once

// Whether stored indices are a permutation, and if not, where they first fail to be one.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/detail/permutation_check.hpp>
#include <riffle/detail/stored_indices.hpp>
#include <riffle/detail/workspaces.hpp>
#include <riffle/errors.hpp>
#include <riffle/workspace.hpp>

namespace riffle {

enum class PermutationFault { none, out_of_range, repeated };

/// The first entry that keeps indices from being a permutation.
template <class Index>
struct PermutationViolation {
  /// Its place; n where there is no fault.
  std::uint64_t index = 0;
  /// What is stored there.
  Index value = 0;
  PermutationFault kind = PermutationFault::none;
};

/// Whether p(0), ..., p(n - 1) are 0, ..., n - 1 in some order.
///
/// - p: a rank-1 View of any integer type. Negative values are out of range.
/// - memory: a Workspace of exec's device, of which the call takes n / 8 bytes; else it allocates and frees them
///   through `exec`.
///
/// Throws std::invalid_argument where the workspace is on another device. Fences: it returns a value. One read
/// of each element, and one atomic operation on a bit for each.
template <detail::ExecutionSpace Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
bool is_permutation(std::string const& label, Exec const& exec, Permutation const& p,
                    Memory&& memory = {}) {
  detail::check_workspace("is_permutation", exec, memory);
  bool is = true;
  detail::with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
    is = detail::takes_each_value_once(label, exec, p, workspace);
  });
  return is;
}

template <detail::ExecutionSpace Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
bool is_permutation(Exec const& exec, Permutation const& p, Memory&& memory = {}) {
  return is_permutation("riffle::is_permutation", exec, p, memory);
}

/// The smallest i for which p(i) is out of range or is p(j) of some j < i; kind none where p is a permutation.
///
/// - p: as for is_permutation.
/// - memory: a Workspace of exec's device, of which a permutation takes n / 8 bytes, and anything else 4 n
///   (8 n where n > 2^32).
///
/// Throws and fences as is_permutation, and costs no more where p is a permutation; else two more reads of each
/// element. Reproducible: the same answer on every back end.
template <detail::ExecutionSpace Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
auto first_violation(std::string const& label, Exec const& exec, Permutation const& p,
                     Memory&& memory = {})
    -> PermutationViolation<typename Permutation::non_const_value_type> {
  using Violation = PermutationViolation<typename Permutation::non_const_value_type>;
  detail::check_workspace("first_violation", exec, memory);
  std::uint64_t const n = p.extent(0);
  Violation violation{n, 0, PermutationFault::none};
  detail::with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
    if (detail::takes_each_value_once(label, exec, p, workspace)) return;
    auto const first = detail::first_not_its_own(label, exec, p, workspace);
    bool const is_in_range = detail::is_index_below(first.index, n);
    violation = {first.place, first.index,
                 is_in_range ? PermutationFault::repeated : PermutationFault::out_of_range};
  });
  return violation;
}

template <detail::ExecutionSpace Exec, detail::StoredIndicesFrom<Exec> Permutation,
          detail::WorkspaceFor<Exec> Memory = NoWorkspace>
auto first_violation(Exec const& exec, Permutation const& p, Memory&& memory = {}) {
  return first_violation("riffle::first_violation", exec, p, memory);
}

namespace detail {

/// Throws unless p, which the caller calls `name`, is a permutation: with its first index that is not as it
/// should be, and the value there. Fences.
template <class Exec, class Permutation, class Memory>
void check_permutation(char const* function, char const* name, std::string const& label,
                       Exec const& exec, Permutation const& p, Memory&& memory) {
  auto const violation = first_violation(label + "::check", exec, p, memory);
  check(violation.kind != PermutationFault::out_of_range, function, name, "(", violation.index,
        ") = ", +violation.value, ": must be at least 0 and less than n = ", p.extent(0));
  check(violation.kind != PermutationFault::repeated, function, name, "(", violation.index,
        ") = ", +violation.value, " is there before: must be a permutation, each value once");
}

}  // namespace detail
}  // namespace riffle
