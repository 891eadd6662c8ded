#pragma once

// Checks of the labels, instances and fences that Kokkos reports to a tool.

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/kernel_log.hpp"

namespace riffle::test {

struct DoNothing {
  KOKKOS_FUNCTION void operator()(std::uint64_t) const {}
};

/// Whether Riffle or its caller gave this name, with a label that begins with `prefix`. For a View that is filled with
/// zeros, Kokkos puts the View's label into the kernel's name.
inline bool is_labelled(std::string const& name, std::string const& prefix) {
  return name.rfind(prefix, 0) == 0 ||
         name.rfind("Kokkos::View::initialization [" + prefix, 0) == 0;
}

/// Calls call(exec), and call(context) with a label, both with the workspace if there is one, and checks all reported events.
template <class Exec, class Call, class... Memory>
void expect_labels_and_instance(Exec const& exec, Call const& call, Memory&... workspace) {
  auto const call_unnamed = [&] {
    if constexpr (sizeof...(workspace) == 0) {
      call(exec);
    } else {
      call(Context(exec, workspace...));
    }
  };
  call_unnamed();  // Kokkos now allocates its own scratch memory
  for (std::string const& prefix : {std::string("riffle::"), std::string("user::")}) {
    KernelLog const log;
    if (prefix == "riffle::") {
      call_unnamed();
    } else {
      call(Context(exec, "user::label", workspace...));
    }
    EXPECT_FALSE(KernelLog::kernels().empty());
    for (auto const& kernel : KernelLog::kernels()) {
      EXPECT_TRUE(is_labelled(kernel.name, prefix)) << kernel.name;
      EXPECT_EQ(kernel.device, Kokkos::Tools::Experimental::device_id(exec)) << kernel.name;
    }
    for (auto const& allocation : KernelLog::allocations()) {
      // Kokkos names its own scratch memory.
      if (allocation.rfind("Kokkos::", 0) == 0) continue;
      EXPECT_TRUE(is_labelled(allocation, prefix)) << allocation;
    }
  }
}

/// call(exec) for calls that also accept a context.
template <class Exec, class Call>
void call_on(Exec const& exec, Call const& call) {
  if constexpr (std::is_invocable_v<Call const&, Exec const&>) {
    call(exec);
  } else {
    call();
  }
}

template <class Call>
std::vector<std::string> fences_of(Call const& call) {
  FenceLog const log;
  call();
  std::vector<std::string> names;
  for (auto const& fence : FenceLog::fences()) names.push_back(fence.name);
  return names;
}

/// Expects that `call` fences no more than a plain kernel does; each kernel of the Threads back end fences.
template <class Exec, class Call>
void expect_no_fence(Exec const& exec, Call const& call) {
  auto const plain = fences_of([&] {
    Kokkos::parallel_for("plain", Kokkos::RangePolicy<Exec>(exec, 0, 20000), DoNothing());
  });
  EXPECT_EQ(fences_of([&] { call_on(exec, call); }), plain);
  exec.fence();
}

/// Expects that `call` fences its instance only. A fence of the device is allowed for freeing memory, where Kokkos adds it.
template <class Exec, class Call>
void expect_fences_of_the_instance_only(Exec const& exec, Call const& call) {
  FenceLog const log;
  call_on(exec, call);
  EXPECT_FALSE(FenceLog::fences().empty());
  for (auto const& fence : FenceLog::fences()) {
    if (fence.name.find("deallocate") != std::string::npos) continue;
    EXPECT_EQ(fence.device, Kokkos::Tools::Experimental::device_id(exec)) << fence.name;
  }
}

}  // namespace riffle::test
