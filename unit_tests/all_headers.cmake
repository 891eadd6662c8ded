# All headers together, in alphabetical order and in reverse, in one program: a name that two headers define does not
# compile, and a function of a header that is not inline does not link. So, too, those that tests share: which tests are
# compiled as one source is left to chance, and to RIFFLE_TESTS.

# riffle_include_together(RESULT NAME HEADERS...): sources that include them in both orders.
function(riffle_include_together result name)
  set(headers ${ARGN})
  list(SORT headers)
  set(sources)
  foreach(order forward backward)
    list(TRANSFORM headers REPLACE ".+" "#include <\\0>\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" includes)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}_${order}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "@includes@" @ONLY)
    list(APPEND sources "${source}")
    list(REVERSE headers)
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/core/include/*.hpp" "${PROJECT_SOURCE_DIR}/algorithms/include/*.hpp"
  "${PROJECT_SOURCE_DIR}/algorithms/src/*.hpp"
)
riffle_leave_out_eigen(all_headers)
riffle_leave_out_mpi(all_headers)
list(TRANSFORM all_headers REPLACE "^.*/(include|src)/(riffle/.*)$" "\\2")
riffle_include_together(all_header_sources all ${all_headers})
file(GLOB support_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/support/*.hpp")
riffle_include_together(support_sources support ${support_headers})
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp" CONTENT "int main() {}\n" @ONLY)
riffle_add_program(all_headers_test "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp" ${all_header_sources})
if(TARGET riffle_mpi)
  target_link_libraries(all_headers_test PRIVATE riffle::mpi)
endif()
target_include_directories(all_headers_test PRIVATE "${PROJECT_SOURCE_DIR}/algorithms/src")
add_test(NAME headers_compile_together COMMAND all_headers_test)
riffle_add_program(support_headers_test "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp" ${support_sources})
target_include_directories(support_headers_test PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/algorithms/src")
target_link_libraries(support_headers_test PRIVATE GTest::gtest)
riffle_link_kernels(support_headers_test)
add_test(NAME headers_of_tests_compile_together COMMAND support_headers_test)
foreach(program all_headers_test support_headers_test)
  target_compile_options(${program} PRIVATE -O0)  # compiling is the test
endforeach()
