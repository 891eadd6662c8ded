#pragma once

// The shuffle of small arrays on a CPU: riffle/fisher_yates.hpp as an algorithm for shuffle, shuffle_copy
// and random_permutation.

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

#include <riffle/detail/fisher_yates_rows.hpp>
#include <riffle/detail/workspaces.hpp>
#include <riffle/workspace.hpp>

namespace riffle {

/// A shuffle by one thread, exactly uniform for true random words: a tag for shuffle, shuffle_copy and
/// random_permutation. Its permutation is none of RandomPermutation; sigma is what fisher_yates(0 .. n - 1)
/// gives.
///
/// For few values: up to some 2^12 of them it is faster than the default on a CPU, twice as fast at 2^8.
/// On a GPU one of its many threads does all the work, so that tests can compare: shuffle there by the
/// default, or, many small arrays at once, by fisher_yates in a kernel of your own.
///
/// Work and memory: of rank-1 Views one copy and n exchanges, and no memory, in place only the exchanges;
/// rows and packs are gathered through indices in the workspace, 4 bytes a row (8 above n = 2^32), and in
/// place copied first, into the workspace, too.
struct FisherYates {
  template <class Exec, class In, class Out, class Memory = NoWorkspace>
  void shuffle_rows(std::string const& label, Exec const& exec, std::uint64_t n, In const& in,
                    Out const& out, std::uint64_t seed, Memory&& memory = {}) const {
    detail::with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
      detail::fisher_yates_rows(label, exec, n, in, out, seed, workspace);
    });
  }

  template <class Exec, class Data, class Memory = NoWorkspace>
  void shuffle_in_place(std::string const& label, Exec const& exec, std::uint64_t n,
                        Data const& data, std::uint64_t seed, Memory&& memory = {}) const {
    detail::with_workspace(exec, memory, [&](Workspace<Exec>& workspace) {
      detail::fisher_yates_rows_in_place(label, exec, n, data, seed, workspace);
    });
  }

  template <class Exec, class Out, class Memory = NoWorkspace>
  void write_permutation(std::string const& label, Exec const& exec, std::uint64_t n,
                         Out const& out, std::uint64_t seed, Memory&& = {}) const {
    detail::fisher_yates_images(label, exec, n, out, seed);
  }
};

}  // namespace riffle
