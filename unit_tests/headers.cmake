# Every public header must compile by itself, and when it is included twice. All headers are compiled together, in alphabetical
# order and in reverse, and linked: this finds names that two headers define, and functions that are not inline. The headers of
# tests are checked in the same way, since any tests may be compiled as one source.
#
# tools/check-layers checks that headers include Kokkos if they use it; here Kokkos is precompiled.

file(GLOB_RECURSE all_headers CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/core/include/*.hpp" "${PROJECT_SOURCE_DIR}/algorithms/include/*.hpp"
  "${PROJECT_SOURCE_DIR}/algorithms/src/*.hpp"
)
riffle_leave_out_mpi(all_headers)
set(public_headers ${all_headers})
list(FILTER public_headers EXCLUDE REGEX "/detail/|/src/|/riffle/(backend|primitives)/")
foreach(headers IN ITEMS all_headers public_headers)
  list(TRANSFORM ${headers} REPLACE "^.*/(include|src)/(riffle/.*)$" "\\2")
endforeach()

set(header_sources)
foreach(header IN LISTS public_headers)
  string(MAKE_C_IDENTIFIER "${header}" name)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include <${header}>\n#include <${header}>\n" @ONLY)
  list(APPEND header_sources "${source}")
endforeach()
add_library(header_tests OBJECT ${header_sources})
riffle_compile_as_program(header_tests ${header_sources})
if(TARGET riffle_mpi)
  target_link_libraries(header_tests PRIVATE riffle::mpi)
endif()
target_compile_options(header_tests PRIVATE -O0)  # compiling is the test
if(NOT riffle_has_gpu)
  # Other tests compile the instantiations of these headers; here most would be Kokkos's, repeated for each source.
  # Clang writes no object, so it compiles them again in each build.
  target_compile_options(header_tests PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-fno-implicit-templates;-fno-implicit-inline-templates>")
  set_source_files_properties(${header_sources} PROPERTIES COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:Clang>:-fsyntax-only>")
  target_precompile_headers(header_tests PRIVATE <Kokkos_Core.hpp> <riffle/backend/detail/vector_intrinsics.hpp>)
endif()

file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp" CONTENT "int main() {}\n" @ONLY)
# riffle_include_together(NAME HEADERS...): adds a program whose two sources include the headers in both orders.
function(riffle_include_together name)
  set(headers ${ARGN})
  list(SORT headers)
  set(sources "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp")
  foreach(order forward backward)
    list(TRANSFORM headers REPLACE ".+" "#include <\\0>\n" OUTPUT_VARIABLE includes)
    list(JOIN includes "" includes)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}_${order}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "@includes@" @ONLY)
    list(APPEND sources "${source}")
    list(REVERSE headers)
  endforeach()
  riffle_add_program(${name} ${sources})
  target_compile_options(${name} PRIVATE -O0)  # compiling is the test
  target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/algorithms/src")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS headers)
endfunction()

riffle_include_together(headers_compile_together ${all_headers})
if(TARGET riffle_mpi)
  target_link_libraries(headers_compile_together PRIVATE riffle::mpi)
endif()
file(GLOB support_headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/support/*.hpp")
riffle_include_together(headers_of_tests_compile_together ${support_headers})
target_link_libraries(headers_of_tests_compile_together PRIVATE GTest::gtest)
riffle_link_kernels(headers_of_tests_compile_together)
