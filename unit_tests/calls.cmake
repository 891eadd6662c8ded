# The cases of calls/, which call every public function: a program that compares their results on the device and on the host, bit
# by bit.
file(GLOB cases CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/calls/*.cpp")
riffle_add_test_program(device_against_host ${cases})
if(riffle_has_gpu)
  # One test of CTest, since each start of a device takes a second. GoogleTest has a test for each case and size.
  add_test(NAME device_against_host COMMAND device_against_host --gtest_brief=1)
  set_tests_properties(device_against_host PROPERTIES
    ENVIRONMENT "OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive" TIMEOUT 3600 LABELS calls
  )
else()
  # Without a device the program compares the host with itself. It is built on request only, to test the cases.
  set_target_properties(device_against_host PROPERTIES EXCLUDE_FROM_ALL ON)
  target_precompile_headers(device_against_host PRIVATE <Kokkos_Core.hpp> <gtest/gtest.h> <string> <vector>)
endif()

# Every public name must have a case.
set(check_calls "${CMAKE_COMMAND}" "-DCALLS=${CMAKE_CURRENT_SOURCE_DIR}/calls")
add_test(NAME every_public_name_is_called
  COMMAND ${check_calls} "-DHEADERS=${PROJECT_SOURCE_DIR}/core/include/riffle,${PROJECT_SOURCE_DIR}/algorithms/include/riffle"
    -P "${CMAKE_CURRENT_SOURCE_DIR}/calls_complete.cmake"
)
# The check must fail for this header: it must name all declarations that are not internal.
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/forgotten/forgotten.hpp" @ONLY CONTENT [=[
#pragma once

// forgotten_in_a_comment(exec)

namespace riffle {

namespace detail {

template <class Exec>
void internal_function(Exec const& exec) {
  if (exec) internal_call(exec);
}
struct InternalClass {};

}  // namespace detail

namespace detail::modules {
inline int internal_of_a_module(int n) { return n; }
}  // namespace detail::modules

inline constexpr int forgotten_constant = 1 << 4;

/// ranks(i) = rank of i; not_a_call(exec).
template <detail::InstanceOrContext Exec, detail::AccessibleFrom<Exec> Data,
          class Order = Ascending>
requires(detail::has_rank<Data, 1>&& detail::has_rank<Ranks, 1>) void forgotten_rows(
    Exec const& exec, Data const& data, Order const& order = {}) {
  detail::internal_function(exec);
}

template <detail::ExecutionSpace Exec, class Sorted>
requires(detail::AccessibleFrom<Sorted, Exec>&& detail::has_rank<Sorted, 1>) std::uint64_t
    forgotten_count(Exec const& exec, Sorted const& sorted);

template <class View>
auto forgotten_place(View const& view, char const* text = "not_a_call(") -> Place<decltype(view(0))> {
  return text[0] == '{' ? view(0) : view(1);
}

/// A class.
template <class Exec = Kokkos::DefaultExecutionSpace>
class ForgottenPlan {
 public:
  void member(Exec const& exec) const;
};

template <class Exec>
void ForgottenPlan<Exec>::member(Exec const& exec) const {}

namespace ties {
struct ForgottenRule {};
}  // namespace ties

}  // namespace riffle
]=])
add_test(NAME a_forgotten_name_is_found
  COMMAND ${check_calls} "-DHEADERS=${CMAKE_CURRENT_BINARY_DIR}/forgotten" -P "${CMAKE_CURRENT_SOURCE_DIR}/calls_complete.cmake"
)
set_tests_properties(a_forgotten_name_is_found PROPERTIES
  PASS_REGULAR_EXPRESSION "calls:[ \n]+forgotten_rows,[^,]*forgotten_count,[^,]*forgotten_place,[^,]*ForgottenPlan,[^,]*ForgottenRule, which [^ ]* declares[ \n]*$"
)
