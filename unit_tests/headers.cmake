# Every public and internal header compiles alone, and included twice.
file(GLOB_RECURSE headers RELATIVE "${PROJECT_SOURCE_DIR}"
  "${PROJECT_SOURCE_DIR}/core/include/*.hpp" "${PROJECT_SOURCE_DIR}/algorithms/include/*.hpp"
)
set(header_sources)
foreach(header IN LISTS headers)
  string(REGEX REPLACE "^[a-z]+/include/" "" include "${header}")
  string(MAKE_C_IDENTIFIER "${include}" name)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "#include <@include@>\n#include <@include@>\n" @ONLY)
  file(STRINGS "${PROJECT_SOURCE_DIR}/${header}" kokkos REGEX "^#include <Kokkos_Core.hpp>")
  if(NOT kokkos)
    # A header that reads Kokkos first of all loses nothing by a precompiled one; another would be given too much.
    set_source_files_properties("${source}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
  list(APPEND header_sources "${source}")
endforeach()
riffle_add_program(header_tests "${CMAKE_CURRENT_BINARY_DIR}/headers/main.cpp" ${header_sources})
target_compile_options(header_tests PRIVATE -O0)  # compiling is the test
if(NOT Kokkos_ENABLE_CUDA)
  target_precompile_headers(header_tests PRIVATE <Kokkos_Core.hpp>)
endif()
add_test(NAME headers_compile_alone COMMAND header_tests)
